// The article page, and the same article behind a preview link.
import type { ResultOf } from 'gql.tada';
import { graphql, type Client } from './client';

const Article = graphql(`
  fragment Article on Post {
    slug
    title
    excerpt
    status
    publishedAt
    updatedAt
    body { html readingMinutes }
    authors { slug name description url }
    categories { slug name }
    tags { slug name }
  }
`);

const ArticleBySlug = graphql(
  `
  query ArticleBySlug($slug: String!) {
    post(slug: $slug) {
      ...Article
      newer { slug title }
      older { slug title }
    }
  }
`,
  [Article],
);

const ArticlePreview = graphql(
  `
  query ArticlePreview($token: String!) {
    preview(token: $token) { __typename ...Article }
  }
`,
  [Article],
);

export type ArticlePage =
  { status: 200; post: NonNullable<ResultOf<typeof ArticleBySlug>['post']> } | { status: 301; location: string } | { status: 404 };

export async function articlePage(request: Client, slug: string): Promise<ArticlePage> {
  const { post } = await request(ArticleBySlug, { slug });
  if (!post) return { status: 404 };
  if (post.slug !== slug) return { status: 301, location: `/posts/${post.slug}` };
  return { status: 200, post };
}

/** The post of a preview link; null if it was deleted, or if the link is not of a post. Throws BAD_PREVIEW or PREVIEW_EXPIRED if the link is not valid. */
export async function previewPage(request: Client, token: string) {
  const { preview } = await request(ArticlePreview, { token });
  return preview?.__typename === 'Post' ? preview : null;
}
