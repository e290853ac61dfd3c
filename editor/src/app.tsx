// The frame around every view: the skip link, the navigation, and the sign-in if nobody is signed in.
import { Suspense, useEffect, useRef } from "react";
import { addressOf } from "./routing/addresses";
import { Link } from "./routing/link";
import { usePlace } from "./routing/place";
import { viewOf } from "./routing/routes";
import { useScrollKept } from "./routing/scroll";
import { canWrite, isEditor, useSession } from "./session";
import { SharedPreview } from "./shared-preview";
import { SignIn } from "./sign-in";
import { SignOut } from "./sign-out";
import { FailedView, Loading } from "./ui/states";

export function App() {
  const place = usePlace();
  const main = useRef<HTMLElement>(null);
  useScrollKept(place);
  // Screen reader and keyboard users start at the beginning of the new view.
  useEffect(() => {
    if (place.by !== "load") main.current?.focus({ preventScroll: true });
  }, [place.path, place.key, place.by]);
  // For everyone who has the link, so it needs no session.
  if (place.path === "/editor/preview") return <SharedPreview />;
  return (
    <>
      <a className="skip" href="#main">
        Skip to the text
      </a>
      <Head />
      <main id="main" ref={main} tabIndex={-1}>
        <View />
      </main>
    </>
  );
}

function View() {
  const place = usePlace();
  const { viewer, error, isExpired, refresh } = useSession();
  if (error && !viewer) return <FailedView error={error} onRetry={() => void refresh()} />;
  if (viewer === undefined) return <Loading what="the editor" />;
  if (viewer === null) return <SignIn isExpired={isExpired} />;
  return <Suspense fallback={<Loading what="the editor" />}>{viewOf(place)}</Suspense>;
}

function Head() {
  const { viewer } = useSession();
  return (
    <header className="head">
      <Link className="brand" to={addressOf.desk}>
        <img src="/editor/favicon.svg" alt="" width="26" height="26" />
        <span>Tidings</span>
      </Link>
      {viewer ? (
        <>
          <nav aria-label="Editor">
            <Section to={addressOf.desk} name="Posts" pattern={/^\/editor(\/(new|posts.*))?$/} />
            <Section to={addressOf.pages} name="Pages" pattern={/^\/editor\/pages/} />
            {canWrite(viewer) ? <Section to={addressOf.media} name="Media" pattern={/^\/editor\/media/} /> : null}
            {isEditor(viewer) ? <Section to={addressOf.terms()} name="Terms" pattern={/^\/editor\/terms/} /> : null}
            {isEditor(viewer) ? (
              <Section
                to={addressOf.admin(viewer.role === "ADMIN" ? "webhooks" : "audit-log")}
                name={viewer.role === "ADMIN" ? "Admin" : "Audit log"}
                pattern={/^\/editor\/admin/}
              />
            ) : null}
          </nav>
          <div className="head-end">
            <SignOut />
          </div>
        </>
      ) : null}
    </header>
  );
}

function Section({ to, name, pattern }: { to: string; name: string; pattern: RegExp }) {
  const { path } = usePlace();
  return (
    <Link to={to} className={pattern.test(path) ? "current" : undefined}>
      {name}
    </Link>
  );
}
