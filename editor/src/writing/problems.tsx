// The errors of a change that belong to no field of the form.
import { failureOf } from "../graphql/failure";
import { useSession } from "../session";
import type { Changes } from "./use-changes";
import { FIELDS, NAMES_OF_FIELDS } from "./values";

export function Problems({ changes }: { changes: Changes }) {
  const { expire } = useSession();
  const failure = changes.error && failureOf(changes.error);
  const elsewhere = changes.userErrors.filter(({ field }) => field === undefined);
  const count = changes.userErrors.length - elsewhere.length;
  return (
    <div role="alert">
      {failure ? (
        <div className="failed">
          <h2>{failure.title}</h2>
          <p>{failure.text} Your text is kept in this browser.</p>
          {failure.code === "UNAUTHENTICATED" ? (
            <button type="button" className="button" onClick={expire}>
              Sign in again
            </button>
          ) : null}
          <p className="code">
            Code: <code>{failure.code}</code>
          </p>
        </div>
      ) : null}
      {changes.userErrors.length > 0 ? (
        <div className="failed">
          <h2>It was not saved</h2>
          {elsewhere.map(({ message }) => (
            <p key={message}>{sentence(message)}</p>
          ))}
          {count > 0 ? <p>See {namesOfFields(changes)} below.</p> : null}
        </div>
      ) : null}
    </div>
  );
}

function namesOfFields({ userErrors }: Changes): string {
  const names = NAMES_OF_FIELDS.filter((name) => userErrors.some(({ field }) => field === name));
  return names.map((name) => FIELDS[name]).join(", ");
}

/** The server's messages start with a lower-case letter. */
export function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
