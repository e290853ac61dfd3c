// The site in Azure Table Storage, as an ordinary server arranges it: posts by slug, an index for each list with the newest first, and terms by
// kind. The rule: every page is a range of one partition.

import { TableClient } from "@azure/data-tables";

import { batches, corpusPosts, corpusTerms } from "./corpus.js";

/** The most operations of a transaction. */
const TRANSACTION_MAX = 100;
/** A property has at most 64 KiB, in UTF-16. */
const PROPERTY_CHARACTERS = 30_000;
const LAST_MILLISECOND = 9_999_999_999_999;
const LOADS_AT_ONCE = 8;

export function tables(endpoint) {
  const table = (name) => TableClient.fromConnectionString(connectionString(endpoint), name, { allowInsecureConnection: true });
  return { posts: table("peerPosts"), lists: table("peerLists"), terms: table("peerTerms") };
}

/** The account of every Azurite. */
export function connectionString(endpoint) {
  const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
  return `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=${key};TableEndpoint=${endpoint};`;
}

/** Sorts the newest first. */
function rowKey(post) {
  return `${String(LAST_MILLISECOND - Date.parse(post.publishedAt)).padStart(13, "0")}-${post.slug}`;
}

export function texts(property, text) {
  const parts = {};
  for (let at = 0, part = 0; at < text.length; at += PROPERTY_CHARACTERS, part += 1) {
    parts[`${property}${part}`] = text.slice(at, at + PROPERTY_CHARACTERS);
  }
  return parts;
}

export function textOf(entity, property) {
  let text = "";
  for (let part = 0; entity[`${property}${part}`] !== undefined; part += 1) text += entity[`${property}${part}`];
  return text;
}

function summary(post) {
  const { slug, title, excerpt, publishedAt } = post;
  const terms = (slugs) => slugs.join(" ");
  return { slug, title, excerpt, publishedAt, authors: terms(post.authors), categories: terms(post.categories), tags: terms(post.tags) };
}

export async function loadTables(endpoint, corpus) {
  const { posts, lists, terms } = tables(endpoint);
  await Promise.all([posts, lists, terms].map((table) => table.createTable()));
  const upsertTerm = ({ kind, slug, name }) => terms.createEntity({ partitionKey: kind, rowKey: slug, name });
  for await (const batch of batches(corpusTerms(corpus), LOADS_AT_ONCE)) await Promise.all(batch.map(upsertTerm));
  const waiting = new Map();
  const add = async (partitionKey, entity) => {
    const rows = waiting.get(partitionKey) ?? [];
    waiting.set(partitionKey, rows);
    rows.push(["create", { partitionKey, ...entity }]);
    if (rows.length === TRANSACTION_MAX) await lists.submitTransaction(rows.splice(0));
  };
  for await (const batch of batches(corpusPosts(corpus), LOADS_AT_ONCE)) {
    await Promise.all(batch.map((post) =>
      posts.createEntity({ partitionKey: post.slug, rowKey: "post", ...summary(post), ...texts("markdown", post.markdown), ...texts("html", post.html) })));
    for (const post of batch) {
      await add("posts", { rowKey: rowKey(post), ...summary(post) });
      for (const slug of post.tags) await add(`tag-${slug}`, { rowKey: rowKey(post), slug: post.slug });
      for (const slug of post.authors) await add(`author-${slug}`, { rowKey: rowKey(post), slug: post.slug });
    }
  }
  for (const rows of waiting.values()) if (rows.length) await lists.submitTransaction(rows);
}
