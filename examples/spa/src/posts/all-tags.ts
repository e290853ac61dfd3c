// Every tag of the site, in pages that are requested one after another.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useEffect, useState } from "react";
import { type CombinedError, type OperationResult, useClient } from "urql";
import { graphql } from "../gql";
import type { CountedTagsQuery as Counted, TagsQuery as Plain } from "../gql/graphql";

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

export type KnownTag = Plain["tags"]["nodes"][number];

/** All tags, also those that only drafts have, for writers to choose from. */
export function useAllTags() {
  return useTagsOf<KnownTag>(TagsQuery);
}

/** All tags, each with the number of published posts that have it. */
export function useCountedTags() {
  return useTagsOf<Counted["tags"]["nodes"][number]>(CountedTagsQuery);
}

interface Page<Tag> {
  tags: { nodes: Tag[]; pageInfo: Plain["tags"]["pageInfo"] };
}

interface Known<Tag> {
  tags?: Tag[];
  error?: CombinedError;
}

/** `tags` is undefined until all pages are loaded. */
function useTagsOf<Tag>(query: TypedDocumentNode<Page<Tag>, { after?: string | null }>): Known<Tag> & { again: () => void } {
  const client = useClient();
  const [known, setKnown] = useState<Known<Tag>>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    const ask = async () => {
      const tags: Tag[] = [];
      let after: string | null = null;
      do {
        const { data, error }: OperationResult<Page<Tag>> = await client.query(query, { after });
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
  }, [client, query, tries]);
  return { ...known, again: () => setTries((count) => count + 1) };
}
