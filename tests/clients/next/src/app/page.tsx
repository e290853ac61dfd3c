import Image from 'next/image';
import Link from 'next/link';
import { ask, graphql } from '../lib/tidings';

const Latest = graphql(`
  query Latest($after: String) {
    posts(first: 10, after: $after) {
      nodes { slug title excerpt publishedAt cover { url alt width height } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export default async function Home({ searchParams }: { searchParams: Promise<{ after?: string }> }) {
  const { after } = await searchParams;
  const { posts } = await ask(Latest, { after });
  const { hasNextPage, endCursor } = posts.pageInfo;
  return (
    <main>
      {posts.nodes.map(({ slug, title, excerpt, publishedAt, cover }) => (
        <article key={slug}>
          {cover && (
            <Image src={cover.url} alt={cover.alt ?? ''} width={cover.width} height={cover.height} sizes="(max-width: 40rem) 100vw, 40rem" />
          )}
          <h2><Link href={`/posts/${slug}`}>{title}</Link></h2>
          {publishedAt && <time dateTime={publishedAt}>{publishedAt.slice(0, 10)}</time>}
          <p>{excerpt}</p>
        </article>
      ))}
      {hasNextPage && endCursor && <Link href={`/?after=${encodeURIComponent(endCursor)}`}>Older posts</Link>}
    </main>
  );
}
