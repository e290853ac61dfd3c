// Text that was typed and is not saved yet, kept in this browser through reloads, crashes and errors. The rule: it is removed only when it is saved or
// discarded. Each window has a copy of its own, so that two windows with one post do not overwrite each other.
import type { Values } from "./values";

export interface Text {
  /** The version of `base`; 0 for a text that does not exist on the server yet. */
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
const WINDOW = "tidings.window";

/** The name of this window's text. */
function nameOf(id: string): string {
  let own = window.sessionStorage.getItem(WINDOW);
  if (own === null) {
    own = Math.random().toString(36).slice(2);
    window.sessionStorage.setItem(WINDOW, own);
  }
  return `${PREFIX}${id}\n${own}`;
}

function allNames(): string[] {
  return Object.keys(window.localStorage).filter((name) => name.startsWith(PREFIX));
}

function idOf(name: string): string {
  return name.slice(PREFIX.length).split("\n")[0] ?? "";
}

/** The text of this window. If it has none, it takes that of another one, which may have crashed; an open one writes its text again. */
export function keptText(id: string): Text | null {
  const own = nameOf(id);
  const name = [own, ...allNames().filter((other) => idOf(other) === id)].find((kept) => window.localStorage.getItem(kept) !== null);
  const text = name === undefined ? null : window.localStorage.getItem(name);
  if (name === undefined || text === null) return null;
  if (name !== own) {
    window.localStorage.setItem(own, text);
    window.localStorage.removeItem(name);
  }
  return JSON.parse(text) as Text;
}

/** Whether the browser has place for it. */
export function keepText(id: string, text: Text): boolean {
  try {
    window.localStorage.setItem(nameOf(id), JSON.stringify(text));
    return true;
  } catch {
    return false;
  }
}

export function removeText(id: string): void {
  window.localStorage.removeItem(nameOf(id));
}

/** The posts and pages that have unsaved text; `new post` and `new page` for those that do not exist yet. */
export function idsOfKeptTexts(): string[] {
  return [...new Set(allNames().map(idOf))];
}

export function forgetAllTexts(): void {
  allNames().forEach((name) => window.localStorage.removeItem(name));
}
