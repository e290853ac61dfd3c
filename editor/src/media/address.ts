// Where a picture or file of the server is for this page. The server writes absolute addresses if it knows its own; the page asks its own origin, which
// may be another one.
const ASSET = /^(?:https?:\/\/[^/]+)?(\/assets\/[0-9a-f]{40}[-.].*)$/;

export function onServer(address: string): string {
  return ASSET.exec(address)?.[1] ?? address;
}
