// What the servers in JavaScript share. The rule: only what every server of such a site has.

import { readFileSync } from "node:fs";

export const typeDefs = readFileSync(new URL("schema.graphql", import.meta.url), "utf8");

/** A page of one more row than requested, as a connection. */
export function connection(rows, first, cursorOf) {
  const nodes = rows.slice(0, first);
  const endCursor = nodes.length ? Buffer.from(cursorOf(nodes.at(-1))).toString("base64url") : null;
  return { nodes, pageInfo: { hasNextPage: rows.length > first, endCursor } };
}

export function fromCursor(cursor) {
  return Buffer.from(cursor, "base64url").toString();
}

/** The line that the benchmark waits for. */
export function listens(port) {
  console.log(`Listening on http://127.0.0.1:${port}/graphql`);
}
