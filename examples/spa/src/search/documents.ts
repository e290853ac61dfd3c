// The query of a search. The site shows posts only, so it searches only them.
import { graphql } from "../gql";

export const RESULTS = 10;

export const SearchQuery = graphql(`
  query Search($text: String!, $first: Int!, $after: String) {
    search(query: $text, types: [POST], first: $first, after: $after) {
      edges {
        node {
          id
          ... on Post {
            ...PostLink
            language
            excerpt
            publishedAt
          }
        }
        highlights {
          field
          html
        }
      }
      suggestion
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
