// A loader for Astro, which keeps the entries of a collection between builds. The rule: a build requests an entry again if a change since the last build has one
// of its tags, and only then. It needs client.ts and nothing else of this example: copy both.
import type { Loader, LoaderContext } from "astro/loaders";
import type { TadaDocumentNode } from "gql.tada";
import { print } from "graphql";
import { answer, graphql, Refused } from "./client";

export interface Source<Data> {
  /** The ids of all entries, in their order. */
  ids: () => Promise<string[]>;
  /** The query of one entry, with one field. */
  entry: TadaDocumentNode<Data, { id: string }>;
}

/** An entry is the answer to its query, with its place in the order. */
export type Entry<Data> = Data & { place: number };

interface Kept {
  query: string;
  /** In the feed of changes: the entries have what was changed before it. */
  position: string;
  /** By the id of the entry. */
  tags: Record<string, string[]>;
}

const ChangesQuery = graphql(`
  query Changes($after: String) {
    changes(first: 100, after: $after) {
      changes {
        tags
      }
      hasNextPage
      endCursor
    }
  }
`);

/** The changes after the position are not known: it is too old, or of another server. */
const UNKNOWN = ["POSITION_EXPIRED", "BAD_CURSOR"];
/** One of several servers may show a change so much later than the one that has reported it. */
const SHOWN_AFTER_MS = 2000;
const POLL_MS = 2000;
const REQUESTS_MAX = 8;

export function tidings<Data extends object>(source: Source<Data>, shownAfterMs = SHOWN_AFTER_MS): Loader {
  let timer: NodeJS.Timeout | undefined;
  /** In development, for as long as the program runs. */
  async function poll(context: LoaderContext): Promise<void> {
    await refresh(source, context, shownAfterMs).catch((error: unknown) => context.logger.warn(String(error)));
    timer = setTimeout(() => void poll(context), POLL_MS);
  }
  return {
    name: "tidings",
    async load(context) {
      await refresh(source, context, shownAfterMs);
      clearTimeout(timer);
      if (context.watcher) timer = setTimeout(() => void poll(context), POLL_MS);
    },
  };
}

async function refresh<Data extends object>({ ids, entry }: Source<Data>, { store, meta, logger }: LoaderContext, shownAfterMs: number): Promise<void> {
  const query = print(entry);
  const kept = JSON.parse(meta.get("kept") ?? "null") as Kept | null;
  const { changed, position } = await changesAfter(kept?.query === query ? kept.position : null);
  if (changed && changed.size > 0) await new Promise((resolve) => setTimeout(resolve, shownAfterMs));
  let requested = 0;
  const entries = await inParallel(await ids(), async (id) => {
    const [old, tags] = [store.get(id), kept?.tags[id]];
    if (changed && old && tags && !tags.some((tag) => changed.has(tag))) return { id, tags, data: old.data as Data };
    requested += 1;
    return { id, ...(await answer(entry, { id })) };
  });
  // One that was deleted meanwhile is null.
  const found = entries.filter(({ data }) => Object.values(data).every((value) => value !== null));
  store.clear();
  found.forEach(({ id, data }, place) => store.set({ id, data: { ...data, place } }));
  meta.set("kept", JSON.stringify({ query, position, tags: Object.fromEntries(found.map(({ id, tags }) => [id, tags])) } satisfies Kept));
  if (requested > 0) logger.info(`${requested} of ${found.length} entries were requested.`);
}

/** The tags of all changes after the position, null if they are not known, and the position after them. */
async function changesAfter(after: string | null): Promise<{ changed: Set<string> | null; position: string }> {
  const changed = new Set<string>();
  try {
    for (let position = after; ; ) {
      const { changes } = (await answer(ChangesQuery, { after: position })).data;
      changes.changes.forEach(({ tags }) => tags.forEach((tag) => changed.add(tag)));
      position = changes.endCursor;
      if (!changes.hasNextPage) return { changed: after === null ? null : changed, position };
    }
  } catch (error) {
    if (after !== null && error instanceof Refused && error.codes.some((code) => UNKNOWN.includes(code))) return changesAfter(null);
    throw error;
  }
}

/** In the order of the items. */
async function inParallel<Item, Result>(items: Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const places = items.keys();
  const worker = async () => {
    for (const place of places) results[place] = await run(items[place] as Item);
  };
  await Promise.all(Array.from({ length: REQUESTS_MAX }, worker));
  return results;
}
