// The pages of the site as a tree. The rule: a level is read when it is opened, and what can be dragged can also be moved by buttons.
import { type DragEvent, type ReactNode, createContext, useContext, useEffect, useMemo, useRef, useState } from "react";
import { useQuery } from "urql";
import { DraftPagesQuery, PublishedPagesQuery, ScheduledPagesQuery } from "../page-documents";
import type { PageItemFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { isEditor, useSession } from "../session";
import { Page } from "../ui/page";
import { Minute } from "../ui/time";
import { Finder } from "./finder";
import { PageItem } from "./page-item";
import { Paged } from "./paged";
import { type Moves, type Step, type Zone, useMoves } from "./use-moves";

/** What all pages of the tree share. It stays when the tree is read again. */
interface Tree {
  moves: Moves;
  /** Those that show the pages below them. */
  opened: ReadonlySet<string>;
  setOpen: (id: string, isOpen: boolean) => void;
  /** The one whose buttons are shown. */
  moving: string | null;
  setMoving: (id: string | null) => void;
  dragged: PageItemFragment | null;
  setDragged: (page: PageItemFragment | null) => void;
}

const TreeContext = createContext<Tree | null>(null);

export function PagesPage() {
  const { viewer } = useSession();
  return (
    <Page
      title="Pages"
      intro="What is not a post, such as “About us”. Pages can be below pages."
      action={
        isEditor(viewer) ? (
          <Link to={addressOf.newPage()} className="button main">
            Write a page
          </Link>
        ) : null
      }
    >
      <Finder type="PAGE" name="Find a page">
        {viewer?.role === "AUTHOR" ? null : <Scheduled />}
        <AllPages />
      </Finder>
    </Page>
  );
}

function Scheduled() {
  const [{ data }] = useQuery({ query: ScheduledPagesQuery, variables: {}, requestPolicy: "cache-and-network" });
  const { nodes: pages, totalCount } = data?.scheduledPages ?? { nodes: [], totalCount: 0 };
  if (pages.length === 0) return null;
  return (
    <section className="post-group" aria-label="Scheduled">
      <h2>Scheduled</h2>
      <ul className="items">
        {pages.map((page) => (
          <PageItem key={page.id} page={page}>
            {page.scheduledFor == null ? null : <Minute at={page.scheduledFor} />}
          </PageItem>
        ))}
      </ul>
      {totalCount > pages.length ? <p className="hint">The next {pages.length} of {totalCount}.</p> : null}
    </section>
  );
}

function AllPages() {
  const moves = useMoves();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [moving, setMoving] = useState<string | null>(null);
  const [dragged, setDragged] = useState<PageItemFragment | null>(null);
  const tree = useMemo(() => {
    const setOpen = (id: string, isOpen: boolean) => setOpened((now) => new Set([...now].filter((one) => one !== id).concat(isOpen ? id : [])));
    return { moves, opened, setOpen, moving, setMoving, dragged, setDragged };
  }, [moves, opened, moving, dragged]);
  return (
    <TreeContext value={tree}>
      <p role="status" className="said">
        {moves.said}
      </p>
      <p className="problem" role="alert">
        {moves.problem}
      </p>
      <section className="post-group" aria-label="All pages" key={moves.reads}>
        <Level parent={null} />
      </section>
    </TreeContext>
  );
}

/** The drafts of a level are after its published pages. */
function Level({ parent }: { parent: string | null }) {
  const { viewer } = useSession();
  return (
    <>
      <Paged
        query={PublishedPagesQuery}
        asked={{ parent }}
        connectionOf={(data) => data.pages}
        empty={<p className="hint none">{parent === null ? "No page is published yet." : "No published page is below it."}</p>}
      >
        {branches}
      </Paged>
      {viewer?.role === "AUTHOR" ? null : (
        <Paged query={DraftPagesQuery} asked={{ parent }} connectionOf={(data) => data.draftPages} empty={null}>
          {branches}
        </Paged>
      )}
    </>
  );
}

function branches(pages: PageItemFragment[]): ReactNode {
  return (
    <ul className="items tree">
      {pages.map((page) => (
        <Branch key={page.id} page={page} />
      ))}
    </ul>
  );
}

function Branch({ page }: { page: PageItemFragment }) {
  const { viewer } = useSession();
  const tree = useContext(TreeContext);
  const drop = useDrop(page);
  if (!tree) return null;
  const isOpen = tree.opened.has(page.id);
  return (
    <PageItem page={page} {...(isEditor(viewer) && drop)}>
      <button type="button" className="button quiet" aria-expanded={isOpen} onClick={() => tree.setOpen(page.id, !isOpen)}>
        {isOpen ? "Hide" : "Show"} the pages below<span className="unseen"> {page.title}</span>
      </button>
      {isEditor(viewer) ? <Move page={page} tree={tree} /> : null}
      {isOpen ? (
        <div className="below">
          <Level parent={page.path} />
          {isEditor(viewer) ? (
            <Link to={addressOf.newPage(page.path)}>
              Add a page below<span className="unseen"> {page.title}</span>
            </Link>
          ) : null}
        </div>
      ) : null}
    </PageItem>
  );
}

const STEPS: [Step, string][] = [
  ["up", "Up"],
  ["down", "Down"],
  ["in", "Below the one before"],
  ["out", "Out of the one above"],
];

/** Moves by keyboard and by touch. */
function Move({ page, tree: { moves, moving, setMoving, setOpen } }: { page: PageItemFragment; tree: Tree }) {
  const group = useRef<HTMLSpanElement>(null);
  const isMoving = moving === page.id;
  // A page that has moved is another element, or one that the browser has taken the focus from.
  useEffect(() => {
    if (isMoving && document.activeElement === document.body) group.current?.querySelector<HTMLElement>(`[name=${moves.takePressed() ?? "none"}]`)?.focus();
  });
  const go = async (step: Step) => {
    const above = await moves.step(page, step);
    if (above !== undefined) setOpen(above, true);
  };
  return (
    <>
      <button type="button" className="button quiet" aria-expanded={isMoving} onClick={() => setMoving(isMoving ? null : page.id)}>
        Move<span className="unseen"> {page.title}</span>
      </button>
      {isMoving ? (
        <span className="moves" role="group" aria-label={`Move ${page.title}`} ref={group}>
          {STEPS.filter(([step]) => step !== "out" || page.path.includes("/")).map(([step, label]) => (
            <button key={step} type="button" name={step} className="button" onClick={() => void go(step)}>
              {label}
            </button>
          ))}
        </span>
      ) : null}
    </>
  );
}

/** Properties of the element of a page that can be dragged, and beside or below which others can be dropped. */
function useDrop(page: PageItemFragment) {
  const tree = useContext(TreeContext);
  const [zone, setZone] = useState<Zone | null>(null);
  const dragged = tree?.dragged;
  const fits = dragged && !`${page.path}/`.startsWith(`${dragged.path}/`);
  return {
    draggable: true,
    "data-drop": zone ?? undefined,
    onDragStart: (event: DragEvent) => {
      event.stopPropagation();
      event.dataTransfer.setData("text/plain", page.title);
      event.dataTransfer.effectAllowed = "move";
      tree?.setDragged(page);
    },
    onDragEnd: () => tree?.setDragged(null),
    onDragOver: (event: DragEvent) => {
      event.stopPropagation();
      if (!fits) return;
      event.preventDefault();
      setZone(zoneOf(event, dragged.status === page.status));
    },
    onDragLeave: () => setZone(null),
    onDrop: (event: DragEvent) => {
      event.stopPropagation();
      event.preventDefault();
      setZone(null);
      tree?.setDragged(null);
      if (fits && zone) void tree.moves.drop(dragged, zone, page);
    },
  };
}

/** Published pages and drafts are lists of their own, so only pages of the same kind have an order. */
function zoneOf({ currentTarget, clientY }: DragEvent, isSameKind: boolean): Zone {
  const { top, bottom } = currentTarget.getBoundingClientRect();
  const end = currentTarget.querySelector(":scope > .below")?.getBoundingClientRect().top ?? bottom;
  const part = (clientY - top) / (end - top);
  if (!isSameKind || (part > 0.3 && part < 0.7)) return "below";
  return part < 0.5 ? "before" : "after";
}
