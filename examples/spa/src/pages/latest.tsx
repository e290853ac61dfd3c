// The newest posts: on the home page those in the language of the site, and on a page of its own those in each other language.
import { useMemo } from "react";
import { useQuery } from "urql";
import { SiteQuery } from "../graphql/site";
import { CardsToCome } from "../posts/post-card";
import { PostList } from "../posts/post-list";
import { postsBy } from "../posts/source";
import { addressOf } from "../routing/addresses";
import { SITE } from "../site";
import { Head } from "../ui/head";
import { Languages, marked, newestOf } from "../ui/languages";
import { useTitle } from "../ui/page";
import { FailedView } from "../ui/states";
import { wordsOf } from "../ui/words";
import { NotFoundPage } from "./not-found";

export function LatestPage({ address }: { address: string }) {
  const [{ data, error }, again] = useQuery({ query: SiteQuery });
  const isKnown = data !== undefined || error !== undefined;
  const lists = newestOf(data?.site);
  const list = lists.find((one) => one.address === address);
  const language = list?.filter ? list.language : null;
  const source = useMemo(() => postsBy(language === null ? null : { languages: [language] }), [language]);
  const isHome = address === addressOf.latest;
  const line = isHome ? SITE.line : wordsOf(language).newestPosts;
  useTitle(isHome ? "" : line);
  if (error && !data && !isHome) return <FailedView error={error} onRetry={() => again({ requestPolicy: "network-only" })} />;
  if (isKnown && !list) return <NotFoundPage />;
  return (
    <div className="page latest">
      <Head title={isHome ? SITE.name : line} description={line} address={isHome ? null : list?.canonicalUrl} />
      <header className="masthead" {...marked(isHome ? null : language)}>
        <h1>{line}</h1>
        <Languages versions={lists} />
      </header>
      {isKnown ? null : <div className="page-of-posts"><CardsToCome /></div>}
      {/* The list of all posts, which a site with one language shows, does not wait for the site. */}
      {isKnown || isHome ? (
        <div hidden={!isKnown}>
          <PostList key={language} source={source} empty="Nothing has been published yet." />
        </div>
      ) : null}
    </div>
  );
}
