// The queries. The rule: each is a page of a list, so that a site of any size stays within the limits of the server.
import type { ResultOf } from "gql.tada";
import { graphql } from "./client";

const Picture = graphql(`
  fragment Picture on Image {
    url
    srcset
    width
    height
    alt
    placeholder
  }
`);

const Link = graphql(`
  fragment Link on Image {
    openGraphImage {
      url
      width
      height
      alt
    }
  }
`);

const Body = graphql(`
  fragment Body on RichText {
    html
    wordCount
    readingMinutes
    headings {
      level
      text
      anchor
    }
  }
`);

export const SiteQuery = graphql(
  `
    query Site {
      site {
        url
        name
        description
        language
        timeZone
        image {
          ...Link
        }
        navigation {
          label
          url
          children {
            label
            url
          }
        }
      }
    }
  `,
  [Link],
);

// Terms come by their slugs only: the lists below have the rest, so that no term is sent twice.
export const PostsQuery = graphql(
  `
    query Posts($first: Int!, $after: String) {
      posts(first: $first, after: $after) {
        nodes {
          slug
          canonicalUrl
          title
          subtitle
          excerpt
          publishedAt
          updatedAt
          featured
          language
          translations {
            slug
            language
          }
          cover {
            ...Picture
            ...Link
          }
          authors {
            slug
          }
          categories {
            slug
          }
          tags {
            slug
          }
          series {
            series {
              name
            }
            number
            previous {
              slug
            }
            next {
              slug
            }
          }
          body {
            ...Body
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [Picture, Link, Body],
);

/** Apart from the posts, because a server can be without its search index. */
export const RelatedQuery = graphql(`
  query Related($first: Int!, $after: String) {
    posts(first: $first, after: $after) {
      nodes {
        slug
        related(first: 3) {
          slug
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** What the search page asks in the browser. */
export const SearchQuery = graphql(`
  query Search($text: String!, $first: Int!, $after: String) {
    search(query: $text, first: $first, after: $after) {
      edges {
        node {
          title
          excerpt
          language
          ... on Post {
            slug
          }
          ... on Page {
            path
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

export const TagsQuery = graphql(`
  query Tags($first: Int!, $after: String) {
    tags(first: $first, after: $after) {
      nodes {
        slug
        canonicalUrl
        name
        description
        postCount
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const CategoriesQuery = graphql(`
  query Categories($first: Int!, $after: String) {
    categories(first: $first, after: $after) {
      nodes {
        slug
        canonicalUrl
        name
        description
        postCount
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const AuthorsQuery = graphql(
  `
    query Authors($first: Int!, $after: String) {
      authors(first: $first, after: $after) {
        nodes {
          slug
          canonicalUrl
          name
          description
          url
          jobTitle
          links {
            title
            url
          }
          avatar {
            ...Picture
          }
          postCount
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [Picture],
);

// One child says whether there are more, so that a page without children costs no query of its own.
export const PagesQuery = graphql(
  `
    query Pages($parent: String, $first: Int!, $after: String) {
      pages(parentPath: $parent, first: $first, after: $after) {
        nodes {
          path
          canonicalUrl
          title
          excerpt
          updatedAt
          language
          translations {
            path
            language
          }
          cover {
            ...Picture
            ...Link
          }
          body {
            ...Body
          }
          children(first: 1) {
            nodes {
              id
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [Picture, Link, Body],
);

export const AssetsQuery = graphql(
  `
    query Assets($ids: [ID!]!) {
      nodes(ids: $ids) {
        ... on Image {
          ...Picture
        }
        ... on File {
          url
        }
      }
    }
  `,
  [Picture],
);

export type PictureData = ResultOf<typeof Picture>;
export type LinkData = ResultOf<typeof Link>;
export type BodyData = ResultOf<typeof Body>;
export type SiteData = ResultOf<typeof SiteQuery>["site"];
export type PostData = ResultOf<typeof PostsQuery>["posts"]["nodes"][number];
export type SearchData = ResultOf<typeof SearchQuery>["search"];
export type TagData = ResultOf<typeof TagsQuery>["tags"]["nodes"][number];
export type AuthorData = ResultOf<typeof AuthorsQuery>["authors"]["nodes"][number];
export type PageData = ResultOf<typeof PagesQuery>["pages"]["nodes"][number];
