// The versions of a post or page: who changed what, how its text differs from that of today, and a button to restore it.
import { useMemo, useState } from "react";
import { useQuery } from "urql";
import { HistoryQuery, VersionQuery } from "../documents";
import { Minute } from "../ui/time";
import { differences } from "./differences";
import { Marked } from "./marked";
import type { Edited } from "./values";
import { changesIn, nameOf } from "./words";

interface Props {
  content: Edited;
  isDirty: boolean;
  /** Null: the token does not allow it. */
  onRestore: ((revision: { id: string; version: number }) => void) | null;
}

export function History({ content, isDirty, onRestore }: Props) {
  const [{ data }] = useQuery({ query: HistoryQuery, variables: { id: content.id }, requestPolicy: "cache-and-network" });
  const [shown, setShown] = useState<string | null>(null);
  const node = data?.node;
  const revisions = (node && "revisions" in node ? node.revisions?.nodes : null) ?? [];
  return (
    <details className="panel history">
      <summary>
        Versions <span className="count">{content.version}</span>
      </summary>
      {isDirty ? <p className="hint">Save or undo your changes before you restore a version.</p> : null}
      <ol reversed>
        {revisions.map((revision) => (
          <li key={revision.version}>
            <p>
              <strong>{revision.version}</strong> <Minute at={revision.changedAt} />, {nameOf(revision)}
            </p>
            <p className="hint">{changesIn(revision)}</p>
            {revision.version === content.version ? null : (
              <>
                <button
                  type="button"
                  className="button quiet"
                  aria-expanded={shown === revision.id}
                  onClick={() => setShown(shown === revision.id ? null : revision.id)}
                >
                  {shown === revision.id ? "Hide" : "Compare"}
                  <span className="unseen"> version {revision.version}</span>
                </button>
                {onRestore ? (
                  <button type="button" className="button quiet" disabled={isDirty} onClick={() => onRestore(revision)}>
                    Restore<span className="unseen"> version {revision.version}</span>
                  </button>
                ) : null}
                {shown === revision.id ? <Difference id={revision.id} content={content} /> : null}
              </>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Red: only the earlier version has it. Green: only the saved text of today has it. */
function Difference({ id, content }: { id: string; content: Edited }) {
  const [{ data, error }] = useQuery({ query: VersionQuery, variables: { id } });
  const node = data?.node;
  const version = node && "title" in node ? node : null;
  const stretches = useMemo(
    () => (version ? differences(`${version.title}\n\n${version.body.markdown}`, `${content.title}\n\n${content.body.markdown}`) : null),
    [version, content],
  );
  if (error) return <p className="problem">It could not be loaded.</p>;
  if (!stretches) return <p className="hint">Loading …</p>;
  if (stretches.every((stretch) => stretch.in === "both")) return <p className="hint">The title and the text are the same.</p>;
  return (
    <>
      <p className="hint">
        <del>Only in that version</del>, <ins>only in that of today</ins>:
      </p>
      <Marked stretches={stretches} side="all" />
    </>
  );
}
