// The visitor's token: entered, checked with the server before it is kept, removed. The rule: the page always shows whose token it sends.
import { useEffect, useRef, useState } from "react";
import { checkToken } from "./server.js";
import { changeToken, settings, useSettings } from "./store.js";

const DIALOG = "token-dialog";

export const openTokenField = () => document.getElementById(DIALOG)?.showModal();

export function TokenField() {
  const { token } = useSettings();
  const button = useRef(null);
  const [bearer, setBearer] = useState(null);
  // A token may have been kept before the page was loaded; the server returns its owner.
  useEffect(() => {
    if (token) checkToken(token).then((outcome) => settings().token === token && setBearer(outcome));
  }, []);
  const isAccepted = Boolean(token && bearer?.viewer);

  function accept(given, outcome) {
    setBearer(outcome);
    changeToken(given);
    // The button that opened the dialog may be the one below the answer, which is removed when there is a new token.
    button.current.focus();
  }

  function remove() {
    setBearer(null);
    changeToken("");
  }

  return (
    <>
      <p className="visually-hidden" id="token-announced" role="status">
        {isAccepted && stateOf(bearer)}
      </p>
      <button
        type="button"
        ref={button}
        className={isAccepted ? "control has-token" : "control"}
        title={isAccepted ? stateOf(bearer) : undefined}
        aria-haspopup="dialog"
        onClick={openTokenField}
      >
        <span className="clipped">Token: {token ? labelOf(bearer) : "none"}</span>
      </button>
      <TokenDialog token={token} bearer={bearer} accept={accept} remove={remove} />
    </>
  );
}

/** Closes when the server has accepted a token; stays open with the reason if the token is refused. */
function TokenDialog({ token, bearer, accept, remove }) {
  const dialog = useRef(null);
  const field = useRef(null);
  const [said, setSaid] = useState({});

  async function take(event) {
    event.preventDefault();
    const given = field.current.value.trim().replace(/^bearer\s+/i, "");
    setSaid({ asking: true });
    const outcome = mistakeIn(given) ?? (await checkToken(given));
    setSaid(outcome);
    if (outcome.mistake) return field.current.focus();
    field.current.value = "";
    dialog.current.close();
    accept(given, outcome);
  }

  function clear() {
    remove();
    setSaid({});
    field.current.focus();
  }

  return (
    <dialog id={DIALOG} ref={dialog} aria-labelledby="token-title" onClose={() => setSaid({})}>
      <form onSubmit={take} noValidate>
        <h2 id="token-title">Token</h2>
        <p id="token-state">{token ? stateOf(bearer) : "You have given no token: you see public content only."}</p>
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
        <p id="token-said" className={said.mistake ? "mistake" : "hint"} role="status">
          {said.asking ? "Asking the server …" : said.mistake}
        </p>
        <p id="token-kept" className="hint">
          It is kept until this tab is closed, and sent as <code>Authorization: Bearer</code> only to this server.
        </p>
        <Makers />
        <div className="buttons">
          <button type="submit" className="primary" disabled={Boolean(said.asking)}>
            Use it
          </button>
          {token && (
            <button type="button" onClick={clear}>
              Remove it
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

/** The ways to get a token. */
function Makers() {
  return (
    <div className="hint">
      <p>You have no token yet? Each of these creates one:</p>
      <ul>
        <li>
          in a terminal, also beside the running server, <code>tidings token create --role editor --name Me</code>;
        </li>
        <li>
          start the server with <code>TIDINGS_EDITOR_TOKEN</code>, a secret of your own with 24 characters or more;
        </li>
        <li>
          as an admin, the mutation <code>createToken</code>.
        </li>
      </ul>
    </div>
  );
}

/** Whose token the page sends, in the few words of the button. `bearer` is the result of `checkToken`, or null until there is one. */
function labelOf(bearer) {
  if (!bearer) return "given";
  return bearer.viewer?.name ?? "not accepted";
}

/** The same in a sentence. */
function stateOf(bearer) {
  if (!bearer) return "Asking the server whose token you have given …";
  return bearer.mistake ?? `You are signed in as ${bearer.viewer.name}, with the role ${bearer.viewer.role}.`;
}

/** A mistake that needs no request: a header cannot contain this text (RFC 6750, section 2.1). */
function mistakeIn(token) {
  if (!token) return { mistake: "There is no token in the field." };
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token)) {
    return { mistake: "A token contains only letters, digits and -._~+/: no spaces, quotes or line breaks." };
  }
  return null;
}
