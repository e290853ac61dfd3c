// What a view shows while it loads, where it is empty and where it failed.
import type { ReactNode } from "react";
import type { CombinedError } from "urql";
import { failureOf } from "../graphql/failure";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";

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

export function Failed({ error, onRetry }: FailedProps) {
  const failure = failureOf(error);
  return (
    <div className="failed" role="alert">
      <h2>{failure.title}</h2>
      <p>{failure.text}</p>
      {failure.canRetry ? (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      ) : null}
      {failure.code === "UNAUTHENTICATED" ? <Link to={addressOf.desk}>To the sign-in</Link> : null}
      <p className="code">
        Code: <code>{failure.code}</code>
      </p>
    </div>
  );
}
