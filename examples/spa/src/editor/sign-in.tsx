// The token is tested before it is kept, so that a wrong token is reported only here.
import { type FormEvent, useRef, useState } from "react";
import { type Failure, failureOf } from "../graphql/failure";
import { makeClient } from "../graphql/client";
import { useSession } from "../session/session";
import { Page } from "../ui/page";
import { ViewerQuery } from "./documents";

type Problem = Pick<Failure, "title" | "text">;

const NONE: Problem = { title: "The field is empty", text: "Paste your token into it." };

/** `isExpired`: the server no longer accepts the previous token. */
export function SignIn({ isExpired = false }: { isExpired?: boolean }) {
  const { signIn } = useSession();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);

  const show = (shown: Problem) => {
    setProblem(shown);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    if (token === "") return show(NONE);
    setBusy(true);
    const { data, error } = await makeClient(token).query(ViewerQuery, {});
    setBusy(false);
    if (data?.viewer) return signIn(token);
    const failure = error && failureOf(error);
    return show(failure?.code === "UNAUTHENTICATED" || !failure ? WRONG : failure);
  };

  return (
    <Page title="Sign in" kind="For writers" intro="With the token that you got from the operator of the site.">
      {isExpired ? <p className="notice">The server does not accept your token any more. What you have typed is kept: sign in with another token.</p> : null}
      <form className="sign-in" onSubmit={(event) => void submit(event)} noValidate>
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
            It is kept only in this tab, until you sign out or close the tab.
          </p>
          <p className="problem" id="token-problem" role="alert">
            {problem ? `${problem.title}. ${problem.text}` : null}
          </p>
        </div>
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? "Checking …" : "Sign in"}
        </button>
      </form>
    </Page>
  );
}

const WRONG: Problem = {
  title: "The server does not accept this token",
  text: "It is mistyped, has expired or was revoked. Paste it again, or ask for a new one.",
};
