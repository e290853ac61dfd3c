/** A key that nobody else has. `crypto.randomUUID` would exist only on https and localhost. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
}
