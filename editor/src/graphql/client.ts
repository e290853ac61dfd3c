// The client of a session. Its cache knows by the types in an answer which queries a mutation makes outdated.
import { Client, type Exchange, cacheExchange, fetchExchange, makeOperation, mapExchange } from "urql";

/** The server reads the cookie of the session only if a request has this header. */
export const HEADERS = { "X-Tidings-Editor": "1" };

/** Keeps no answers: for texts that are rendered while they are typed, and for all texts. */
export const uncached = new Client({ url: "/graphql", exchanges: [fetchExchange], preferGetMethod: false, fetchOptions: { headers: HEADERS } });

/** `token`: of a preview link, instead of the session. */
export function makeClient(token?: string): Client {
  return new Client({
    url: "/graphql",
    exchanges: [cacheExchange, askedAgain, fetchExchange],
    preferGetMethod: false,
    fetchOptions: () => ({ headers: token === undefined ? HEADERS : { Authorization: `Bearer ${token}` } }),
  });
}

/** Sends a query again if a mutation ended while it was under way: its answer may be older. The cache does this only for queries whose answers it has. */
const askedAgain: Exchange = (input) => {
  // By the keys of the queries that are under way.
  const isOutdated = new Map<number, boolean>();
  return mapExchange({
    onOperation({ kind, key }) {
      if (kind === "query") isOutdated.set(key, false);
      if (kind === "teardown") isOutdated.delete(key);
    },
    onResult({ operation }) {
      if (operation.kind === "mutation") for (const key of isOutdated.keys()) isOutdated.set(key, true);
      const again = isOutdated.get(operation.key);
      isOutdated.delete(operation.key);
      if (again) input.client.reexecuteOperation(makeOperation("query", operation, { ...operation.context, requestPolicy: "network-only" }));
    },
  })(input);
};
