// The queries of lists and posts.
import { graphql } from "../gql";

graphql(`
  fragment PostCard on Post {
    id
    slug
    title
    excerpt
    publishedAt
    authors {
      id
      slug
      name
    }
    tags {
      id
      slug
      name
    }
  }
`);

graphql(`
  fragment PageOfPosts on PostConnection {
    totalCount
    nodes {
      ...PostCard
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
`);

graphql(`
  fragment WholePost on Post {
    ...PostCard
    status
    categories {
      id
      slug
      name
    }
    body {
      html
      readingMinutes
    }
  }
`);

export const PostsQuery = graphql(`
  query Posts($first: Int!, $after: String, $filter: PostFilter) {
    posts(first: $first, after: $after, filter: $filter) {
      ...PageOfPosts
    }
  }
`);

export const PostQuery = graphql(`
  query Post($slug: String!) {
    post(slug: $slug) {
      ...WholePost
      newer {
        id
        slug
        title
      }
      older {
        id
        slug
        title
      }
    }
  }
`);

export const PreviewQuery = graphql(`
  query Preview($token: String!) {
    preview(token: $token) {
      id
      ... on Post {
        ...WholePost
      }
    }
  }
`);
