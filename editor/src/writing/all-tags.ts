// Every tag of the site, in pages that are requested one after another.
import { useEffect, useState } from "react";
import { type CombinedError, type OperationResult, useClient } from "urql";
import { graphql } from "../gql";
import type { AllTagsQuery as Answer } from "../gql/graphql";

const AllTagsQuery = graphql(`
  query AllTags($after: String) {
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

export type KnownTag = Answer["tags"]["nodes"][number];

interface Known {
  /** Undefined until all pages are loaded. */
  tags?: KnownTag[];
  error?: CombinedError;
}

/** All tags, also those that only drafts have, for writers to choose from. */
export function useAllTags(): Known {
  const client = useClient();
  const [known, setKnown] = useState<Known>({});
  useEffect(() => {
    let isCurrent = true;
    const ask = async () => {
      const tags: KnownTag[] = [];
      let after: string | null = null;
      do {
        const { data, error }: OperationResult<Answer> = await client.query(AllTagsQuery, { after });
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
  }, [client]);
  return known;
}
