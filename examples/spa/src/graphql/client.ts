// The client of a session. Its cache knows by the types in an answer which queries a mutation makes outdated.
import { Client, cacheExchange, fetchExchange } from "urql";

/** Another origin needs `serve --cors-origin` at the server. */
const URL = `${import.meta.env.VITE_TIDINGS_URL ?? ""}/graphql`;

/** `token` is sent with every request; null means anonymous requests. */
export function makeClient(token: string | null): Client {
  return new Client({
    url: URL,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod: false,
    fetchOptions: () => (token === null ? {} : { headers: { Authorization: `Bearer ${token}` } }),
  });
}
