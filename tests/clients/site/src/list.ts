// List pages: the newest posts, and the posts of one tag or one category.
import { graphql, type Client } from './client';

const PostPage = graphql(`
  fragment PostPage on PostConnection {
    nodes {
      slug
      title
      excerpt
      publishedAt
      authors { slug name }
      tags { slug name }
    }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
`);

const NewestPosts = graphql(
  `
  query NewestPosts($first: Int, $after: String, $last: Int, $before: String) {
    posts(first: $first, after: $after, last: $last, before: $before) { ...PostPage }
  }
`,
  [PostPage],
);

const TagPosts = graphql(
  `
  query TagPosts($slug: String!, $first: Int, $after: String, $last: Int, $before: String) {
    term: tag(slug: $slug) {
      slug
      name
      posts(first: $first, after: $after, last: $last, before: $before) { ...PostPage }
    }
  }
`,
  [PostPage],
);

const CategoryPosts = graphql(
  `
  query CategoryPosts($slug: String!, $first: Int, $after: String, $last: Int, $before: String) {
    term: category(slug: $slug) {
      slug
      name
      posts(first: $first, after: $after, last: $last, before: $before) { ...PostPage }
    }
  }
`,
  [PostPage],
);

/** Which page: the first one, the one after a page's `endCursor`, or the one before a page's `startCursor`. */
export interface Position {
  after?: string | null;
  before?: string | null;
  size?: number;
}

const pageArguments = ({ after, before, size = 10 }: Position) => (before ? { last: size, before } : { first: size, after });

export async function newestPosts(request: Client, position: Position = {}) {
  return (await request(NewestPosts, pageArguments(position))).posts;
}

/** The posts of a tag; null if there is no such tag. If `slug` of the answer differs, redirect to it. */
export async function tagPosts(request: Client, slug: string, position: Position = {}) {
  return (await request(TagPosts, { slug, ...pageArguments(position) })).term;
}

/** The posts of a category; null if there is no such category. If `slug` of the answer differs, redirect to it. */
export async function categoryPosts(request: Client, slug: string, position: Position = {}) {
  return (await request(CategoryPosts, { slug, ...pageArguments(position) })).term;
}
