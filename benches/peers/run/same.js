// All servers give the same answers. The rule: compared before anything is measured; the first difference fails the run.

import assert from "node:assert/strict";

import { normalised, requestOf, skipRequest } from "../queries.js";
import { ask } from "./servers.js";

/** Q4 reads after so many posts, or after half of them if there are fewer than twice as many. */
const SKIPPED = 5_000;
const SKIPPED_AT_ONCE = 100;

/** The cursors of a server after each 100 posts, up to the posts that Q4 skips, which it gives page by page as to a reader. */
export async function cursorsOfSkipped(server, { dialect }, posts) {
  const cursors = [];
  for (let skipped = 0; skipped < Math.min(SKIPPED, posts / 2); skipped += SKIPPED_AT_ONCE) {
    const { data } = JSON.parse(await ask(server, skipRequest(dialect, cursors.at(-1))));
    cursors.push(Object.values(data)[0].pageInfo.endCursor);
  }
  return cursors;
}

/** Asks a server every query; returns the bodies of the requests and the texts of the answers by query. */
export async function answers(server, variant, queries, values) {
  const found = {};
  for (const query of queries) {
    const body = requestOf(variant.dialect, query, values);
    found[query.name] = { body, text: await ask(server, body) };
  }
  return found;
}

/** @throws if an answer is empty, or is not that of the reference */
export function assertSame(variant, found, reference) {
  for (const [name, { text }] of Object.entries(found)) {
    const answer = normalised(JSON.parse(text).data);
    const expected = normalised(JSON.parse(reference.found[name].text).data);
    assert.ok(text.length > 200, `${variant.title} answers ${name} with ${text}`);
    assert.deepEqual(answer, expected, `${variant.title} answers ${name} in another way than ${reference.variant.title}`);
  }
}
