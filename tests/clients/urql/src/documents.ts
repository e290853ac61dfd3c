// What the front end asks for. The rule: `__typename` and `id` make an object known again; urql adds the first, the second is asked for.
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
