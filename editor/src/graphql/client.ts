// The client of a session. Its cache knows by the types in an answer which queries a mutation makes outdated.
import { Client, cacheExchange, fetchExchange } from "urql";

/** The server reads the cookie of the session only if a request has this header. */
export const HEADERS = { "X-Tidings-Editor": "1" };

/** Keeps no answers: for texts that are rendered while they are typed, and for all texts. */
export const uncached = new Client({ url: "/graphql", exchanges: [fetchExchange], preferGetMethod: false, fetchOptions: { headers: HEADERS } });

/** `token`: of a preview link, instead of the session. */
export function makeClient(token?: string): Client {
  return new Client({
    url: "/graphql",
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: () => ({ headers: token === undefined ? HEADERS : { Authorization: `Bearer ${token}` } }),
  });
}
