// Text that was typed and is not saved yet, kept in this tab through reloads and errors. The rule: it is removed only when it is saved or discarded.
import type { Values } from "./values";

export interface Text {
  /** The version of `base`; 0 for a post that does not exist yet. */
  version: number;
  base: Values;
  values: Values;
  /** What the writer typed before taking another text; it can be restored. */
  aside: Values | null;
  /** During a merge by hand: the other writer's text. */
  beside: Values | null;
  /** The slugs of the tags that the writer chose to create. */
  newTags?: string[];
}

const PREFIX = "tidings.text.";

export function keptText(id: string): Text | null {
  const text = window.sessionStorage.getItem(PREFIX + id);
  return text === null ? null : (JSON.parse(text) as Text);
}

export function keepText(id: string, text: Text): void {
  window.sessionStorage.setItem(PREFIX + id, JSON.stringify(text));
}

export function removeText(id: string): void {
  window.sessionStorage.removeItem(PREFIX + id);
}

/** The posts that have unsaved text; `new` for a post that does not exist yet. */
export function idsOfKeptTexts(): string[] {
  return Object.keys(window.sessionStorage)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
}
