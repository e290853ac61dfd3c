// What the visitor points at: a request, a group of requests, or a field. The rule: the panel and the query editor show the same thing as lit, and what is
// pointed at goes before what was chosen.
import { useSyncExternalStore } from "react";
import { serves } from "./layout.js";

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

const isSame = (one, other) => one?.subject === other?.subject && String(one?.fields) === String(other?.fields);

export const ofGroup = (group) => ({ requests: new Set(group.members.map(({ id }) => id)), paths: group.paths, subject: group });

export const ofHit = (hit) => ({ requests: new Set(), paths: hit.paths, subject: hit });

/** A field, with its requests and those of the fields below it. A field of a fragment has a path for each place where the fragment is used. */
export function ofField(paths, requests) {
  const served = requests.filter((request) => paths.some((path) => serves(request, path)));
  return { requests: new Set(served.map(({ id }) => id)), paths, subject: null, fields: paths };
}

const subscribe = (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePointing = () => useSyncExternalStore(subscribe, () => state.over ?? state.chosen ?? NOTHING);
export const useChosen = () => useSyncExternalStore(subscribe, () => state.chosen);
