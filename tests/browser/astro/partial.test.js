// Partial builds. After each of many random changes, the entries that the loader has kept are those of a first build, byte for byte. In a long run,
// so are now and then the files that Astro builds from them. It prints how many entries were requested again, and how many of them were the same.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { change, NAMES, Random } from "./changes.js";

const { TIDINGS_URL: SERVER, TIDINGS_TOKEN: TOKEN, TIDINGS_FILES: FOLDER, TIDINGS_SEED: SEED, TIDINGS_CHANGES: CHANGES, TIDINGS_BUILDS: BUILDS } = process.env;
const EXAMPLE = join(import.meta.dirname, "../../../examples/astro");
/** What Astro keeps between builds. */
const STORE = join(EXAMPLE, "node_modules/.astro/data-store.json");

/** The queries of entries that were sent, such as `Post first-light`. */
const requested = [];
const send = globalThis.fetch;
globalThis.fetch = (address, options) => {
  const { query = "", variables } = JSON.parse(options?.body ?? "{}");
  const [, name] = /\bquery (Post|Tag|Category|Author|Page)\(/.exec(query) ?? [];
  if (name) requested.push(`${name} ${variables.id}`);
  return send(address, options);
};

async function ask(query, variables = {}, token = TOKEN) {
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const response = await send(`${SERVER}/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined, `${query} ${JSON.stringify(variables)} ${JSON.stringify(errors)}`);
  return data;
}

/** What a loader gets from Astro, in memory. */
function context() {
  const [entries, meta] = [new Map(), new Map()];
  const store = { get: (id) => entries.get(id), set: (entry) => entries.set(entry.id, entry), clear: () => entries.clear() };
  return { entries, store, meta, logger: { info() {}, warn: assert.fail } };
}

/** The entries as texts, by their queries. */
function texts(contexts) {
  return new Map(
    Object.values(contexts).flatMap(({ entries }) =>
      [...entries.values()].map(({ id, data: { place, ...data } }) => {
        const [field] = Object.keys(data);
        return [`${field[0].toUpperCase()}${field.slice(1)} ${id}`, JSON.stringify(data)];
      }),
    ),
  );
}

async function load(loaders, contexts) {
  for (const [name, loader] of Object.entries(loaders)) await loader.load(contexts[name]);
  return texts(contexts);
}

const contextsOf = (loaders) => Object.fromEntries(Object.keys(loaders).map((name) => [name, context()]));
const order = (contexts) => Object.values(contexts).map(({ entries }) => [...entries.keys()]);

/** Returns how many entries were requested. */
async function build(...more) {
  // Not synchronously, because the connections that the server closes meanwhile must be noticed.
  const { stdout } = await promisify(execFile)("npm", ["run", "build", "--", "--outDir", FOLDER, ...more], { cwd: EXAMPLE, env: { ...process.env, NO_COLOR: "1" } });
  const counts = [...stdout.matchAll(/(\d+) of (\d+) entries were requested/g)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

function files() {
  const found = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(found.map((entry) => join(entry.parentPath, entry.name)).toSorted().map((path) => [path, readFileSync(path)]));
}

/** Builds the site from what is kept, and from nothing; returns whether the first build has requested fewer entries. */
async function compareBuilds(changes) {
  const [some, partial] = [await build(), files()];
  copyFileSync(STORE, `${FOLDER}.json`);
  const [all, whole] = [await build("--force"), files()];
  copyFileSync(`${FOLDER}.json`, STORE);
  assert.deepEqual([...partial.keys()], [...whole.keys()]);
  const different = [...whole].filter(([path, bytes]) => !bytes.equals(partial.get(path))).map(([path]) => path);
  assert.deepEqual(different, []);
  console.log(`After ${changes} changes: ${whole.size} files are the same; ${some} of ${all} entries were requested again.`);
  return some < all;
}

test("a partial build is a whole build after each random change", async () => {
  const vite = await import(pathToFileURL(join(EXAMPLE, "node_modules/vite/dist/node/index.js")).href);
  const server = await vite.createServer({ root: EXAMPLE, configFile: false, logLevel: "error", server: { middlewareMode: true, ws: false }, optimizeDeps: { noDiscovery: true } });
  try {
    const { tidings } = await server.ssrLoadModule("/src/tidings/loader.ts");
    const { SOURCES } = await server.ssrLoadModule("/src/tidings/sources.ts");
    await run(Object.fromEntries(Object.entries(SOURCES).map(([name, source]) => [name, tidings(source, 0)])));
  } finally {
    await server.close();
  }
});

async function run(loaders) {
  const random = new Random(SEED);
  const [count, builds] = [Number(CHANGES), Number(BUILDS)];
  const made = new Map(NAMES.map((name) => [name, 0]));
  const contexts = contextsOf(loaders);
  let before = await load(loaders, contexts);
  if (builds > 0) await build("--force");
  let [kept, again, needless, partial] = [0, 0, 0, 0];
  for (let changes = 1; changes <= count; ) {
    const name = await change(random, ask);
    if (!name) continue;
    made.set(name, made.get(name) + 1);
    requested.length = 0;
    const now = await load(loaders, contexts);
    const old = requested.filter((entry) => before.has(entry));
    const whole = contextsOf(loaders);
    assert.deepEqual(now, await load(loaders, whole), `after the change ${changes}: ${name}`);
    assert.deepEqual(order(contexts), order(whole), `after the change ${changes}: ${name}`);
    [kept, again, needless] = [kept + before.size, again + old.length, needless + old.filter((entry) => before.get(entry) === now.get(entry)).length];
    before = now;
    // In a long run, the build that is compared is one of two changes.
    const since = changes % Math.floor(count / builds);
    if (since === 0) partial += Number(await compareBuilds(changes));
    else if (builds > 1 && since === Math.floor(count / builds) - 2) await build();
    changes += 1;
  }
  console.log(`Of ${kept} entries, ${again} were requested again after ${count} changes, ${needless} of them needlessly; seed ${SEED}.`);
  console.log([...made].map(([name, times]) => `${name}: ${times}`).join(", "));
  assert.ok(again > 0 && again < kept / 2, "few entries are requested again");
  assert.ok(count < 1000 || [...made.values()].every((times) => times > 0), "every kind of change is made");
  assert.ok(builds === 0 || partial > 0, "a build after some changes requests only some entries");
}
