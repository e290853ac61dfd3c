// Who changed what. The rule: the filter looks at the entries that are loaded, and says so; the next page continues from there.
import { useState } from "react";
import type { ChangeAction, LogItemFragment } from "../gql/graphql";
import { Paged } from "../lists/paged";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Labelled } from "../ui/labelled";
import { Empty } from "../ui/states";
import { Minute } from "../ui/time";
import { actorName, listOf } from "../writing/words";
import { AuditLogQuery } from "./documents";

const KINDS = { "": "Everything", Post: "Posts", Page: "Pages", term: "Terms", access: "Tokens and preview links" } as const;
type Kind = keyof typeof KINDS;

const DONE: Record<ChangeAction, string> = {
  CREATED: "created",
  UPDATED: "changed",
  RENAMED: "renamed",
  SCHEDULED: "scheduled",
  PUBLISHED: "published",
  UNPUBLISHED: "unpublished",
  DELETED: "deleted",
  REVOKED: "revoked",
};

export function AuditLog() {
  const [kind, setKind] = useState<Kind>("");
  const [text, setText] = useState("");
  const matches = (entry: LogItemFragment) => (kind === "" || kindOf(entry) === kind) && textOf(entry).includes(text.trim().toLowerCase());
  return (
    <>
      <div className="panel admin-form" role="search" aria-label="The loaded entries">
        <Labelled label="Of">
          {(control) => (
            <select {...control} value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
              {Object.entries(KINDS).map(([name, shown]) => (
                <option key={name} value={name}>
                  {shown}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        <Labelled label="With the words" hint="In names, addresses and what was done, of the entries below; “Show more” loads older ones.">
          {(control) => <input {...control} type="search" value={text} onChange={({ target }) => setText(target.value)} />}
        </Labelled>
      </div>
      <section className="post-group" aria-label="Entries">
        <Paged query={AuditLogQuery} asked={{}} connectionOf={(data) => data.auditLog} empty={<Empty>Nothing has been changed yet.</Empty>}>
          {(entries) => {
            const shown = entries.filter(matches);
            if (shown.length === 0) return <p className="hint none">None of these {entries.length} entries matches.</p>;
            return (
              <ol className="items log">
                {shown.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ol>
            );
          }}
        </Paged>
      </section>
    </>
  );
}

function Entry({ entry }: { entry: LogItemFragment }) {
  const address = addressOfNode(entry);
  const name = nameOf(entry);
  return (
    <li>
      {address === null ? <span className="name">{name}</span> : <Link to={address}>{name}</Link>}
      <span className="badge plain">{whatOf(entry)}</span>
      <span className="count">
        {listOf(entry.actions.map((action) => DONE[action] ?? action.toLowerCase()))} by {whoOf(entry)}, <Minute at={entry.occurredAt} />
      </span>
    </li>
  );
}

function whoOf({ actor }: LogItemFragment): string {
  return actor ? actorName(actor) : "the server";
}

function whatOf(entry: LogItemFragment): string {
  if ("nodeType" in entry) return entry.nodeType.toLowerCase();
  if ("webhook" in entry) return "webhook";
  return "token" in entry ? "token" : "preview links";
}

function kindOf(entry: LogItemFragment): Kind {
  if (!("nodeType" in entry)) return "access";
  return entry.nodeType === "Post" || entry.nodeType === "Page" ? entry.nodeType : "term";
}

function nameOf(entry: LogItemFragment): string {
  if ("webhook" in entry) return entry.webhook?.url ?? "A webhook";
  if (!("nodeType" in entry)) return "token" in entry ? (entry.token?.name ?? "An access token") : "All preview links";
  const { node, path, slug, nodeId } = entry;
  if (node && "title" in node) return node.title;
  return node && "name" in node ? node.name : (path ?? slug ?? nodeId);
}

function textOf(entry: LogItemFragment): string {
  const address = "nodeType" in entry ? (entry.path ?? entry.slug ?? "") : "";
  const done = entry.actions.map((action) => DONE[action] ?? action).join(" ");
  return `${nameOf(entry)} ${address} ${whatOf(entry)} ${done} ${whoOf(entry)}`.toLowerCase();
}

function addressOfNode(entry: LogItemFragment): string | null {
  if (!("node" in entry) || !entry.node || !("title" in entry.node)) return null;
  return entry.nodeType === "Page" ? addressOf.editPage(entry.node.id) : addressOf.edit(entry.node.id);
}
