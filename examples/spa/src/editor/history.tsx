// The versions of a post: who changed what, with a button to restore each.
import { useQuery } from "urql";
import type { EditedPostFragment } from "../gql/graphql";
import { Minute } from "../ui/time";
import { HistoryQuery } from "./documents";
import { changesIn, nameOf } from "./words";

interface Props {
  post: EditedPostFragment;
  isDirty: boolean;
  onRestore: (revision: { id: string; version: number }) => void;
}

export function History({ post, isDirty, onRestore }: Props) {
  const [{ data }] = useQuery({ query: HistoryQuery, variables: { id: post.id }, requestPolicy: "cache-and-network" });
  const node = data?.node;
  const revisions = (node && "revisions" in node ? node.revisions?.nodes : null) ?? [];
  return (
    <details className="panel history">
      <summary>
        Versions <span className="count">{post.version}</span>
      </summary>
      {isDirty ? <p className="hint">Save or undo your changes before you restore a version.</p> : null}
      <ol reversed>
        {revisions.map((revision) => (
          <li key={revision.version}>
            <p>
              <strong>{revision.version}</strong> <Minute at={revision.changedAt} />, {nameOf(revision)}
            </p>
            <p className="hint">{changesIn(revision)}</p>
            {revision.version === post.version ? null : (
              <button type="button" className="button quiet" disabled={isDirty} onClick={() => onRestore(revision)}>
                Restore<span className="unseen"> version {revision.version}</span>
              </button>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}
