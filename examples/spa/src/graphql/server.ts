// Where the server is: at the origin of the page, or at another one.
const SERVER = import.meta.env.VITE_TIDINGS_URL ?? "";

/** A picture or file of the server; nothing else there has such a path. */
const ASSET = /^\/assets\/[0-9a-f]{40}[-.]/;

/** A path of the server as an address for this page. A server that knows its own address sends absolute ones. */
export function onServer(path: string): string {
  return path.startsWith("/") ? `${SERVER}${path}` : path;
}

export function isAsset(path: string): boolean {
  return ASSET.test(path);
}
