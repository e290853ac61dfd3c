// All terms of a kind, and the tree of categories. The rule: a category is never offered a place below itself.
import { type ReactNode, useEffect, useState } from "react";
import { type OperationResult, useClient } from "urql";
import type { ResultOf, TypedDocumentNode } from "@graphql-typed-document-node/core";
import type { TermItemFragment } from "../gql/graphql";
import { Failed } from "../ui/states";

export type ListOf = TypedDocumentNode<
  { terms: { nodes: TermItemFragment[]; pageInfo: { hasNextPage: boolean; endCursor?: string | null } } },
  { first?: number | null; after?: string | null }
>;

interface All {
  /** Undefined until all pages are loaded. */
  terms?: TermItemFragment[];
  failed?: ReactNode;
}

export function useAllTerms(list: ListOf): All {
  const client = useClient();
  const [all, setAll] = useState<All>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const ask = async () => {
      const terms: TermItemFragment[] = [];
      let after: string | null = null;
      do {
        const { data, error }: OperationResult<ResultOf<ListOf>> = await client.query(list, { first: 100, after }, { requestPolicy: "network-only" });
        if (!data) return { failed: error ? <Failed error={error} onRetry={() => setTries((count) => count + 1)} /> : null };
        terms.push(...data.terms.nodes);
        after = data.terms.pageInfo.hasNextPage ? (data.terms.pageInfo.endCursor ?? null) : null;
      } while (after !== null);
      return { terms };
    };
    void ask().then((found) => isCurrent && setAll(found));
    return () => {
      isCurrent = false;
    };
  }, [client, list, tries]);
  return all;
}

export function parentOf(term: TermItemFragment): string | null {
  return ("parent" in term ? term.parent?.id : null) ?? null;
}

/** Whether it is `above` or below it. */
export function isBelow(term: TermItemFragment, above: TermItemFragment, all: TermItemFragment[]): boolean {
  if (term.id === above.id) return true;
  const parent = all.find(({ id }) => id === parentOf(term));
  return parent !== undefined && isBelow(parent, above, all);
}

/** In the order of the tree. */
export function nested(all: TermItemFragment[], parent: string | null = null, depth = 0): { term: TermItemFragment; depth: number }[] {
  return all.filter((term) => parentOf(term) === parent).flatMap((term) => [{ term, depth }, ...nested(all, term.id, depth + 1)]);
}
