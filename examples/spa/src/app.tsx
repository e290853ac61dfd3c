// The frame around every view: the skip link, the head, the view, the foot.
import { useEffect, useRef } from "react";
import { useQuery } from "urql";
import { SiteQuery } from "./graphql/site";
import { addressOf } from "./routing/addresses";
import { Link } from "./routing/link";
import { usePlace } from "./routing/place";
import { viewOf } from "./routing/routes";
import { useScrollKept } from "./routing/scroll";
import { SearchBox } from "./search/search-box";
import { SITE } from "./site";
import { LanguageLinks, newestOf } from "./ui/languages";
import { Lamp } from "./ui/lamp";
import { Menu } from "./ui/menu";

export function App() {
  const place = usePlace();
  const main = useRef<HTMLElement>(null);
  useScrollKept(place);
  // Screen reader and keyboard users start at the beginning of the new view, unless they are typing a search.
  useEffect(() => {
    if (place.by !== "load" && !document.activeElement?.closest("[role=search]")) main.current?.focus({ preventScroll: true });
  }, [place.path, place.key, place.by]);

  return (
    <>
      <a className="skip" href="#main">
        Skip to the text
      </a>
      <Head />
      <main id="main" ref={main} tabIndex={-1}>
        {viewOf(place)}
      </main>
      <Foot />
    </>
  );
}

function Head() {
  return (
    <header className="head">
      <div className="head-inner">
        <Link className="brand" to={addressOf.latest}>
          <Lamp />
          <span>{SITE.name}</span>
        </Link>
        <nav aria-label="Site">
          <Link to={addressOf.latest}>Latest</Link>
          <Link to={addressOf.archive}>Archive</Link>
          <Link to={addressOf.filter}>By tags</Link>
          <a href={addressOf.editor} target="_self">
            For writers
          </a>
        </nav>
        <SearchBox />
      </div>
    </header>
  );
}

function Foot() {
  const { path } = usePlace();
  const [{ data }] = useQuery({ query: SiteQuery });
  const lists = newestOf(data?.site);
  const list = lists.find(({ address }) => address === path);
  return (
    <footer className="foot">
      <Menu items={data?.site.navigation ?? []} />
      <div className="foot-inner">
        <p>{SITE.name}</p>
        <LanguageLinks label="The newest posts by language" versions={lists} />
        {data?.site.url ? <FeedLink to={list?.filter ? addressOf.feedOfLanguage(list.language) : addressOf.feed} /> : null}
      </div>
    </footer>
  );
}

/** Only if the server knows the address of the site, and so has feeds. The web server of the site forwards their paths to it, as Vite does. */
function FeedLink({ to }: { to: string }) {
  return (
    <>
      <link rel="alternate" type="application/atom+xml" title={SITE.name} href={to} />
      <a href={to} target="_self">
        Feed
      </a>
    </>
  );
}
