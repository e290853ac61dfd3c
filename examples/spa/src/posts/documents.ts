// The queries of lists and posts.
import { graphql } from "../gql";

graphql(`
  fragment Picture on Image {
    id
    url(width: 960)
    srcset
    width
    height
    alt
    placeholder
  }
`);

graphql(`
  fragment PostCard on Post {
    id
    slug
    title
    excerpt
    publishedAt
    featured
    language
    cover {
      ...Picture
    }
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
  fragment PostLink on Post {
    id
    slug
    title
    language
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
    subtitle
    status
    canonicalUrl
    cover {
      id
      openGraphImage {
        url
        width
        height
        alt
      }
    }
    categories {
      id
      slug
      name
    }
    body {
      html
      readingMinutes
      headings {
        level
        text
        anchor
      }
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
      translations {
        id
        slug
        title
        language
        canonicalUrl
      }
      related(first: 3) {
        ...PostLink
        excerpt
        publishedAt
      }
      newer {
        ...PostLink
      }
      older {
        ...PostLink
      }
    }
  }
`);

/** The neighbours of a post among those in its language; `newer` and `older` of a post are those among all posts. */
export const NeighboursQuery = graphql(`
  query Neighbours($languages: [String!]!, $at: DateTime!) {
    newer: posts(first: 1, filter: { languages: $languages, publishedAt: { gt: $at } }, orderBy: { field: PUBLISHED_AT, direction: ASC }) {
      nodes {
        ...PostLink
      }
    }
    older: posts(first: 1, filter: { languages: $languages, publishedAt: { lt: $at } }) {
      nodes {
        ...PostLink
      }
    }
  }
`);
