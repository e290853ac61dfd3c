// The token is tested by the server before it is kept, so that a wrong token is reported only here.
import { type FormEvent, useEffect, useRef, useState } from "react";
import { renameTo, settle, usePlace } from "./routing/place";
import { beginSession, endSession, providerOfServer, useSession } from "./session";
import { Page } from "./ui/page";

interface Problem {
  title: string;
  text: string;
}

const NONE: Problem = { title: "The field is empty", text: "Paste your token into it." };
const WRONG: Problem = {
  title: "The server does not accept this token",
  text: "It is mistyped, has expired or was revoked. Paste it again, or ask for a new one.",
};
const NO_COOKIE: Problem = {
  title: "The browser has not kept the session",
  text: "Allow cookies for this address, and open the editor by https if the server is configured for it.",
};
const OUT_OF_REACH: Problem = { title: "The server is out of reach", text: "Check your connection, then try again." };

/** Why the provider has sent the browser back without a session: the server writes the name after the `#`. */
const REASONS: Record<string, string> = {
  expired: "It took too long, or was begun in another browser. Try again.",
  refused: "The provider has signed nobody in.",
  role: "The provider knows you, but you have no role here. Ask whoever operates the server.",
  long: "The provider's token is too long for a cookie. Ask whoever operates the server.",
  many: "Too many people are signing in from your address at once. Wait a moment, then try again.",
  failed: "The provider could not be asked. Try again; if it does not pass, the log of the server says why.",
};

function Provider() {
  const { path, search } = usePlace();
  const [host, setHost] = useState<string | null>(null);
  const [reason] = useState(() => {
    const name = /^#sign-in=(\w+)$/.exec(window.location.hash)?.[1] ?? "";
    return Object.hasOwn(REASONS, name) ? REASONS[name] : undefined;
  });
  useEffect(() => {
    void providerOfServer().then(setHost);
    if (reason !== undefined) renameTo(window.location.pathname + window.location.search);
  }, [reason]);
  return (
    <>
      <p className="problem" role="alert">
        {reason}
      </p>
      {host === null ? null : (
        <p>
          <a className="button main" href={`/editor/sign-in?to=${encodeURIComponent(path + search)}`}>
            Sign in with {host}
          </a>
        </p>
      )}
    </>
  );
}

/** `isExpired`: the server no longer accepts the previous token. */
export function SignIn({ isExpired }: { isExpired: boolean }) {
  const { refresh } = useSession();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);

  useEffect(settle, []);

  const tryWith = async (token: string): Promise<Problem | null> => {
    const failure = await beginSession(token).catch(() => "unreachable" as const);
    if (failure === "unreachable") return OUT_OF_REACH;
    if (failure) return failure.code === "UNAUTHENTICATED" ? WRONG : { title: "It did not work", text: failure.message };
    const viewer = await refresh();
    if (viewer) return null;
    // A preview link gives access to one text and has no owner.
    if (token.startsWith("tdp_")) await endSession();
    return token.startsWith("tdp_") ? WRONG : NO_COOKIE;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    setBusy(true);
    const found = token === "" ? NONE : await tryWith(token);
    setBusy(false);
    setProblem(found);
    if (found) field.current?.focus();
  };

  return (
    <Page title="Sign in" intro="Write and publish on this site.">
      {isExpired ? <p className="notice">You are not signed in any more: the token has expired or was revoked, or the browser has deleted the session. What you have typed is kept: sign in again.</p> : null}
      <Provider />
      <form className="sign-in panel" onSubmit={(event) => void submit(event)} noValidate>
        <div className="field">
          <label htmlFor="token">Token</label>
          <input
            id="token"
            ref={field}
            type="password"
            autoComplete="current-password"
            spellCheck={false}
            aria-describedby="token-hint token-problem"
            aria-invalid={problem !== null}
          />
          <p className="hint" id="token-hint">
            You paste it once; this browser keeps it where no script can read it.
          </p>
          <p className="problem" id="token-problem" role="alert">
            {problem ? `${problem.title}. ${problem.text}` : null}
          </p>
        </div>
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? "Checking …" : "Sign in"}
        </button>
      </form>
      <section className="no-token">
        <h2>No token yet?</h2>
        <p>Whoever operates the server creates one, beside the running server:</p>
        <pre>
          <code>tidings token create --role editor --name "My laptop"</code>
        </pre>
      </section>
    </Page>
  );
}
