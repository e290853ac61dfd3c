// The client of the server. Its cache knows by the types in an answer which queries a mutation makes outdated.
import { Client, cacheExchange, fetchExchange } from "urql";
import { onServer } from "./server";

/** `token`, of a preview link, is sent with every request; null means anonymous requests. */
export function makeClient(token: string | null): Client {
  return new Client({
    // Another origin needs `serve --cors-origin` at the server.
    url: onServer("/graphql"),
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: () => (token === null ? {} : { headers: { Authorization: `Bearer ${token}` } }),
  });
}
