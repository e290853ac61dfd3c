// One post, with links to the next newer and older one.
import { useEffect } from "react";
import { useQuery } from "urql";
import type { PostQuery as PostAnswer } from "../gql/graphql";
import { SiteQuery } from "../graphql/site";
import { NeighboursQuery, PostQuery } from "../posts/documents";
import { WholePost, WholePostToCome } from "../posts/whole-post";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { replaceWith } from "../routing/place";
import { SITE } from "../site";
import { Head } from "../ui/head";
import { byLanguage, Languages, marked, newestOf } from "../ui/languages";
import { useTitle } from "../ui/page";
import { FailedView } from "../ui/states";
import { Day } from "../ui/time";
import { type Words, wordsOf } from "../ui/words";
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
    <WholePost post={post} languages={<Translations post={post} />}>
      <Head title={post.title} description={post.excerpt} address={post.canonicalUrl} type="article" image={post.cover?.openGraphImage} />
      <Related posts={post.related} words={wordsOf(post.language)} />
      <Neighbours post={post} />
    </WholePost>
  );
}

type Shown = NonNullable<PostAnswer["post"]>;

/** The same post in each of its languages, that of the site first. */
function Translations({ post }: { post: Shown }) {
  const [{ data }] = useQuery({ query: SiteQuery });
  if (post.translations.length === 0) return null;
  const own = data?.site.language ?? SITE.language;
  const versions = [post, ...post.translations].map((one) => ({ language: one.language ?? own, address: addressOf.post(one.slug), canonicalUrl: one.canonicalUrl }));
  return <Languages versions={versions.toSorted(byLanguage(own))} />;
}

/** Posts like this one; a server without its search index has none. */
function Related({ posts, words }: { posts: Shown["related"]; words: Words }) {
  if (!posts?.length) return null;
  return (
    <section className="related" aria-labelledby="related">
      <h2 id="related">{words.related}</h2>
      <ul>
        {posts.map(({ id, slug, title, excerpt, publishedAt, language }) => (
          <li key={id} {...marked(language)}>
            <h3>
              <Link to={addressOf.post(slug)}>{title}</Link>
            </h3>
            <p className="excerpt">{excerpt}</p>
            {publishedAt == null ? null : <p className="count"><Day at={publishedAt} language={language} /></p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Neighbours({ post }: { post: Shown }) {
  const [{ data: known }] = useQuery({ query: SiteQuery });
  const isAlone = newestOf(known?.site).length < 2 || post.language == null || post.publishedAt == null;
  const variables = { languages: [post.language ?? ""], at: post.publishedAt ?? "" };
  const [{ data }] = useQuery({ query: NeighboursQuery, variables, pause: isAlone });
  const newer = isAlone ? post.newer : data?.newer.nodes[0];
  const older = isAlone ? post.older : data?.older.nodes[0];
  const words = wordsOf(post.language);
  if (!newer && !older) return null;
  return (
    <nav className="neighbours" aria-label={words.neighbours}>
      {newer ? (
        <Link to={addressOf.post(newer.slug)} className="newer">
          <span>{words.newer}</span> {newer.title}
        </Link>
      ) : null}
      {older ? (
        <Link to={addressOf.post(older.slug)} className="older">
          <span>{words.older}</span> {older.title}
        </Link>
      ) : null}
    </nav>
  );
}
