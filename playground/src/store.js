// What the visitor has set, and what the last answer told. The rule: a token is kept for this tab of the browser alone, and never in an address.
import { useSyncExternalStore } from "react";

const TOKEN = "tidings:token";
const STORAGE_COST = "tidings:storage-cost";

let state = {
  token: sessionStorage.getItem(TOKEN) ?? "",
  asksStorage: localStorage.getItem(STORAGE_COST) === "true",
  /** How the last query went: `{ milliseconds, storage, asked, code }`. */
  last: null,
};
const listeners = new Set();

export function settings() {
  return state;
}

export function change(part) {
  state = { ...state, ...part };
  if (state.token) sessionStorage.setItem(TOKEN, state.token);
  else sessionStorage.removeItem(TOKEN);
  localStorage.setItem(STORAGE_COST, String(state.asksStorage));
  for (const listener of listeners) listener();
}

export function useSettings() {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, settings);
}
