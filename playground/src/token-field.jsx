// The visitor's token: given, checked with the server before it is kept, told of, forgotten.
import { useEffect, useRef, useState } from "react";
import { checkToken } from "./server.js";
import { changeToken, settings, useSettings } from "./store.js";

const DIALOG = "token-dialog";

export const openTokenField = () => document.getElementById(DIALOG)?.showModal();

export function TokenField() {
  const { token } = useSettings();
  return (
    <>
      <button type="button" className={token ? "control has-token" : "control"} aria-haspopup="dialog" onClick={openTokenField}>
        {token ? "Token: given" : "Token: none"}
      </button>
      <TokenDialog token={token} />
    </>
  );
}

function TokenDialog({ token }) {
  const dialog = useRef(null);
  const field = useRef(null);
  const [said, setSaid] = useState({});
  const [bearer, setBearer] = useState(null);
  // A token that was kept from before the page was loaded: whose it is now, the server tells.
  useEffect(() => {
    if (token) checkToken(token).then((told) => settings().token === token && setBearer(told));
  }, []);

  async function take(event) {
    event.preventDefault();
    const given = field.current.value.trim().replace(/^bearer\s+/i, "");
    setSaid({ asking: true });
    const outcome = mistakeIn(given) ?? (await checkToken(given));
    setSaid(outcome);
    if (outcome.mistake) return field.current.focus();
    field.current.value = "";
    setBearer(outcome);
    changeToken(given);
  }

  function forget() {
    setBearer(null);
    changeToken("");
    setSaid({});
    field.current.focus();
  }

  return (
    <dialog id={DIALOG} ref={dialog} aria-labelledby="token-title" onClose={() => setSaid({})}>
      <form onSubmit={take} noValidate>
        <h2 id="token-title">Token</h2>
        <p id="token-state">{token ? stateOf(bearer) : "You have given no token: you see what everyone sees."}</p>
        <label htmlFor="token">{token ? "Another token" : "Your token"}</label>
        <input
          id="token"
          ref={field}
          type="password"
          autoComplete="off"
          spellCheck="false"
          aria-invalid={Boolean(said.mistake)}
          aria-describedby="token-said token-kept"
        />
        <p id="token-said" className={said.mistake ? "mistake" : "good"} role="status">
          {said.asking ? "Asking the server …" : (said.mistake ?? (said.viewer ? "The server takes it." : ""))}
        </p>
        <p id="token-kept" className="hint">
          It is kept until this tab is closed, and sent as <code>Authorization: Bearer</code> to this server alone.
        </p>
        <Makers />
        <div className="buttons">
          <button type="submit" className="primary" disabled={Boolean(said.asking)}>
            Use it
          </button>
          {token && (
            <button type="button" onClick={forget}>
              Forget it
            </button>
          )}
          <button type="button" onClick={() => dialog.current.close()}>
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** The ways to a token. A server has the store's file for itself, so that the command is refused while it runs. */
function Makers() {
  return (
    <div className="hint">
      <p>You have none yet? Any of these makes one:</p>
      <ul>
        <li>
          while the server is stopped, <code>tidings token create --role editor --name Me</code>;
        </li>
        <li>
          start the server with <code>TIDINGS_EDITOR_TOKEN</code>, a text of your own of 24 characters or more;
        </li>
        <li>
          as an admin, the mutation <code>createToken</code>.
        </li>
      </ul>
    </div>
  );
}

/** `bearer` is what `checkToken` told, or null while it is asked. */
function stateOf(bearer) {
  if (!bearer) return "Asking the server whose token you have given …";
  return bearer.mistake ?? `You are signed in as ${bearer.viewer.name}, with the role ${bearer.viewer.role}.`;
}

/** What can be told without asking: a header cannot hold it (RFC 6750, section 2.1). */
function mistakeIn(token) {
  if (!token) return { mistake: "There is no token in the field." };
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    return { mistake: "A token has letters, digits and -._~+/ alone: no spaces, quotes or line breaks." };
  }
  return null;
}
