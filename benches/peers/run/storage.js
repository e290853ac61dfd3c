// Storage requests on Azurite. The rule: counted in Azurite's access log; beside them, what Tidings counts itself.

import { ask, startServer } from "./servers.js";
import { stop } from "./processes.js";
import { requestsOf } from "./stores.js";

/** For the requests that a server sends after its answer, and for the log. */
const SETTLE_MS = 400;
const settled = () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

/** For each query: requests and time with a server that has just started, and when it is sent again. */
export async function storageCosts(subject, context) {
  const { variant, store, found } = subject;
  const costs = {};
  for (const [name, { body }] of Object.entries(found)) {
    await stop(subject.server, "SIGKILL");
    subject.server = await startServer(variant, store, context);
    await settled();
    costs[name] = { cold: await cost(subject, body), warm: await cost(subject, body), own: await ownCount(subject, body) };
  }
  return costs;
}

async function cost({ server, store }, body) {
  const before = requestsOf(store);
  const began = performance.now();
  await ask(server, body);
  const ms = performance.now() - began;
  await settled();
  return { ms, requests: requestsOf(store) - before };
}

/** Of Tidings: `extensions.storage` of a warm answer. */
async function ownCount({ server, variant }, body) {
  if (variant.server !== "tidings") return null;
  return JSON.parse(await ask(server, JSON.stringify({ ...JSON.parse(body), extensions: { storage: true } }))).extensions.storage;
}
