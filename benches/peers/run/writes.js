// Changes a second. The rule: each is a mutation over HTTP that is on the disk before it is acknowledged; beside them, what the disk can do.

import { run } from "./processes.js";
import { load } from "./load.js";
import { inRounds, summary } from "./rounds.js";
import { ask, TOKEN } from "./servers.js";
import { requestsOf } from "./stores.js";

const ROUNDS = 2;
const CREATE = "mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id slug version } userErrors { message } } }";
const UPDATE = "mutation ($input: UpdatePostInput!) { updatePost(input: $input) { post { version } userErrors { message } } }";
const EXPECTED = '"userErrors":[]';
const HEADERS = { authorization: `Bearer ${TOKEN}` };
/** More than the creations of one caller in one run. */
const COUNTS_OF_A_CALLER = 1_000_000;

let series = 0;

/** A body whose `@COUNT@` the client replaces. */
function createRequest({ tag, author, category, markdown }) {
  series += 1;
  const input = { title: "Title @COUNT@", slug: `bench-${series}-@COUNT@`, markdown, authorSlugs: [author], categorySlugs: [category], tagSlugs: [tag], publishAt: new Date().toISOString() };
  return JSON.stringify({ query: CREATE, variables: { input } });
}

function updateRequest(id) {
  const body = JSON.stringify({ query: UPDATE, variables: { input: { id, expectedVersion: "VERSION", title: "Renamed @COUNT@" } } });
  return body.replace('"VERSION"', "@COUNT@");
}

async function measureCreates(context, { server }, callers, values) {
  const counts = Array.from({ length: callers }, (_, caller) => caller * COUNTS_OF_A_CALLER);
  return load(context, { server, callers, body: createRequest(values), counts, headers: HEADERS, expected: EXPECTED });
}

/** Each caller changes the title of a post of its own. */
async function measureUpdates(context, { server }, callers, values) {
  const body = createRequest(values);
  const bodies = [];
  for (let caller = 0; caller < callers; caller += 1) {
    const { data } = JSON.parse(await ask(server, body.replaceAll("@COUNT@", String(caller)), server.path, HEADERS));
    bodies.push(updateRequest(data.createPost.post.id));
  }
  return load(context, { server, callers, bodies, counts: bodies.map(() => 1), headers: HEADERS, expected: EXPECTED });
}

const WORKS = [
  { name: "createPost", measure: measureCreates },
  { name: "updatePost", measure: measureUpdates },
];

/** The rates of all subjects that write, and the rate of the bare disk. */
export async function measureWrites(subjects, context, budget) {
  const { values } = context.corpus;
  const longer = { ...context, seconds: context.writeSeconds };
  const writing = subjects.filter(({ variant }) => variant.writes);
  // Azurite keeps its rows in memory, so its rates would say nothing about a disk.
  const durable = writing.filter(({ store }) => !store.azurite);
  const figures = [];
  const syncs = [await bareSyncs(context)];
  for (const work of WORKS) {
    for (const callers of context.callers) {
      const samples = await inRounds(durable, ROUNDS, budget, (subject) => work.measure(longer, subject, callers, values));
      for (const [{ variant }, of] of samples) figures.push({ variant: variant.name, work: work.name, callers, ...summary(of, ROUNDS) });
    }
  }
  syncs.push(await bareSyncs(context));
  return { figures, syncs, storage: await storageOfCreates(writing, values) };
}

async function bareSyncs({ program, runFolder }) {
  return JSON.parse(await run([program, "--seconds", "1", "--child", "sync", runFolder])).rate;
}

/**
 * Requests of one `createPost`, also those after its answer: of the first one, which reads the terms and the lists of months, and of the next one. A server
 * that shares its store also polls the log in this time, once a second.
 */
async function storageOfCreates(writing, values) {
  const storage = {};
  for (const { variant, server, store } of writing.filter((subject) => subject.store.azurite)) {
    const body = createRequest(values);
    const costs = [];
    for (const count of ["0", "1"]) {
      const before = requestsOf(store);
      const began = performance.now();
      await ask(server, body.replaceAll("@COUNT@", count), server.path, HEADERS);
      const ms = performance.now() - began;
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      costs.push({ ms, requests: requestsOf(store) - before });
    }
    const [first, next] = costs;
    storage[variant.name] = { first, next };
  }
  return storage;
}
