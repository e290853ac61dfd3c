// The documents of the front end. The rule: every object that has an id is queried with it, so that the cache can identify it.
import { graphql } from '../generated/gql';

export const POSTS = graphql(`
  query Posts($first: Int!, $after: String, $filter: PostFilter) {
    posts(first: $first, after: $after, filter: $filter) {
      edges {
        cursor
        node { id slug title version author { id name } }
      }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
  }
`);

export const POST = graphql(`
  query Post($slug: String!) {
    post(slug: $slug) { id slug title version body { html } }
  }
`);

export const MARKDOWN = graphql(`
  query Markdown($id: ID!) {
    node(id: $id) { id ... on Post { slug title version body { markdown } } }
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
