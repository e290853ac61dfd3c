// The documents of the front end. The rule: the cache identifies an object by `__typename` and `id`; urql adds the first, the documents select
// the second.
import { graphql } from './graphql';

export const POSTS = graphql(`
  query Posts($first: Int!, $after: String, $filter: PostFilter) {
    posts(first: $first, after: $after, filter: $filter) {
      edges {
        cursor
        node { id slug title version author { id name } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const POST = graphql(`
  query Post($slug: String!) {
    post(slug: $slug) { id slug title version body { html } }
  }
`);

export const RENAME = graphql(`
  mutation Rename($input: UpdatePostInput!) {
    updatePost(input: $input) {
      post { id title version }
      userErrors { code field message }
    }
  }
`);
