// What the visitor has set, and how each tab's last query went. The rule: a token is kept for this tab of the browser alone, and never in an address.
import { useSyncExternalStore } from "react";

const TOKEN = "tidings:token";
const STORAGE_COST = "tidings:storage-cost";

let state = {
  token: sessionStorage.getItem(TOKEN) ?? "",
  asksStorage: localStorage.getItem(STORAGE_COST) === "true",
  /** Counts the tokens, so that an answer can tell whether it was asked with the one that is given now, and a token can be forgotten. */
  tokenNumber: 0,
  /** GraphiQL's id of the tab that is shown: an answer that arrives is written there. */
  tab: undefined,
  /** How the last query of each tab went, by the tab's id: see `fetcher`. */
  outcomes: {},
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

export function changeToken(token) {
  change({ token, tokenNumber: state.tokenNumber + 1 });
}

export function useSettings() {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, settings);
}
