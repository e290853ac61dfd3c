// Storage requests on Azurite. The rule: counted in Azurite's access log; beside them, what Tidings counts itself.

import { ask, startServer } from "./servers.js";
import { stop } from "./processes.js";
import { requestsOf } from "./stores.js";

/** For the requests that a server sends after its answer, and for the log. */
const PAUSE_MS = 400;
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** For each query: requests and time with a server that has just started, and when it is sent again. */
export async function storageCosts(subject, context) {
  const { variant, store, found } = subject;
  const costs = {};
  for (const [name, { body }] of Object.entries(found)) {
    await stop(subject.server, "SIGKILL");
    subject.server = await startServer(variant, store, context);
    await pause();
    costs[name] = { cold: await cost(subject, withOwnCount(variant, body)), warm: await cost(subject, body) };
  }
  return costs;
}

async function cost({ server, store }, body) {
  const before = requestsOf(store);
  const began = performance.now();
  const text = await ask(server, body);
  const ms = performance.now() - began;
  await pause();
  const own = JSON.parse(text).extensions?.storage;
  return { ms, requests: requestsOf(store) - before, own: own && { reads: own.pointReads + own.rangeReads, roundTrips: own.roundTrips } };
}

/** Tidings counts its reads itself, if the request asks for it. */
function withOwnCount(variant, body) {
  return variant.server === "tidings" ? JSON.stringify({ ...JSON.parse(body), extensions: { storage: true } }) : body;
}
