// The queries. The rule: each is of one object, which the loader keeps, or a page of a list, so that a site of any size stays within the limits of the server.
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

export const PostSlugsQuery = graphql(`
  query PostSlugs($first: Int!, $after: String) {
    posts(first: $first, after: $after) {
      nodes {
        slug
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

// Terms and pictures come by their slugs and ids only: the queries below have the rest, so that nothing is sent twice.
export const PostQuery = graphql(
  `
    query Post($id: String!) {
      post(slug: $id) {
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
          id
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
    }
  `,
  [Body],
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

export const TagSlugsQuery = graphql(`
  query TagSlugs($first: Int!, $after: String) {
    tags(first: $first, after: $after) {
      nodes {
        slug
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const TagQuery = graphql(`
  query Tag($id: String!) {
    tag(slug: $id) {
      slug
      canonicalUrl
      name
      description
      postCount
    }
  }
`);

export const CategorySlugsQuery = graphql(`
  query CategorySlugs($first: Int!, $after: String) {
    categories(first: $first, after: $after) {
      nodes {
        slug
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const CategoryQuery = graphql(`
  query Category($id: String!) {
    category(slug: $id) {
      slug
      canonicalUrl
      name
      description
      postCount
    }
  }
`);

export const AuthorSlugsQuery = graphql(`
  query AuthorSlugs($first: Int!, $after: String) {
    authors(first: $first, after: $after) {
      nodes {
        slug
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const AuthorQuery = graphql(`
  query Author($id: String!) {
    author(slug: $id) {
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
        id
      }
      postCount
    }
  }
`);

// One child says whether there are more, so that a page without children costs no query of its own.
export const PathsQuery = graphql(`
  query Paths($parent: String, $first: Int!, $after: String) {
    pages(parentPath: $parent, first: $first, after: $after) {
      nodes {
        path
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
`);

export const PageQuery = graphql(
  `
    query Page($id: String!) {
      page(path: $id) {
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
          id
        }
        body {
          ...Body
        }
      }
    }
  `,
  [Body],
);

/** Changes of pictures and files are not in the feed of changes, so each build requests all of them. */
export const AssetsQuery = graphql(
  `
    query Assets($ids: [ID!]!) {
      nodes(ids: $ids) {
        ... on Image {
          ...Picture
          ...Link
        }
        ... on File {
          url
        }
      }
    }
  `,
  [Picture, Link],
);

export type PictureData = ResultOf<typeof Picture>;
export type LinkData = ResultOf<typeof Link>;
export type BodyData = ResultOf<typeof Body>;
export type SiteData = ResultOf<typeof SiteQuery>["site"];
export type SearchData = ResultOf<typeof SearchQuery>["search"];
export type AssetData = Extract<NonNullable<ResultOf<typeof AssetsQuery>["nodes"][number]>, { url: string }>;
export type ImageData = Extract<AssetData, { srcset: string }>;
export type PostData = NonNullable<ResultOf<typeof PostQuery>["post"]>;
export type PageData = NonNullable<ResultOf<typeof PageQuery>["page"]>;
export type TagData = NonNullable<ResultOf<typeof TagQuery>["tag"]>;
export type CategoryData = NonNullable<ResultOf<typeof CategoryQuery>["category"]>;
export type AuthorData = NonNullable<ResultOf<typeof AuthorQuery>["author"]>;
