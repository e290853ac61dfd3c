// The access tokens of the site: create one, see its secret once, revoke it.
import { type FormEvent, useState } from "react";
import { useQuery } from "urql";
import type { Role, TokenItemFragment } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { Paged } from "../lists/paged";
import { useSession } from "../session";
import { Labelled } from "../ui/labelled";
import { Secret } from "../ui/secret";
import { Empty } from "../ui/states";
import { Minute } from "../ui/time";
import { CreateToken, RevokeToken, TokenAuthorsQuery, TokensQuery } from "./documents";

const ROLES: Record<Role, string> = {
  READER: "Reader: reads drafts",
  AUTHOR: "Author: writes the posts of one author",
  EDITOR: "Editor: writes all posts, pages and series",
  ADMIN: "Admin: everything",
};

export function Tokens() {
  const [created, setCreated] = useState<{ name: string; secret: string } | null>(null);
  // A new key reads the list again.
  const [changes, setChanges] = useState(0);
  const [said, setSaid] = useState("");
  return (
    <>
      {created ? (
        <Secret
          title={`The token “${created.name}”`}
          secret={created.secret}
          hint="It is shown only now. If it is lost, revoke the token and create another."
          onKept={() => setCreated(null)}
        />
      ) : null}
      <Creation
        key={`new ${changes}`}
        onCreated={(name, secret) => {
          setCreated({ name, secret });
          setSaid("");
          setChanges((count) => count + 1);
        }}
      />
      <p role="status" className="said">
        {said}
      </p>
      <section className="post-group" aria-label="Tokens" key={changes}>
        <Paged query={TokensQuery} asked={{}} connectionOf={(data) => data.tokens} empty={<Empty>There are none yet.</Empty>}>
          {(tokens) => (
            <ul className="items">
              {tokens.map((token) => (
                <Item key={token.id} token={token} onRevoked={() => setSaid(`${token.name} is revoked.`)} />
              ))}
            </ul>
          )}
        </Paged>
      </section>
    </>
  );
}

function Item({ token, onRevoked }: { token: TokenItemFragment; onRevoked: () => void }) {
  const { viewer } = useSession();
  const { ask, problem, isBusy } = useAsked();
  const [now] = useState(() => Date.now());
  const { id, name, role, author, createdAt, expiresAt, revokedAt } = token;
  const isOld = expiresAt != null && Date.parse(expiresAt) <= now;
  const isOwn = viewer?.kind === "TOKEN" && viewer.name === name;
  const revoke = async () => {
    const warning = isOwn ? "You are signed in with it, so this signs you out." : "Who has it loses access at once.";
    if (!window.confirm(`Revoke “${name}”? ${warning} This cannot be undone.`)) return;
    if (await ask(RevokeToken, { input: { id } }, (data) => data.revokeToken)) onRevoked();
  };
  return (
    <li>
      <span className="name">{name}</span>
      <span className="count">
        {role.toLowerCase()}
        {author ? `: ${author.name}` : ""}, created <Minute at={createdAt} />
        {expiresAt == null || isOld ? null : (
          <>
            , until <Minute at={expiresAt} />
          </>
        )}
      </span>
      {isOwn ? <span className="badge">yours</span> : null}
      {revokedAt == null && isOld ? <span className="badge off">expired</span> : null}
      {revokedAt == null ? (
        <button type="button" className="button quiet bad" disabled={isBusy} onClick={() => void revoke()}>
          Revoke<span className="unseen"> {name}</span>
        </button>
      ) : (
        <span className="badge off">
          revoked <Minute at={revokedAt} />
        </span>
      )}
      <p className="problem" role="alert">
        {problem}
      </p>
    </li>
  );
}

function Creation({ onCreated }: { onCreated: (name: string, secret: string) => void }) {
  const { ask, problem, setProblem, isBusy } = useAsked();
  const [values, setValues] = useState({ name: "", role: "EDITOR" as Role, authorSlug: "", lastDay: "" });
  const [{ data }] = useQuery({ query: TokenAuthorsQuery, variables: {}, pause: values.role !== "AUTHOR" });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { name, role, authorSlug, lastDay } = values;
    const end = lastDay === "" ? null : new Date(`${lastDay}T23:59:59`);
    if (end && !(end.getTime() > Date.now())) return setProblem("Choose a day that has not passed.");
    const input = { name, role, ...(role === "AUTHOR" && { authorSlug }), ...(end && { expiresAt: end.toISOString() }) };
    const made = await ask(CreateToken, { input }, (answer) => answer.createToken);
    if (made?.secret != null) onCreated(name, made.secret);
  };
  return (
    <form className="panel admin-form" aria-label="New token" onSubmit={(event) => void submit(event)} noValidate>
      <Labelled label="Name" hint="Whose it is, or what uses it. The versions of posts show it.">
        {(control) => <input {...control} value={values.name} autoComplete="off" onChange={({ target }) => setValues({ ...values, name: target.value })} />}
      </Labelled>
      <Labelled label="Role">
        {(control) => (
          <select {...control} value={values.role} onChange={({ target }) => setValues({ ...values, role: target.value as Role })}>
            {(Object.entries(ROLES) as [Role, string][]).map(([role, shown]) => (
              <option key={role} value={role}>
                {shown}
              </option>
            ))}
          </select>
        )}
      </Labelled>
      {values.role === "AUTHOR" ? (
        <Labelled label="Author">
          {(control) => (
            <select {...control} value={values.authorSlug} onChange={({ target }) => setValues({ ...values, authorSlug: target.value })}>
              <option value="">Choose one</option>
              {(data?.authors.nodes ?? []).map(({ slug, name }) => (
                <option key={slug} value={slug}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      ) : null}
      <Labelled label="Last day" hint="If it is empty, it never expires.">
        {(control) => <input {...control} type="date" value={values.lastDay} onChange={({ target }) => setValues({ ...values, lastDay: target.value })} />}
      </Labelled>
      <p className="problem" role="alert">
        {problem}
      </p>
      <p className="actions">
        <button type="submit" className="button main" disabled={isBusy}>
          Create the token
        </button>
      </p>
    </form>
  );
}
