// One post, with links to the next newer and older one.
import { useEffect } from "react";
import { useQuery } from "urql";
import type { PostQuery as PostAnswer } from "../gql/graphql";
import { PostQuery } from "../posts/documents";
import { WholePost, WholePostToCome } from "../posts/whole-post";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { replaceWith } from "../routing/place";
import { Head } from "../ui/head";
import { useTitle } from "../ui/page";
import { FailedView } from "../ui/states";
import { Day } from "../ui/time";
import { NotFoundPage } from "./not-found";

export function PostPage({ slug }: { slug: string }) {
  const [{ data, error }, again] = useQuery({ query: PostQuery, variables: { slug } });
  const post = data?.post;
  useTitle(post?.title);
  useEffect(() => {
    if (post && post.slug !== slug) replaceWith(addressOf.post(post.slug));
  }, [post, slug]);

  if (error && !post) return <FailedView error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (!data) return <WholePostToCome />;
  if (!post) return <NotFoundPage what="post" />;
  return (
    <WholePost post={post}>
      <Head title={post.title} description={post.excerpt} address={post.canonicalUrl} type="article" image={post.cover?.openGraphImage} />
      <Translations post={post} />
      <Related posts={post.related} />
      <Neighbours newer={post.newer} older={post.older} />
    </WholePost>
  );
}

type Shown = NonNullable<PostAnswer["post"]>;

/** The same post in other languages, for readers and for search engines. */
function Translations({ post }: { post: Shown }) {
  if (post.translations.length === 0) return null;
  return (
    <nav className="neighbours" aria-label="In other languages">
      {[post, ...post.translations].map(({ id, language, canonicalUrl }) =>
        language && canonicalUrl ? <link key={id} rel="alternate" hrefLang={language} href={canonicalUrl} /> : null,
      )}
      {post.translations.map(({ id, slug, title, language }) => (
        <Link key={id} to={addressOf.post(slug)}>
          <span>{language ?? "In the language of the site"}</span> {title}
        </Link>
      ))}
    </nav>
  );
}

/** Posts like this one; a server without its search index has none. */
function Related({ posts }: { posts: Shown["related"] }) {
  if (!posts?.length) return null;
  return (
    <section className="related" aria-labelledby="related">
      <h2 id="related">Related posts</h2>
      <ul>
        {posts.map(({ id, slug, title, excerpt, publishedAt }) => (
          <li key={id}>
            <h3>
              <Link to={addressOf.post(slug)}>{title}</Link>
            </h3>
            <p className="excerpt">{excerpt}</p>
            {publishedAt == null ? null : <p className="count"><Day at={publishedAt} /></p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Neighbour = Shown["newer"];

function Neighbours({ newer, older }: { newer: Neighbour; older: Neighbour }) {
  if (!newer && !older) return null;
  return (
    <nav className="neighbours" aria-label="Newer and older posts">
      {newer ? (
        <Link to={addressOf.post(newer.slug)} className="newer">
          <span>Newer</span> {newer.title}
        </Link>
      ) : null}
      {older ? (
        <Link to={addressOf.post(older.slug)} className="older">
          <span>Older</span> {older.title}
        </Link>
      ) : null}
    </nav>
  );
}
