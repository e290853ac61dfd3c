// Measures Tidings beside its peers: fills the stores, compares the answers, measures in rounds, prints the tables. `scripts/bench` starts it.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { QUERIES, requestOf } from "../queries.js";
import { leftOut, ON_AZURITE, plan } from "./arguments.js";
import { load } from "./load.js";
import { machine, memoryMiB, versions } from "./machine.js";
import { draw } from "./plots.js";
import { stopAll } from "./processes.js";
import { report } from "./report.js";
import { inRounds, summary } from "./rounds.js";
import { answers, assertSame, cursorsOfSkipped } from "./same.js";
import { startAndAsk } from "./servers.js";
import { storageCosts } from "./storage.js";
import { corpus, openStore } from "./stores.js";
import { measureWrites } from "./writes.js";

const say = (text) => process.stderr.write(`${text}\n`);

/** A subject: a variant with its store, its running server, its requests and its answers. */
async function prepare(variant, context, reference) {
  say(`${variant.title}: preparing`);
  const store = await openStore(variant, context);
  if (store.missing) return { variant, missing: store.missing };
  if (variant.server === "bytes") return prepareBytes(variant, store, context, reference);
  const { values } = context.corpus;
  const { server, startMs } = await startAndAsk(variant, store, context, requestOf(variant.dialect, context.checked[0], values));
  const after = (await cursorsOfSkipped(server, variant, context.posts)).at(-1);
  const found = await answers(server, variant, context.checked, { ...values, after });
  if (reference) assertSame(variant, found, reference);
  return { variant, store, server, startMs, found };
}

/** Its answers are those of the reference, one at each path. */
async function prepareBytes(variant, store, context, reference) {
  if (!reference) return { variant, missing: "it repeats the answers of another server, and none is measured in this run" };
  const { found } = reference;
  const pathOf = ({ name }) => `/${name}`;
  const texts = context.checked.map((query) => [pathOf(query), found[query.name].text]);
  context.answers = join(context.runFolder, "answers.json");
  writeFileSync(context.answers, JSON.stringify(Object.fromEntries(texts)));
  const { server, startMs } = await startAndAsk(variant, store, context, "{}", pathOf(context.checked[0]));
  return { variant, store, server, startMs, found, pathOf };
}

async function measureReads(subjects, context, budget) {
  const [onAzurite, others] = [true, false].map((is) => subjects.filter(({ store }) => Boolean(store.azurite) === is));
  const groups = [{ subjects: others, context }, { subjects: onAzurite, context: { ...context, ...ON_AZURITE } }];
  const cells = [];
  for (const callers of context.callers) {
    for (const query of context.queries) {
      for (const group of groups) {
        if (group.subjects === onAzurite && query.isOfFiles) continue;
        const measured = await measureCells(group, query, callers, budget);
        cells.push(...measured);
        say(`${query.title}, ${callers} callers: ${measured.map((cell) => `${cell.variant} ${cell.rate.toFixed(0)}${cell.isDisturbed ? "~" : ""}`).join(", ")}`);
      }
    }
  }
  return cells;
}

async function measureCells({ subjects, context }, query, callers, budget) {
  const samples = await inRounds(subjects, context.rounds, budget, ({ server, found, pathOf }) =>
    load(context, { server, path: pathOf?.(query), callers, body: found[query.name].body }));
  return [...samples].map(([{ variant }, of]) => ({ variant: variant.name, query: query.name, callers, ...summary(of, context.rounds) }));
}

async function measure(context) {
  const subjects = [];
  for (const variant of context.variants) {
    subjects.push(await prepare(variant, context, subjects.find(({ found }) => found)));
  }
  say("All answers are the same.");
  const running = subjects.filter(({ missing }) => !missing);
  const budget = { seconds: context.repeatSecondsMax };
  const cells = await measureReads(running, context, budget);
  const servers = running.map(({ variant, server, startMs }) => ({ variant: variant.name, startMs, memoryMiB: memoryMiB(server.watched) }));
  const storage = {};
  for (const subject of running.filter(({ store }) => store.azurite)) {
    if (context.queries.length) storage[subject.variant.name] = await storageCosts(subject, context);
  }
  const writes = context.writes ? await measureWrites(running, context, budget) : null;
  const missing = subjects.filter((subject) => subject.missing).map(({ variant, missing }) => `${variant.title}: not run, because ${missing}.`);
  return { cells, servers, storage, writes, missing };
}

/** A shorter run does not replace the result of a longer one, which is what is published. */
function fileOf(result, { folder, quick, posts }) {
  const whole = `${posts}.json`;
  const figuresBefore = existsSync(join(folder, whole)) ? JSON.parse(readFileSync(join(folder, whole), "utf8")).cells.length : 1;
  return quick || result.cells.length < figuresBefore ? `part-${whole}` : whole;
}

async function main() {
  const context = plan(process.argv.slice(2));
  const began = performance.now();
  context.runFolder = join(context.folder, "run");
  rmSync(context.runFolder, { recursive: true, force: true });
  mkdirSync(context.runFolder, { recursive: true });
  // Also without queries, so that a run of writes compares the servers.
  context.checked = context.queries.length ? context.queries : QUERIES;
  context.corpus = await corpus(context);
  const measured = await measure(context);
  const result = { at: new Date().toISOString(), machine: machine(), versions: versions(), posts: context.posts, rounds: context.rounds, seconds: context.seconds,
    minutes: (performance.now() - began) / 60_000, leftOut: leftOut(context), ...measured };
  writeFileSync(join(context.folder, fileOf(result, context)), JSON.stringify(result, null, 1));
  process.stdout.write(report(result));
  draw(context.folder);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, async () => {
    await stopAll();
    process.exit(1);
  });
}

try {
  await main();
} catch (error) {
  say(error.stack);
  process.exitCode = 1;
} finally {
  await stopAll();
}
