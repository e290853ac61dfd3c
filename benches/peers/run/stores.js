// The stores with the corpus. The rule: every run makes its own, from files that the same build has written, and every server gets a copy, so that
// a server that writes changes no other.

import { closeSync, cpSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";

import { run, serve, SERVER_CORE, LOAD_CORE, start, waitFor } from "./processes.js";

const AZURITE = new URL("../../../tests/tools/azurite.js", import.meta.url).pathname;

/** In a line of Azurite's access log: the status after the request. */
const ANSWERED = /" \d{3} /g;

/** What `figures --child corpus` writes. */
export async function corpus({ program, runFolder, posts }) {
  const files = join(runFolder, "corpus");
  await run([program, "--child", "corpus", files, String(posts)]);
  return { files, values: JSON.parse(readFileSync(join(files, "queries.json"), "utf8")) };
}

async function once(path, create) {
  if (!existsSync(path)) await create(path);
  return path;
}

/** Opens the store of a variant: what its server needs to know, and the processes that it needs. */
export async function openStore(variant, context) {
  const open = { none: () => ({}), file, sqlite, postgres, azurite, "peer-azurite": peerAzurite }[variant.store];
  return open(variant, context);
}

async function file({ name }, { tidings, corpus: { files }, runFolder }) {
  const fill = (path) => run([tidings, "import", "--store", `file:${path}`, join(files, "site.jsonl")], { core: SERVER_CORE });
  return { path: copied(await once(join(runFolder, "store"), fill), join(runFolder, name)) };
}

async function sqlite({ name }, { corpus: { files }, runFolder }) {
  const { loadSqlite } = await import("../sites/sqlite.js");
  const fill = (path) => loadSqlite(path, files);
  return { path: copied(await once(join(runFolder, "sqlite.db"), fill), join(runFolder, `${name}.db`)) };
}

function copied(from, to) {
  cpSync(from, to, { recursive: true });
  return to;
}

async function postgres({ name }, { corpus: { files }, runFolder }) {
  const { createCluster, loadPostgres, postgresCommand, postgresPrograms } = await import("../sites/postgres.js");
  if (!postgresPrograms()) return { missing: "PostgreSQL is not installed (Debian: apt-get install postgresql)" };
  const path = join(runFolder, name);
  try {
    createCluster(path);
  } catch (error) {
    return { missing: `no cluster of PostgreSQL can be created: ${error.message.split("\n")[0]}` };
  }
  const database = start({ command: postgresCommand(path), core: SERVER_CORE, log: `${path}.postgres.log` });
  await waitFor(database, /ready to accept connections/);
  await loadPostgres(path, files);
  return { path, database };
}

/** An Azurite with the rows that `tidings import` writes. */
async function azurite(variant, context) {
  return shared("azurite", context, async (endpoint, { tidings, corpus: { files } }) => {
    const env = { AZURE_STORAGE_CONNECTION_STRING: await connectionString(endpoint) };
    await run([tidings, "import", "--store", "azure", join(files, "site.jsonl")], { core: SERVER_CORE, env });
  });
}

async function peerAzurite(variant, context) {
  return shared("peer-azurite", context, async (endpoint, { corpus: { files } }) => {
    const { loadTables } = await import("../sites/tables.js");
    await loadTables(endpoint, files);
  });
}

/** One Azurite for all variants of a store; a server is alone with it while it is measured. */
async function shared(name, context, fill) {
  context.azurites ??= new Map();
  if (!context.azurites.has(name)) context.azurites.set(name, startAzurite(name, context, fill));
  return context.azurites.get(name);
}

async function startAzurite(name, context, fill) {
  const azurite = await serve({ command: [process.execPath, AZURITE], core: LOAD_CORE, log: join(context.runFolder, `${name}.log`) });
  const endpoint = `http://${azurite.address}/devstoreaccount1`;
  await fill(endpoint, context);
  return { endpoint, connection: await connectionString(endpoint), azurite };
}

async function connectionString(endpoint) {
  return (await import("../sites/tables.js")).connectionString(endpoint);
}

/** The requests that an Azurite has answered, by its access log: read from where the last call has stopped, because it grows long. */
export function requestsOf({ azurite }) {
  azurite.counted ??= { offset: 0, requests: 0 };
  const { counted } = azurite;
  const file = openSync(azurite.log, "r");
  const bytes = Buffer.alloc(fstatSync(file).size - counted.offset);
  readSync(file, bytes, 0, bytes.length, counted.offset);
  closeSync(file);
  const lines = bytes.subarray(0, bytes.lastIndexOf("\n") + 1);
  counted.offset += lines.length;
  counted.requests += lines.toString().match(ANSWERED)?.length ?? 0;
  return counted.requests;
}
