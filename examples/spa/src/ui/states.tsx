// What a view shows while it loads, if it is empty, and if it failed.
import type { ReactNode } from "react";
import type { CombinedError } from "urql";
import { failureOf } from "../graphql/failure";
import { useTitle } from "./page";

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
