// The visitor's settings, and the outcome and the plan of each tab's last query. The rule: a token is kept only in this tab of the browser, and never
// in an address.
import { useSyncExternalStore } from "react";

const TOKEN = "tidings:token";
const PLAN = "tidings:plan";

let state = {
  token: sessionStorage.getItem(TOKEN) ?? "",
  /** Whether the panel of the plan is open: then each query asks for its plan. */
  asksPlan: false,
  /** Counts the changes of the token, so that an answer shows whether its request had the current one, also after the token was removed. */
  tokenNumber: 0,
  /** GraphiQL's id of the current tab: an answer that arrives belongs to it. */
  tab: undefined,
  /** The outcome of each tab's last query, by the tab's id: see `fetcher`. */
  outcomes: {},
  /** The plan of each tab's last query, by the tab's id: see `plan/ask.js`. */
  plans: {},
};
const listeners = new Set();

export function settings() {
  return state;
}

export function change(part) {
  state = { ...state, ...part };
  if (state.token) sessionStorage.setItem(TOKEN, state.token);
  else sessionStorage.removeItem(TOKEN);
  for (const listener of listeners) listener();
}

/** The tabs that are open, and the current one: what belongs to others is dropped. */
export function keepTabs(ids, tab) {
  const ofOpen = (byTab) => Object.fromEntries(Object.entries(byTab).filter(([id]) => ids.includes(id)));
  change({ tab, outcomes: ofOpen(state.outcomes), plans: ofOpen(state.plans) });
}

/** The panel of the plan was opened or closed by the visitor, who finds it so at the next visit. */
export function openPlan(isOpen) {
  localStorage.setItem(PLAN, isOpen ? "open" : "closed");
  change({ asksPlan: isOpen });
}

/** Whether the visitor left the panel open; undefined at the first visit. */
export function leftPlanOpen() {
  const left = localStorage.getItem(PLAN);
  return left === null ? undefined : left === "open";
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
