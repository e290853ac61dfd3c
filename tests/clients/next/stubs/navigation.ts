// As in Next.js, these end the rendering by an exception.
export class Ended extends Error {}

export function notFound(): never {
  throw new Ended('404');
}

export function redirect(path: string): never {
  throw new Ended(`307 ${path}`);
}

export function permanentRedirect(path: string): never {
  throw new Ended(`308 ${path}`);
}
