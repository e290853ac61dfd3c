// A list in pages. The rule: each page starts at the end of the previous one, so that nothing is shown twice or omitted, even if something was added
// meanwhile.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type ReactNode, useState } from "react";
import { useQuery } from "urql";
import { Failed, Loading } from "../ui/states";

const PAGE_SIZE = 30;

interface Connection<Item> {
  nodes: Item[];
  totalCount?: number;
  pageInfo: { hasNextPage: boolean; endCursor?: string | null };
}

interface Props<Data, Asked extends object, Item> {
  query: TypedDocumentNode<Data, Asked & { first?: number | null; after?: string | null }>;
  asked: Asked;
  connectionOf: (data: Data) => Connection<Item> | null | undefined;
  /** If omitted, `children` shows an empty list too. */
  empty?: ReactNode;
  children: (items: Item[], data: Data) => ReactNode;
}

export function Paged<Data, Asked extends object, Item>(props: Props<Data, Asked, Item>) {
  // The first page stays while another list is asked for.
  const asked = JSON.stringify(props.asked);
  const [opened, setOpened] = useState<{ asked: string; cursors: (string | null)[] }>({ asked, cursors: [null] });
  const cursors = opened.asked === asked ? opened.cursors : [null];
  return cursors.map((after, place) => (
    <OnePage
      key={after ?? ""}
      {...props}
      after={after}
      isFirst={place === 0}
      onMore={place === cursors.length - 1 ? (next) => setOpened({ asked, cursors: [...cursors, next] }) : null}
    />
  ));
}

interface PageProps<Data, Asked extends object, Item> extends Props<Data, Asked, Item> {
  after: string | null;
  isFirst: boolean;
  /** Null if the next page is open. */
  onMore: ((after: string) => void) | null;
}

function OnePage<Data, Asked extends object, Item>({ query, asked, connectionOf, empty, children, after, isFirst, onMore }: PageProps<Data, Asked, Item>) {
  const variables = { ...asked, first: PAGE_SIZE, after };
  const [{ data, error, fetching }, again] = useQuery({ query, variables, requestPolicy: "cache-and-network" });
  const page = data ? connectionOf(data) : null;
  if (!page || !data || (error && !fetching)) return error ? <Failed error={error} onRetry={() => again({ requestPolicy: "network-only" })} /> : <Loading what="the list" />;
  const { hasNextPage, endCursor } = page.pageInfo;
  return (
    <>
      {page.nodes.length === 0 && isFirst && empty !== undefined ? empty : children(page.nodes, data)}
      {hasNextPage && !fetching && endCursor != null && onMore ? (
        <p className="more">
          <button type="button" className="button" onClick={() => onMore(endCursor)}>
            Show more
          </button>
        </p>
      ) : null}
    </>
  );
}
