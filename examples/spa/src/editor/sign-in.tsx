// The token is tried before it is kept, so that a wrong one is told here and nowhere else.
import { type FormEvent, useRef, useState } from "react";
import { type Failure, failureOf } from "../graphql/failure";
import { makeClient } from "../graphql/client";
import { useSession } from "../session/session";
import { Page } from "../ui/page";
import { ViewerQuery } from "./documents";

type Problem = Pick<Failure, "title" | "text">;

const NONE: Problem = { title: "The field is empty", text: "Paste your token into it." };

/** `isAnew`: the token that one had is not taken any more. */
export function SignIn({ isAnew = false }: { isAnew?: boolean }) {
  const { signIn } = useSession();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);

  const tell = (told: Problem) => {
    setProblem(told);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    if (token === "") return tell(NONE);
    setBusy(true);
    const { data, error } = await makeClient(token).query(ViewerQuery, {});
    setBusy(false);
    if (data?.viewer) return signIn(token);
    const failure = error && failureOf(error);
    return tell(failure?.code === "UNAUTHENTICATED" || !failure ? WRONG : failure);
  };

  return (
    <Page title="Sign in" kind="For writers" intro="With the token that whoever runs the site has given you.">
      {isAnew ? <p className="notice">The server does not accept your token any more. What you have typed is kept: sign in with another one.</p> : null}
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
            It is kept in this tab alone, until you sign out or close it.
          </p>
          <p className="problem" id="token-problem" role="alert">
            {problem ? `${problem.title}. ${problem.text}` : null}
          </p>
        </div>
        <button type="submit" className="button main" disabled={isBusy}>
          {isBusy ? "Looking …" : "Sign in"}
        </button>
      </form>
    </Page>
  );
}

const WRONG: Problem = {
  title: "The server does not accept this token",
  text: "It is mistyped, has expired or was revoked. Paste it again, or ask for a new one.",
};
