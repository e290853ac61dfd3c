// Text that was typed and is not saved yet, kept in this browser through reloads, crashes and errors. The rule: it is removed only when it is saved or
// discarded. Each window has a copy of its own, so that two windows with one post do not overwrite each other.
import { newKey } from "../routing/key";
import { NOTHING, type Values } from "./values";

/** A text, and what it was based on. */
export interface Draft {
  base: Values;
  values: Values;
}

/** A creation that was sent. The same input with the same key creates nothing twice. */
export interface Creation {
  key: string;
  input: Record<string, unknown>;
  values: Values;
}

export interface Text extends Draft {
  /** The version of `base`; 0 for a text that does not exist on the server yet. */
  version: number;
  /** What the writer typed before taking other texts, the latest last; each can be brought back. */
  aside: Draft[];
  /** During a merge by hand: the other writer's text. */
  beside: Values | null;
  /** The slugs of the tags that the writer chose to create. */
  newTags: string[];
  /** Of a new text: the creation that the server may have made, although no answer came. */
  creation: Creation | null;
}

const PREFIX = "tidings.text.";
const WINDOW = "tidings.window";
/** The value of a text for the moment in which another window takes it over. */
const TAKEN = "";

/** Handed over at a reload only, so that a duplicated window has a name of its own. */
const OWN = window.sessionStorage.getItem(WINDOW) ?? newKey();
window.sessionStorage.removeItem(WINDOW);
window.addEventListener("pagehide", () => window.sessionStorage.setItem(WINDOW, OWN));
// The page was in the cache of the back button.
window.addEventListener("pageshow", () => window.sessionStorage.removeItem(WINDOW));

/** The name of this window's text. */
function nameOf(id: string): string {
  return `${PREFIX}${id}\n${OWN}`;
}

function allNames(): string[] {
  return Object.keys(window.localStorage).filter((name) => name.startsWith(PREFIX));
}

function idOf(name: string): string {
  return name.slice(PREFIX.length).split("\n")[0] ?? "";
}

/** The text of this window. If it has none, it takes that of another one, which may have crashed; an open one keeps its text again. */
export function keptText(id: string): Text | null {
  const own = nameOf(id);
  for (const name of [own, ...allNames().filter((other) => other !== own && idOf(other) === id)]) {
    const kept = window.localStorage.getItem(name);
    const text = kept === null ? null : textOf(kept);
    if (text === null) continue;
    if (name !== own && keepText(id, text)) {
      window.localStorage.setItem(name, TAKEN);
      window.localStorage.removeItem(name);
    }
    return text;
  }
  return null;
}

/** Null if it is damaged. An earlier editor kept less, and put at most one text aside. */
function textOf(kept: string): Text | null {
  const text = parsed(kept);
  const values = valuesIn(text?.["values"]);
  if (text === null || values === null) return null;
  const base = valuesIn(text["base"]) ?? NOTHING;
  const { version, aside, newTags } = text;
  const drafts = Array.isArray(aside) ? aside.map(draftIn) : [draftIn({ base, values: aside })];
  return {
    version: typeof version === "number" ? version : 0,
    base,
    values,
    aside: drafts.filter((draft) => draft !== null),
    beside: valuesIn(text["beside"]),
    newTags: isListOfText(newTags) ? newTags : [],
    creation: creationIn(text["creation"]),
  };
}

type Fields = Record<string, unknown>;

function parsed(text: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** Only what has the type that the form needs; the rest is as in an empty text. */
function valuesIn(value: unknown): Values | null {
  const fields = fieldsOf(value);
  if (fields === null) return null;
  const fits = ([name, standard]: [string, unknown]) => {
    const found = fields[name];
    if (name === "enclosure") return found === null || ["url", "contentType", "byteSize"].every((part) => typeof fieldsOf(found)?.[part] === "string");
    if (name === "cover") return found === null || typeof fieldsOf(found)?.["id"] === "string";
    return Array.isArray(standard) ? isListOfText(found) : typeof found === typeof standard;
  };
  const fitting = Object.entries(NOTHING).filter(fits);
  return { ...NOTHING, ...Object.fromEntries(fitting.map(([name]) => [name, fields[name]])) };
}

function draftIn(value: unknown): Draft | null {
  const fields = fieldsOf(value);
  const base = valuesIn(fields?.["base"]);
  const values = valuesIn(fields?.["values"]);
  return base && values ? { base, values } : null;
}

function creationIn(value: unknown): Creation | null {
  const fields = fieldsOf(value);
  const key = fields?.["key"];
  const input = fieldsOf(fields?.["input"]);
  const values = valuesIn(fields?.["values"]);
  return typeof key === "string" && input && values ? { key, input, values } : null;
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

/** Whether this window has kept a text of it. */
export function hasText(id: string): boolean {
  return window.localStorage.getItem(nameOf(id)) !== null;
}

export function removeText(id: string): void {
  window.localStorage.removeItem(nameOf(id));
}

/** Calls `keep` when another window takes this one's text over. Returns how to stop. */
export function onTaken(id: string, keep: () => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === nameOf(id) && newValue === TAKEN) keep();
  };
  window.addEventListener("storage", hear);
  return () => window.removeEventListener("storage", hear);
}

/** The posts and pages that have unsaved text; `new post` and `new page` for those that do not exist yet. */
export function idsOfKeptTexts(): string[] {
  const readable = allNames().filter((name) => textOf(window.localStorage.getItem(name) ?? "") !== null);
  return [...new Set(readable.map(idOf))];
}

export function forgetAllTexts(): void {
  allNames().forEach((name) => window.localStorage.removeItem(name));
}
