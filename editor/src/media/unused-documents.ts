// The queries of all that can name a picture or a file. A list is `list` in each of them.
import { graphql } from "../gql";

graphql(`
  fragment NamedByContent on Content {
    __typename
    subtitle
    excerpt
    metadata
    cover {
      id
    }
    body {
      markdown
    }
    ... on Post {
      enclosure {
        url
      }
    }
    ... on Page {
      path
    }
  }
`);

graphql(`
  fragment NamedByTerm on Term {
    description
    ... on Author {
      url
      links {
        url
      }
      avatar {
        id
      }
    }
  }
`);

export const SiteQuery = graphql(`
  query NamedBySite {
    site {
      description
      image {
        id
      }
      navigation {
        url
        children {
          url
        }
      }
    }
  }
`);

export const ChangesQuery = graphql(`
  query ChangesSince($after: String) {
    changes(first: 1, after: $after) {
      changes {
        nodeId
      }
      hasNextPage
      endCursor
    }
  }
`);

export const Posts = graphql(`
  query NamedByPosts($first: Int!, $after: String) {
    list: posts(first: $first, after: $after) {
      nodes {
        ...NamedByContent
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const DraftPosts = graphql(`
  query NamedByDraftPosts($first: Int!, $after: String) {
    list: draftPosts(first: $first, after: $after) {
      nodes {
        ...NamedByContent
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const ScheduledPosts = graphql(`
  query NamedByScheduledPosts($first: Int!, $after: String) {
    list: scheduledPosts(first: $first, after: $after) {
      nodes {
        ...NamedByContent
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const ScheduledPages = graphql(`
  query NamedByScheduledPages($first: Int!, $after: String) {
    list: scheduledPages(first: $first, after: $after) {
      nodes {
        ...NamedByContent
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const Categories = graphql(`
  query NamedByCategories($first: Int!, $after: String) {
    list: categories(first: $first, after: $after) {
      nodes {
        ...NamedByTerm
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const Tags = graphql(`
  query NamedByTags($first: Int!, $after: String) {
    list: tags(first: $first, after: $after) {
      nodes {
        ...NamedByTerm
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const Authors = graphql(`
  query NamedByAuthors($first: Int!, $after: String) {
    list: authors(first: $first, after: $after) {
      nodes {
        ...NamedByTerm
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const Series = graphql(`
  query NamedBySeries($first: Int!, $after: String) {
    list: allSeries(first: $first, after: $after) {
      nodes {
        ...NamedByTerm
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const Pages = graphql(`
  query NamedByPages($parent: String, $first: Int!, $after: String) {
    list: pages(parentPath: $parent, first: $first, after: $after) {
      nodes {
        ...NamedByContent
      }
      pageInfo {
        ...Following
      }
    }
  }
`);

export const DraftPages = graphql(`
  query NamedByDraftPages($parent: String, $first: Int!, $after: String) {
    list: draftPages(parentPath: $parent, first: $first, after: $after) {
      nodes {
        ...NamedByContent
      }
      pageInfo {
        ...Following
      }
    }
  }
`);
