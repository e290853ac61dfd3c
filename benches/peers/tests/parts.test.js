// The parts of the benchmark that need no server and no package. The rule: `node --test` runs them, on any version that the checks accept.

import assert from "node:assert/strict";
import test from "node:test";

import { normalised, QUERIES, requestOf } from "../queries.js";
import { plan } from "../run/arguments.js";
import { withFigures } from "../run/publish.js";
import { rates, sizes } from "../run/plots.js";
import { report } from "../run/report.js";
import { inRounds, summary } from "../run/rounds.js";
import { VARIANTS } from "../variants.js";

const sample = (rate, isDisturbed = false) => ({ rate, isDisturbed, otherCpu: isDisturbed ? 0.5 : 0, p50Ms: 1, p99Ms: 2, cpuUs: 3 });

test("answers of both dialects are compared in one form", () => {
  const post = { title: "A", publishedAt: "2014-06-01T00:00:00.000Z", tags: [{ slug: "t", name: "T" }], body: { markdown: "text" } };
  const row = { publishedAt: "2014-06-01T02:00:00+02:00", title: "A", markdown: "text", tags: { nodes: [{ term: { name: "T", slug: "t" } }] } };
  assert.deepEqual(normalised({ post }), normalised({ post: row }));
  const page = { nodes: [post], pageInfo: { hasNextPage: true, endCursor: "x" } };
  assert.deepEqual(normalised(page), normalised({ nodes: [row], pageInfo: { hasNextPage: true, endCursor: "y" } }));
  assert.notDeepEqual(normalised(page), normalised({ nodes: [row], pageInfo: { hasNextPage: false, endCursor: "x" } }));
  assert.notDeepEqual(normalised({ post }), normalised({ post: { ...row, tags: { nodes: [] } } }));
});

test("a figure is the median of undisturbed runs, and is marked if there are too few or they differ", () => {
  const of = (samples, rounds = 3) => summary(samples, rounds);
  assert.equal(of([sample(99), sample(101), sample(100)]).rate, 100);
  assert.equal(of([sample(99), sample(101), sample(100)]).isDisturbed, false);
  assert.equal(of([sample(50), sample(100), sample(101)]).isDisturbed, true, "they differ");
  assert.equal(of([sample(10, true), sample(100), sample(101)]).isDisturbed, true, "two of three");
  const repeated = of([sample(10, true), sample(60), sample(100), sample(101), sample(102)]);
  assert.deepEqual([repeated.rate, repeated.isDisturbed], [101, false], "the repeat replaces the disturbed run and the outlier");
  assert.equal(of([sample(0), sample(0), sample(0)]).isDisturbed, true, "no answers");
});

test("a round has a run of every subject, and only disturbed subjects are repeated", async () => {
  const runs = [];
  const measure = async (subject) => {
    runs.push(subject);
    return sample(100, subject === "b" && runs.length < 5);
  };
  const samples = await inRounds(["a", "b"], 2, { seconds: 60 }, measure);
  assert.deepEqual(runs.slice(0, 4), ["a", "b", "b", "a"]);
  assert.equal(samples.get("a").length, 2);
  assert.deepEqual(runs.slice(4), ["b", "b"]);
  runs.length = 0;
  await inRounds(["b"], 1, { seconds: 0 }, measure);
  assert.deepEqual(runs, ["b"], "without a budget nothing is repeated");
});

test("arguments choose variants, queries and writes; a wrong one is refused with the known ones", () => {
  const names = ({ variants, queries, writes }) => [variants.length, queries.length, writes];
  assert.deepEqual(names(plan([])), [VARIANTS.length, QUERIES.length, true]);
  assert.deepEqual(names(plan(["--only", "yoga", "maps", "q1"])), [2, 1, false]);
  assert.deepEqual(names(plan(["--only", "writes"])), [VARIANTS.length, 0, true]);
  assert.equal(plan(["--quick"]).writes, false);
  assert.throws(() => plan(["--only", "yogi"]), /unknown name yogi; known are .*yoga/);
  for (const posts of ["0", "999", "1000001", "1e3x"]) assert.throws(() => plan(["--posts", posts]), /from 1000 to 1000000/);
});

test("every query has a document in the dialect of every variant", () => {
  for (const { dialect } of VARIANTS) for (const query of QUERIES) assert.match(JSON.parse(requestOf(dialect, query, {})).query, /^(query|\{)/);
});

test("a report has a row for each variant, marks disturbed figures, and replaces the figures of the page", () => {
  const cells = ["tidings-file", "maps"].flatMap((variant) => [1, 32].map((callers) => ({ variant, query: "q1", callers, ...summary([sample(variant === "maps" ? 200 : 100, callers === 1)], 1) })));
  const text = report({ at: "2026-01-01", machine: "M", versions: "V", posts: 1000, rounds: 1, seconds: 1, minutes: 1, leftOut: "", missing: ["X: not run."], cells, servers: [], storage: {}, writes: null });
  assert.match(text, /\| Tidings, file +\| ~100 \|/);
  assert.match(text, /\| Tidings, file ÷ async-graphql over plain maps +\| +0\.50 \|/);
  assert.match(text, /X: not run\.[^]*DISTURBED: 2 of 4 figures/);
  assert.equal(withFigures("a\n\n## Figures\n\nold\n\n## Next\n\nb\n", "new\n"), "a\n\n## Figures\n\nnew\n\n## Next\n\nb\n");
});

test("plots have a bar for each variant and query, and a line for each query, also of equal values and of none", () => {
  const cells = ["tidings-file", "maps"].flatMap((variant) => ["q1", "q2"].flatMap((query) => [1, 32].map((callers) => ({ variant, query, callers, rate: variant === "maps" ? 0 : 1, p50Ms: 1 }))));
  const bars = rates({ cells, posts: 10_000 });
  assert.equal(bars.match(/<rect [^>]*fill="#1f6feb"/g).length, 2 + 1, "two bars and the legend");
  const lines = sizes([{ posts: 1_000, cells }, { posts: 10_000, cells }]);
  assert.equal(lines.match(/<polyline/g).length, 2);
  for (const plot of [bars, lines]) assert.doesNotMatch(plot, /NaN|Infinity|undefined/);
});

test("each variant and each query has a colour of its own", () => {
  const cells = VARIANTS.flatMap(({ name }) => QUERIES.map((query) => ({ variant: name, query: query.name, callers: 32, rate: 10 })));
  const bars = rates({ cells, posts: 10_000 });
  const timed = QUERIES.map(({ name }) => ({ variant: "tidings-file", query: name, callers: 1, p50Ms: 1 }));
  const lines = sizes([{ posts: 1_000, cells: timed }, { posts: 10_000, cells: timed }]);
  const colours = (plot, attribute) => new Set([...plot.matchAll(new RegExp(`${attribute}="([^"]*)"/>`, "g"))].map(([, colour]) => colour).filter((colour) => colour !== "white"));
  assert.equal(colours(bars, "fill").size, VARIANTS.length);
  assert.equal(new Set([...lines.matchAll(/<polyline[^>]*stroke="([^"]*)"/g)].map(([, colour]) => colour)).size, QUERIES.length);
  for (const plot of [bars, lines]) assert.doesNotMatch(plot, /undefined/);
});
