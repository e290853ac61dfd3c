// The pages of the site as a tree. The rule: a level is read when it is opened.
import { type ReactNode, useState } from "react";
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
        <section className="post-group" aria-label="All pages">
          <Level parent={null} />
        </section>
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
  const [isOpen, setOpen] = useState(false);
  return (
    <PageItem page={page}>
      <button type="button" className="button quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Hide" : "Show"} the pages below<span className="unseen"> {page.title}</span>
      </button>
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
