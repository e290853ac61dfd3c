// The current address, and how it was reached. The rule: only this file uses window.history.
import { useSyncExternalStore } from "react";

export interface Place {
  path: string;
  search: string;
  /** The key of this entry of the history. */
  key: string;
  /** `back` means forward too. */
  by: "load" | "link" | "back";
}

interface Entry {
  key: string;
  notes: Record<string, unknown>;
}

const listeners = new Set<() => void>();
if (!isEntry(window.history.state)) writeEntry({ key: newKey(), notes: {} });
let place = read("load");
window.addEventListener("popstate", () => {
  // A plain link to a part of the page (#part) creates an entry of the history without a state.
  if (!isEntry(window.history.state)) writeEntry({ key: newKey(), notes: {} });
  moveTo(read("back"));
});

export function usePlace(): Place {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => place,
  );
}

export function goTo(address: string): void {
  keepNote("scroll", window.scrollY);
  window.history.pushState({ key: newKey(), notes: {} } satisfies Entry, "", address);
  moveTo(read("link"));
}

/** Changes the address without a new entry, so that the back button skips the old address. */
export function replaceWith(address: string): void {
  window.history.replaceState(window.history.state, "", address);
  moveTo(read(place.by));
}

/** A value that a view keeps with its entry of the history, available again after going back and after a reload. */
export function noteOf<T>(name: string): T | undefined {
  return entry().notes[name] as T | undefined;
}

export function keepNote(name: string, value: unknown): void {
  const { key, notes } = entry();
  writeEntry({ key, notes: { ...notes, [name]: value } });
}

function moveTo(next: Place): void {
  place = next;
  listeners.forEach((listener) => listener());
}

function read(by: Place["by"]): Place {
  return { path: window.location.pathname, search: window.location.search, key: entry().key, by };
}

function entry(): Entry {
  return window.history.state as Entry;
}

function writeEntry(value: Entry): void {
  window.history.replaceState(value, "");
}

/** `crypto.randomUUID` exists only on https and localhost. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");
}

function isEntry(state: unknown): state is Entry {
  return typeof state === "object" && state !== null && "key" in state && "notes" in state;
}
