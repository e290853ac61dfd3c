// The frame around every view: the skip link, the head, the view, the foot.
import { Suspense, useEffect, useRef } from "react";
import { addressOf } from "./routing/addresses";
import { Link } from "./routing/link";
import { usePlace } from "./routing/place";
import { viewOf } from "./routing/routes";
import { useScrollKept } from "./routing/scroll";
import { useSession } from "./session/session";
import { SITE } from "./site";
import { Lamp } from "./ui/lamp";
import { Loading } from "./ui/states";

export function App() {
  const place = usePlace();
  const main = useRef<HTMLElement>(null);
  useScrollKept(place);
  // Screen reader and keyboard users start at the beginning of the new view.
  useEffect(() => {
    if (place.by !== "load") main.current?.focus({ preventScroll: true });
  }, [place.path, place.key, place.by]);

  return (
    <>
      <a className="skip" href="#main">
        Skip to the text
      </a>
      <Head />
      <main id="main" ref={main} tabIndex={-1}>
        <Suspense fallback={<Loading what="the editor" />}>{viewOf(place)}</Suspense>
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
        </nav>
      </div>
    </header>
  );
}

function Foot() {
  const { token } = useSession();
  return (
    <footer className="foot">
      <div className="foot-inner">
        <p>{SITE.name}</p>
        <Link to={addressOf.desk}>{token === null ? "For writers" : "Your desk"}</Link>
      </div>
    </footer>
  );
}
