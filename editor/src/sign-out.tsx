import { endSession, useSession } from "./session";
import { forgetAllTexts, idsOfKeptTexts } from "./writing/kept-text";

export function SignOut() {
  const { refresh } = useSession();
  const leave = async () => {
    const warning = "There is text that you have not saved. If you sign out, it is deleted.";
    if (idsOfKeptTexts().length > 0 && !window.confirm(warning)) return;
    await endSession();
    forgetAllTexts();
    await refresh();
  };
  return (
    <button type="button" className="button quiet" onClick={() => void leave()}>
      Sign out
    </button>
  );
}
