// Every tag of the site, in pages that are requested one after another.
import { useEffect, useState } from "react";
import { type CombinedError, type OperationResult, useClient } from "urql";
import { graphql } from "../gql";
import type { CountedTagsQuery as Counted } from "../gql/graphql";

const CountedTagsQuery = graphql(`
  query CountedTags($after: String) {
    tags(first: 100, after: $after) {
      nodes {
        id
        slug
        name
        postCount
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

interface Known {
  /** Undefined until all pages are loaded. */
  tags?: Counted["tags"]["nodes"];
  error?: CombinedError;
}

/** All tags, each with the number of published posts that have it. */
export function useCountedTags(): Known & { again: () => void } {
  const client = useClient();
  const [known, setKnown] = useState<Known>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const ask = async () => {
      const tags: Counted["tags"]["nodes"] = [];
      let after: string | null = null;
      do {
        const { data, error }: OperationResult<Counted> = await client.query(CountedTagsQuery, { after });
        if (!data) return isCurrent && setKnown(error ? { error } : {});
        tags.push(...data.tags.nodes);
        after = data.tags.pageInfo.hasNextPage ? (data.tags.pageInfo.endCursor ?? null) : null;
      } while (after !== null);
      return isCurrent && setKnown({ tags });
    };
    void ask();
    return () => {
      isCurrent = false;
    };
  }, [client, tries]);
  return { ...known, again: () => setTries((count) => count + 1) };
}
