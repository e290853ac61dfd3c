import type { Metadata } from 'next';
import Image from 'next/image';
import { notFound, permanentRedirect } from 'next/navigation';
import { cache } from 'react';
import { ask, graphql, previewToken } from '../../../lib/tidings';

const Article = graphql(`
  query Article($slug: String!) {
    post(slug: $slug) {
      slug
      title
      excerpt
      canonicalUrl
      publishedAt
      authors { slug name }
      cover { url alt width height openGraphImage { url width height } }
      body { html }
    }
  }
`);

interface Props {
  params: Promise<{ slug: string }>;
}

// Once for the page and its metadata.
const read = cache(async (slug: string) => {
  const { post } = await ask(Article, { slug }, await previewToken());
  if (!post) notFound();
  // A former slug finds its post.
  if (post.slug !== slug) permanentRedirect(`/posts/${post.slug}`);
  return post;
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { title, excerpt, canonicalUrl, cover } = await read((await params).slug);
  return {
    title,
    description: excerpt,
    alternates: canonicalUrl ? { canonical: canonicalUrl } : undefined,
    openGraph: { images: cover?.openGraphImage ? [cover.openGraphImage] : [] },
  };
}

export default async function ArticlePage({ params }: Props) {
  const { title, publishedAt, authors, cover, body } = await read((await params).slug);
  return (
    <article>
      <h1>{title}</h1>
      <p>{authors.map(({ name }) => name).join(', ')}</p>
      {publishedAt && <time dateTime={publishedAt}>{publishedAt.slice(0, 10)}</time>}
      {cover && <Image src={cover.url} alt={cover.alt ?? ''} width={cover.width} height={cover.height} sizes="100vw" priority />}
      {/* The server has sanitised it. */}
      <div dangerouslySetInnerHTML={{ __html: body.html }} />
    </article>
  );
}
