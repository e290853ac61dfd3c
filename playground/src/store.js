// The visitor's settings, and the outcome of each tab's last query. The rule: a token is kept only in this tab of the browser, and never in an address.
import { useSyncExternalStore } from "react";

const TOKEN = "tidings:token";
const STORAGE_COST = "tidings:storage-cost";

let state = {
  token: sessionStorage.getItem(TOKEN) ?? "",
  asksStorage: localStorage.getItem(STORAGE_COST) === "true",
  /** Counts the changes of the token, so that an answer shows whether its request had the current one, also after the token was removed. */
  tokenNumber: 0,
  /** GraphiQL's id of the current tab: an answer that arrives belongs to it. */
  tab: undefined,
  /** The outcome of each tab's last query, by the tab's id: see `fetcher`. */
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
