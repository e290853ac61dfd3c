// What the front end asks for. The rule: whatever has an id is asked for its id, so that the cache knows it again.
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
