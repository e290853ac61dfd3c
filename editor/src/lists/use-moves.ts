// Moves of pages in the tree. The rule: a level is read right before one of its pages moves; and if anything is refused, the tree is read again and nothing else
// is changed.
import { useRef, useState } from "react";
import { type CombinedError, useClient } from "urql";
import type { PageItemFragment } from "../gql/graphql";
import { failureOf } from "../graphql/failure";
import { useAsked } from "../graphql/use-asked";
import { DraftPagesQuery, PublishedPagesQuery, UpdatePage } from "../page-documents";
import { newOrders } from "./page-order";

export type Step = "up" | "down" | "in" | "out";
/** In relation to another page. */
export type Zone = "before" | "after" | "below";

interface Level {
  pages: PageItemFragment[];
  error?: CombinedError | undefined;
}

const MEANWHILE = "The pages have changed meanwhile. This is how they are now: try again.";

export function useMoves() {
  const client = useClient();
  const { ask, problem, setProblem } = useAsked();
  const [said, setSaid] = useState("");
  // A new number reads the tree again.
  const [reads, setReads] = useState(0);
  const isBusy = useRef(false);
  const pressed = useRef<Step | null>(null);

  const again = (message = "") => {
    setReads((count) => count + 1);
    if (message !== "") setProblem(message);
  };
  const fail = (error: CombinedError) => {
    const { title, text } = failureOf(error);
    again(`${title}. ${text}`);
  };

  /** The published pages of a level, or its drafts. */
  const read = async (parent: string | null, { status }: PageItemFragment): Promise<Level> => {
    const pages: PageItemFragment[] = [];
    for (let after: string | null = null; ; ) {
      const variables: { parent: string | null; first: number; after: string | null } = { parent, first: 100, after };
      const fresh = { requestPolicy: "network-only" } as const;
      const published = status === "PUBLISHED" ? await client.query(PublishedPagesQuery, variables, fresh) : null;
      const drafts = published ? null : await client.query(DraftPagesQuery, variables, fresh);
      const found = published?.data?.pages ?? drafts?.data?.draftPages;
      if (!found) return { pages, error: published?.error ?? drafts?.error };
      pages.push(...found.nodes);
      if (!found.pageInfo.hasNextPage) return { pages };
      after = found.pageInfo.endCursor ?? null;
    }
  };

  /** Puts the page into a level. `place`: its place among the others, null at their end; `own`: the present one, or -1. */
  const put = async (page: PageItemFragment, parent: string | null, place: (others: PageItemFragment[], own: number) => number | null) => {
    setSaid("");
    setProblem("");
    const { pages, error } = await read(parent, page);
    if (error) return fail(error);
    const own = pages.findIndex(({ id }) => id === page.id);
    const others = pages.filter(({ id }) => id !== page.id);
    const at = place(others, own);
    const isStaying = parent === parentOf(page.path);
    if ((isStaying && own < 0) || (at !== null && at < 0)) return again(MEANWHILE);
    if (at !== null && at > others.length) return setSaid(`“${page.title}” cannot go further.`);
    const now = pages[own] ?? page;
    const path = [parent, now.path.split("/").at(-1)].filter((part) => part !== null).join("/");
    const orders = at === null ? new Map([[page.id, null]]) : newOrders([...others.slice(0, at), now, ...others.slice(at)], at);
    for (const one of [now, ...others].filter(({ id }) => orders.has(id))) {
      const input = { id: one.id, expectedVersion: one.version, order: orders.get(one.id) ?? null, ...(one === now && !isStaying && { path }) };
      if (!(await ask(UpdatePage, { input }, (data) => data.updatePage))) return again();
    }
    setSaid(isStaying && at !== null ? `“${page.title}” is number ${at + 1} of ${pages.length} now.` : `“${page.title}” is at /${path} now.`);
  };

  const drop = (page: PageItemFragment, zone: Zone, other: PageItemFragment) => {
    if (zone === "below") return put(page, other.path, () => null);
    return put(page, parentOf(other.path), (others) => {
      const found = others.findIndex(({ id }) => id === other.id);
      return zone === "after" && found >= 0 ? found + 1 : found;
    });
  };

  /** Resolves to the page below which it is now, if that has changed. */
  const step = async (page: PageItemFragment, by: Step): Promise<string | undefined> => {
    const parent = parentOf(page.path);
    pressed.current = by;
    if (by === "up") await put(page, parent, (others, own) => (own === 0 ? others.length + 1 : own - 1));
    if (by === "down") await put(page, parent, (_, own) => own + 1);
    if (by === "out" && parent !== null) await put(page, parentOf(parent), (others) => others.findIndex(({ path }) => path === parent) + 1 || null);
    if (by !== "in") return undefined;
    const { pages, error } = await read(parent, page);
    if (error) fail(error);
    const before = pages[pages.findIndex(({ id }) => id === page.id) - 1];
    if (before) await drop(page, "below", before);
    else if (!error) setSaid(`No page is before “${page.title}”.`);
    return before?.id;
  };

  /** One at a time: each changes what the next one reads. */
  const alone = async <Result>(move: () => Promise<Result>): Promise<Result | undefined> => {
    if (isBusy.current) return undefined;
    isBusy.current = true;
    try {
      return await move();
    } finally {
      isBusy.current = false;
    }
  };

  /** The button that was pressed last, once: it gets its focus back. */
  const takePressed = () => {
    const last = pressed.current;
    pressed.current = null;
    return last;
  };

  return {
    drop: (page: PageItemFragment, zone: Zone, other: PageItemFragment) => alone(() => drop(page, zone, other)),
    step: (page: PageItemFragment, by: Step) => alone(() => step(page, by)),
    takePressed,
    reads,
    said,
    problem,
  };
}

export type Moves = ReturnType<typeof useMoves>;

function parentOf(path: string): string | null {
  const end = path.lastIndexOf("/");
  return end < 0 ? null : path.slice(0, end);
}
