// Which pictures and files nothing names. The rule: all that can name one is read, by its bytes' hash, which every address and id of it has; if a part cannot be
// read, or somebody changes something meanwhile, there is no result.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import type { AnyVariables } from "urql";
import type { AssetsQuery as AssetsAnswer, StoredFragment } from "../gql/graphql";
import { uncached } from "../graphql/client";
import { failureOf } from "../graphql/failure";
import { AssetsQuery } from "./documents";
import * as named from "./unused-documents";

const PAGE_SIZE = 50;
const HASH = /[0-9a-f]{40}/g;

interface Following {
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}

interface ListOf<Item> extends Following {
  nodes: Item[];
}

type ListQuery<Item, Asked> = TypedDocumentNode<{ list?: ListOf<Item> | null }, Asked & { first: number; after?: string | null }>;

/** `onRead`: gets the number of objects that were read. Throws the reason, in words, if there is no result. */
export async function findUnused(signal: AbortSignal, onRead: (count: number) => void): Promise<StoredFragment[]> {
  const used = new Set<string>();
  let count = 0;
  const note = (value: unknown) => JSON.stringify(value).match(HASH)?.forEach((hash) => used.add(hash));

  const ask = async <Data, Variables extends AnyVariables>(query: TypedDocumentNode<Data, Variables>, variables: Variables) => {
    const { data, error } = await uncached.query(query, variables);
    signal.throwIfAborted();
    return { data: error ? undefined : data, failure: failureOf(error ?? { graphQLErrors: [] }) };
  };
  const need = async <Data, Variables extends AnyVariables>(query: TypedDocumentNode<Data, Variables>, variables: Variables): Promise<Data> => {
    const { data, failure } = await ask(query, variables);
    if (!data) throw new Error(`${failure.title}. ${failure.text}`);
    return data;
  };
  /** Pages of a list are shorter where the texts are long. */
  const each = async <Item, Asked extends object>(query: ListQuery<Item, Asked>, asked: Asked, take: (item: Item) => void) => {
    for (let after: string | null = null, first = PAGE_SIZE; ; ) {
      const { data, failure }: Awaited<ReturnType<typeof ask<{ list?: ListOf<Item> | null }, AnyVariables>>> = await ask(query, { ...asked, first, after });
      if (!data?.list && failure.code === "ANSWER_TOO_LARGE" && first > 1) {
        first = Math.ceil(first / 4);
        continue;
      }
      if (!data?.list) throw new Error(`${failure.title}. ${failure.text}`);
      data.list.nodes.forEach(take);
      onRead((count += data.list.nodes.length));
      if (!data.list.pageInfo.hasNextPage) return;
      after = data.list.pageInfo.endCursor ?? null;
    }
  };

  const start = await need(named.ChangesQuery, {});
  // What is typed in this browser and not saved can name some.
  note({ ...window.localStorage });
  note(await need(named.SiteQuery, {}));
  for (const query of [named.DraftPosts, named.ScheduledPosts, named.Posts, named.Categories, named.Tags, named.Authors, named.Series]) await each(query as ListQuery<unknown, object>, {}, note);
  const parents: (string | null)[] = [null];
  const noteWithPath = (page: { path?: string }) => {
    note(page);
    if (page.path !== undefined) parents.push(page.path);
  };
  await each(named.ScheduledPages, {}, noteWithPath);
  for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
    await each(named.Pages, { parent }, noteWithPath);
    await each(named.DraftPages, { parent }, noteWithPath);
  }
  const unused: StoredFragment[] = [];
  for (let after: string | null = null, isLast = false; !isLast; ) {
    const { assets }: AssetsAnswer = await need(AssetsQuery, { first: 100, after });
    unused.push(...(assets?.nodes ?? []).filter(({ url }) => !url.match(HASH)?.some((hash) => used.has(hash))));
    isLast = !assets?.pageInfo.hasNextPage;
    after = assets?.pageInfo.endCursor ?? null;
  }
  const end = await need(named.ChangesQuery, { after: start.changes.endCursor });
  if (end.changes.changes.length > 0 || end.changes.hasNextPage) throw new Error("Somebody has changed something meanwhile. Try again.");
  return unused;
}
