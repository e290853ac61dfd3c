// Reads the corpus that `figures --child corpus` writes: `terms.json`, and `posts.jsonl` with a post on each line. The rule: every store is filled
// from these files, so all have the same content.

import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const KINDS = ["authors", "categories", "tags"];

export function corpusTerms(corpus) {
  return JSON.parse(readFileSync(join(corpus, "terms.json"), "utf8"));
}

/** Oldest first. */
export async function* corpusPosts(corpus) {
  const lines = createInterface({ input: createReadStream(join(corpus, "posts.jsonl")), crlfDelay: Infinity });
  for await (const line of lines) yield JSON.parse(line);
}

/** Slices of at most `size`. */
export async function* batches(items, size) {
  let batch = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length) yield batch;
}
