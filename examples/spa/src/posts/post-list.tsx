// A list that grows with scrolling. The rule: each page starts at the end of the previous page, so that no post is shown twice or omitted,
// even if one was published meanwhile; and the number of open pages is kept with the entry of the history.
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { type RequestPolicy, useQuery } from "urql";
import { keepNote, noteOf, usePlace } from "../routing/place";
import { Empty, Failed } from "../ui/states";
import { CardsToCome, PostCard } from "./post-card";
import { PAGE_SIZE, type Source } from "./source";

interface Props<Data, Asked extends object> {
  source: Source<Data, Asked>;
  empty: ReactNode;
}

export function PostList<Data, Asked extends object>({ source, empty }: Props<Data, Asked>) {
  const note = `pages ${JSON.stringify(source.asked)}`;
  const [pages, setPages] = useState(() => noteOf<number>(note) ?? 1);
  const [byHand, setByHand] = useState(false);
  const more = useCallback((hand: boolean) => {
    setByHand(hand);
    setPages((open) => open + 1);
  }, []);
  useEffect(() => keepNote(note, pages), [note, pages]);
  return (
    <div className="posts">
      <PageOfPosts source={source} after={null} left={pages} isFirst isFocused={false} byHand={byHand} more={more} empty={empty} />
    </div>
  );
}

interface PageProps<Data, Asked extends object> extends Props<Data, Asked> {
  after: string | null;
  /** How many pages are open from this one on. */
  left: number;
  isFirst: boolean;
  /** Whether the button opened it, so that the keyboard focus moves here. */
  isFocused: boolean;
  byHand: boolean;
  more: (byHand: boolean) => void;
}

function PageOfPosts<Data, Asked extends object>(props: PageProps<Data, Asked>) {
  const { source, after, left, isFirst, isFocused, byHand, more, empty } = props;
  const { by } = usePlace();
  // On the way back, the list is shown from the cache; otherwise it is also requested again.
  const [requestPolicy] = useState<RequestPolicy>(by === "back" ? "cache-first" : "cache-and-network");
  const [{ data, error }, again] = useQuery({
    query: source.query,
    variables: { ...source.asked, first: PAGE_SIZE, after },
    requestPolicy,
  });
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFocused) place.current?.focus({ preventScroll: true });
  }, [isFocused]);

  const page = data ? source.connectionOf(data) : null;
  const cursor = page?.pageInfo.hasNextPage === true ? (page.pageInfo.endCursor ?? null) : null;
  if (page?.totalCount === 0 && isFirst) return <Empty>{empty}</Empty>;
  return (
    <>
      <div className="page-of-posts" ref={place} tabIndex={-1}>
        {page?.nodes.map((post) => <PostCard key={post.id} post={post} />)}
        {!page && !error ? <CardsToCome /> : null}
      </div>
      {!page && error ? <Failed error={error} onRetry={() => again({ requestPolicy: "network-only" })} /> : null}
      {page && cursor === null ? <End count={page.totalCount} /> : null}
      {cursor !== null && left <= 1 ? <More more={more} /> : null}
      {cursor !== null && left > 1 ? (
        <PageOfPosts {...props} key={cursor} after={cursor} left={left - 1} isFirst={false} isFocused={byHand && left === 2} />
      ) : null}
    </>
  );
}

/** Opens the next page when it becomes visible, or when it is pressed. */
function More({ more }: { more: (byHand: boolean) => void }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current || !("IntersectionObserver" in window)) return;
    const watcher = new IntersectionObserver(
      (seen) => {
        if (seen.some((entry) => entry.isIntersecting)) more(false);
      },
      { rootMargin: "400px" },
    );
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [more]);
  return (
    <div className="more" ref={place}>
      <button type="button" className="button" onClick={() => more(true)}>
        More posts
      </button>
    </div>
  );
}

function End({ count }: { count: number }) {
  return <p className="end">{count === 1 ? "That is the only post." : `That is all of it: ${count} posts.`}</p>;
}
