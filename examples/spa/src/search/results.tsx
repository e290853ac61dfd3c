// What a search has found. The rules: results stay until those of the next text are there, and each page starts at the end of the previous one.
import { useEffect, useRef, useState } from "react";
import { type CombinedError, type RequestPolicy, useQuery } from "urql";
import { failureOf } from "../graphql/failure";
import type { SearchQuery as SearchAnswer } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { keepNote, noteOf, usePlace } from "../routing/place";
import { marked as inLanguage } from "../ui/languages";
import { Empty, Failed, Loading } from "../ui/states";
import { Day } from "../ui/time";
import { RESULTS, SearchQuery } from "./documents";

const NOTE = "results";

interface Opened {
  text: string;
  pages: number;
}

export function Results({ text }: { text: string }) {
  const [opened, setOpened] = useState<Opened>(() => noteOf<Opened>(NOTE) ?? { text, pages: 1 });
  // The focus moves to a page that was opened by hand, not to those that are there again on the way back.
  const [byHand, setByHand] = useState(false);
  const pages = opened.text === text ? opened.pages : 1;
  const more = () => {
    const next = { text, pages: pages + 1 };
    keepNote(NOTE, next);
    setOpened(next);
    setByHand(true);
  };
  return <PageOfResults text={text} after={null} before={0} left={pages} byHand={byHand} more={more} />;
}

interface PageProps {
  text: string;
  after: string | null;
  /** How many results the previous pages have. */
  before: number;
  /** How many pages are open from this one on. */
  left: number;
  byHand: boolean;
  more: () => void;
}

function PageOfResults(props: PageProps) {
  const { text, after, before, left, byHand, more } = props;
  const { by } = usePlace();
  const [requestPolicy] = useState<RequestPolicy>(by === "back" ? "cache-first" : "cache-and-network");
  // A request for a text that is out of date is aborted.
  const [{ data, error, fetching }, again] = useQuery({ query: SearchQuery, variables: { text, first: RESULTS, after }, requestPolicy });
  const place = useRef<HTMLDivElement>(null);
  const isFocused = before > 0 && left === 1 && byHand && data !== undefined;
  useEffect(() => {
    if (isFocused) place.current?.focus({ preventScroll: true });
  }, [isFocused]);
  const retry = () => again({ requestPolicy: "network-only" });
  const isPreparing = useRetried(error, retry);

  if (isPreparing) return <p className="loading" role="status">The search is being prepared. Results are shown as soon as it is ready.</p>;
  if (error && !fetching) return <Failed error={error} onRetry={retry} />;
  if (!data) return <Loading what="results" />;
  const { edges, suggestion, pageInfo } = data.search;
  const cursor = !fetching && pageInfo.hasNextPage ? pageInfo.endCursor : null;
  const count = before + edges.length;
  return (
    <>
      {before === 0 ? <Found count={count} hasMore={pageInfo.hasNextPage} suggestion={suggestion} /> : null}
      <div className="page-of-posts" ref={place} tabIndex={-1} aria-busy={fetching}>
        {edges.map((edge) => (
          <Result key={edge.node.id} edge={edge} />
        ))}
      </div>
      {cursor != null && left <= 1 ? (
        <div className="more">
          <button type="button" className="button" onClick={more}>
            More results
          </button>
        </div>
      ) : null}
      {cursor != null && left > 1 ? <PageOfResults {...props} key={cursor} after={cursor} before={count} left={left - 1} /> : null}
      {before > 0 && !pageInfo.hasNextPage ? <p className="end">That is all of it: {count} results.</p> : null}
    </>
  );
}

/** Asks again, while the server builds its index, after the time that it names. */
function useRetried(error: CombinedError | undefined, retry: () => void): boolean {
  const latest = useRef(retry);
  useEffect(() => {
    latest.current = retry;
  });
  const isPreparing = error !== undefined && failureOf(error).code === "SEARCH_NOT_READY";
  useEffect(() => {
    if (!error || !isPreparing) return;
    const wait = error.graphQLErrors[0]?.extensions["retryAfterMs"];
    const waiting = window.setTimeout(() => latest.current(), typeof wait === "number" ? wait : 1000);
    return () => window.clearTimeout(waiting);
  }, [error, isPreparing]);
  return isPreparing;
}

interface FoundProps {
  count: number;
  hasMore: boolean;
  suggestion: string | null | undefined;
}

/** The number is read out when it changes. */
function Found({ count, hasMore, suggestion }: FoundProps) {
  return (
    <>
      <p className="found" role="status">
        {count === 0 ? "No results" : count === 1 ? "1 result" : hasMore ? `The best ${count} results` : `${count} results`}
      </p>
      {suggestion == null ? null : (
        <p className="suggestion">
          Did you mean <Link to={addressOf.searchFor(suggestion)}>{suggestion}</Link>?
        </p>
      )}
      {count === 0 ? (
        <Empty>
          No post has these words. Try fewer or other ones, or look through <Link to={addressOf.archive}>the archive</Link>.
        </Empty>
      ) : null}
    </>
  );
}

type Edge = SearchAnswer["search"]["edges"][number];

function Result({ edge: { node, highlights } }: { edge: Edge }) {
  if (!("slug" in node)) return null;
  const marked = (field: string) => highlights.find((highlight) => highlight.field === field)?.html;
  const title = marked("TITLE");
  const part = marked("BODY");
  return (
    <article className="card" {...inLanguage(node.language)}>
      <p className="card-date">{node.publishedAt == null ? null : <Day at={node.publishedAt} language={node.language} />}</p>
      <div className="card-text">
        <h2>
          {title === undefined ? (
            <Link to={addressOf.post(node.slug)}>{node.title}</Link>
          ) : (
            <Link to={addressOf.post(node.slug)} dangerouslySetInnerHTML={{ __html: title }} />
          )}
        </h2>
        {part === undefined ? <p className="excerpt">{node.excerpt}</p> : <p className="excerpt" dangerouslySetInnerHTML={{ __html: part }} />}
      </div>
    </article>
  );
}
