// The rule: the kept texts are deleted only after the server has ended the session.
import { useState } from "react";
import { endSession, useSession } from "./session";
import { forgetAllTexts, idsOfKeptTexts } from "./writing/kept-text";

export function SignOut() {
  const { viewer, refresh } = useSession();
  const [problem, setProblem] = useState("");
  const leave = async () => {
    const warning = "There is text that you have not saved. If you sign out, it is deleted.";
    if (idsOfKeptTexts().length > 0 && !window.confirm(warning)) return;
    setProblem("");
    const failure = await endSession();
    if (failure) return setProblem(`You are still signed in. ${failure.message}`);
    forgetAllTexts();
    await refresh();
    // The next person at this browser has to sign in there too.
    if (viewer?.kind === "OPENID") window.location.assign("/editor/sign-in/leave");
  };
  return (
    <>
      <button type="button" className="button quiet" onClick={() => void leave()}>
        Sign out
      </button>
      <p className="problem" role="alert">
        {problem}
      </p>
    </>
  );
}
