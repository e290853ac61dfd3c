// What was typed and is not saved yet, kept in this tab through reloads and errors. The rule: it goes only when it is saved or thrown away.
import type { Values } from "./values";

export interface Text {
  /** The version that `base` was read at; 0 for a post that is not made yet. */
  version: number;
  base: Values;
  values: Values;
  /** What the writer typed and then left for another text; it can be brought back. */
  aside: Values | null;
  /** While one merges by hand: the other's text. */
  beside: Values | null;
}

const PREFIX = "tidings.text.";

export function keptText(id: string): Text | null {
  const text = window.sessionStorage.getItem(PREFIX + id);
  return text === null ? null : (JSON.parse(text) as Text);
}

export function keepText(id: string, text: Text): void {
  window.sessionStorage.setItem(PREFIX + id, JSON.stringify(text));
}

export function forgetText(id: string): void {
  window.sessionStorage.removeItem(PREFIX + id);
}

/** The posts that have text which is not saved; `new` for one that is not made yet. */
export function idsOfKeptTexts(): string[] {
  return Object.keys(window.sessionStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
}
