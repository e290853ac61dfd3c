// The arguments of the program. The rule: an unknown one is an error that names the known ones.

import { parseArgs } from "node:util";

import { QUERIES, QUICK_QUERIES } from "../queries.js";
import { QUICK_VARIANTS, VARIANTS } from "../variants.js";

const POSTS = { default: 10_000, min: 1_000, max: 1_000_000 };

/** How much is measured: rounds, each with a run of every variant; seconds of a run; starts of each server. */
const FULL = { rounds: 3, seconds: 1.25, warmUpSeconds: 0.4, starts: 3, repeatSecondsMax: 150, writeSeconds: 3 };
const QUICK = { rounds: 2, seconds: 1, warmUpSeconds: 0.3, starts: 1, repeatSecondsMax: 20, writeSeconds: 1.5 };
/** On Azurite an answer can take two seconds, so a shorter run would count too few. */
export const ON_AZURITE = { rounds: 2, seconds: 2.5, warmUpSeconds: 1 };
const CALLERS = [1, 32];

export function plan(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      posts: { type: "string", default: String(POSTS.default) },
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      program: { type: "string" },
      tidings: { type: "string" },
      folder: { type: "string" },
    },
  });
  const posts = Number(values.posts);
  if (!Number.isInteger(posts) || posts < POSTS.min || posts > POSTS.max) throw new Error(`--posts takes a number from ${POSTS.min} to ${POSTS.max}, not ${values.posts}`);
  const only = [...values.only, ...positionals];
  if (positionals.length && !values.only.length) throw new Error(`unknown argument ${positionals[0]}; names are after --only`);
  const known = [...VARIANTS, ...QUERIES].map(({ name }) => name).concat("writes");
  for (const name of only) if (!known.includes(name)) throw new Error(`unknown name ${name}; known are ${known.join(", ")}`);
  const chosen = (all, quick) => {
    const named = all.filter(({ name }) => only.includes(name));
    if (named.length) return named;
    return values.quick ? all.filter(({ name }) => quick.includes(name)) : all;
  };
  const isWritesOnly = only.includes("writes") && !only.some((name) => QUERIES.some((query) => query.name === name));
  return {
    ...(values.quick ? QUICK : FULL),
    posts,
    quick: values.quick,
    variants: chosen(VARIANTS, QUICK_VARIANTS),
    queries: isWritesOnly ? [] : chosen(QUERIES, QUICK_QUERIES),
    writes: only.includes("writes") || (!values.quick && !QUERIES.some(({ name }) => only.includes(name))),
    callers: CALLERS,
    program: values.program,
    tidings: values.tidings,
    folder: values.folder,
  };
}

/** What a shorter run leaves out, as sentences. */
export function leftOut({ variants, queries, writes }) {
  const without = (all, chosen) => all.filter(({ name }) => !chosen.some((one) => one.name === name)).map(({ name }) => name);
  const missing = [...without(VARIANTS, variants), ...without(QUERIES, queries), ...(writes ? [] : ["writes"])];
  return missing.length ? `Not measured in this run: ${missing.join(", ")}.` : "";
}
