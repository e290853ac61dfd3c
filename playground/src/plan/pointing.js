// What the visitor points at: a request, a group of requests, or a field. The rule: the panel and the query editor show the same thing as lit, and what is
// pointed at goes before what was chosen.
import { useSyncExternalStore } from "react";

const NOTHING = { requests: new Set(), paths: [], subject: null };

let state = { over: null, chosen: null };
const listeners = new Set();

function set(part) {
  state = { ...state, ...part };
  for (const listener of listeners) listener();
}

export const point = (over) => state.over !== over && set({ over });
export const choose = (chosen) => set({ chosen: chosen && isSame(chosen, state.chosen) ? null : chosen, over: null });
/** For a new plan. */
export const reset = () => set({ over: null, chosen: null });

const isSame = (one, other) => one?.subject === other?.subject && String(one?.paths) === String(other?.paths);

export const ofGroup = (group) => ({ requests: new Set(group.members.map(({ id }) => id)), paths: [], subject: group });

/** A field. One of a fragment has a path for each place where the fragment is used. */
export const ofField = (paths) => ({ requests: new Set(), paths, subject: null });

const subscribe = (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePointing = () => useSyncExternalStore(subscribe, () => state.over ?? state.chosen ?? NOTHING);
export const useChosen = () => useSyncExternalStore(subscribe, () => state.chosen);
