// Every tag of the site, in pages of 100 that are asked for one after another.
import { useEffect, useState } from "react";
import { type CombinedError, type OperationResult, useClient } from "urql";
import { graphql } from "../gql";
import type { TagsQuery as Answer } from "../gql/graphql";

const TagsQuery = graphql(`
  query Tags($after: String) {
    tags(first: 100, after: $after) {
      nodes {
        id
        slug
        name
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export interface KnownTag {
  slug: string;
  name: string;
}

interface Known {
  tags?: KnownTag[];
  error?: CombinedError;
}

/** `tags` is undefined until all are there. */
export function useAllTags(): Known & { again: () => void } {
  const client = useClient();
  const [known, setKnown] = useState<Known>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isWanted = true;
    const ask = async () => {
      const tags: KnownTag[] = [];
      let after: string | null = null;
      do {
        const { data, error }: OperationResult<Answer> = await client.query(TagsQuery, { after });
        if (!data) return isWanted && setKnown(error ? { error } : {});
        tags.push(...data.tags.nodes);
        after = data.tags.pageInfo.hasNextPage ? (data.tags.pageInfo.endCursor ?? null) : null;
      } while (after !== null);
      return isWanted && setKnown({ tags });
    };
    void ask();
    return () => {
      isWanted = false;
    };
  }, [client, tries]);
  return { ...known, again: () => setTries((count) => count + 1) };
}
