// What a view shows while it loads, if it is empty, and if it failed.
import { type ReactNode, useEffect } from "react";
import type { CombinedError } from "urql";
import { failureOf } from "../graphql/failure";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { useSession } from "../session";
import { Page, useTitle } from "./page";

export function Loading({ what }: { what: string }) {
  return (
    <p className="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>;
}

export function NotFound({ what }: { what: string }) {
  return (
    <Page title="Not here">
      <Empty>
        <p>There is no {what} at this address. It may have been deleted.</p>
        <p>
          <Link to={addressOf.desk}>To the posts</Link>
        </p>
      </Empty>
    </Page>
  );
}

interface FailedProps {
  error: CombinedError;
  onRetry: () => void;
}

/** For a failure of the whole view, with its heading. */
export function FailedView(props: FailedProps) {
  useTitle(failureOf(props.error).title);
  return (
    <div className="page">
      <Failed {...props} heading="h1" />
    </div>
  );
}

export function Failed({ error, onRetry, heading: Heading = "h2" }: FailedProps & { heading?: "h1" | "h2" }) {
  const failure = failureOf(error);
  const { expire } = useSession();
  const isSignedOut = failure.code === "UNAUTHENTICATED";
  useEffect(() => {
    if (isSignedOut) expire();
  }, [isSignedOut, expire]);
  return (
    <div className="failed" role="alert">
      <Heading>{failure.title}</Heading>
      <p>{failure.text}</p>
      {failure.canRetry ? (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      ) : null}
      <p className="code">
        Code: <code>{failure.code}</code>
      </p>
    </div>
  );
}
