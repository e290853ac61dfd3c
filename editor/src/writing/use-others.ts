// What others do to the open text. The rule: it appears at once, beside what was typed if that is elsewhere in the text; otherwise the writer chooses when
// saving.
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useClient } from "urql";
import { watch } from "../graphql/live";
import { EditedQuery, WatchedQuery } from "../page-documents";
import { merged } from "./merge";
import { type Changes, type Conflict, conflictWith } from "./use-changes";
import type { Typed } from "./use-text";
import { type Edited, type Kind, differing, faultsOf, isStored, valuesOf } from "./values";
import { summaryOf } from "./words";

const AGAIN_MS = 2_000;

interface Props {
  kind: Kind;
  /** Null for a new one. */
  content: Edited | null;
  setContent: (content: Edited) => void;
  typed: Typed;
  changes: Changes;
  /** The writer sees both texts already. */
  isChoosing: boolean;
}

/** Says what others have done. */
export function useOthers({ kind, content, setContent, typed, changes, isChoosing }: Props): string {
  const client = useClient();
  const id = content?.id;
  const { version } = typed.text;
  const [stored, setStored] = useState<number | null>(0);
  const [said, setSaid] = useState({ until: 0, text: "" });

  const take = ({ theirs, since }: Conflict) => {
    const { base, values, beside } = typed.now();
    const now = valuesOf(theirs);
    const who = summaryOf(since);
    const isOwn = typed.isDirty && faultsOf(values).length === 0 && isStored(values, now);
    const both = beside ? null : (merged(base, values, now) ?? (isOwn ? now : null));
    if (!both) return setSaid({ until: theirs.version - 1, text: `${who}, and you the same part. When you save, you see both and choose.` });
    setContent(theirs);
    typed.carryOver(theirs.version, now, null);
    typed.type(both);
    // The answer to an own change was lost.
    if (isOwn && differing(now, both).length === 0) return changes.show([]);
    setSaid({ until: theirs.version, text: `${who}: ${typed.isDirty ? "it is put together with what you typed" : "this is how it is now"}.` });
  };
  const latest = useRef(take);
  useEffect(() => {
    latest.current = take;
  });

  useEffect(() => {
    if (id === undefined) return;
    return watch(WatchedQuery, { id }, ({ node }) => setStored(node && "version" in node ? node.version : null));
  }, [id]);

  const isNewer = stored !== null && stored > version;
  const canTake = id !== undefined && isNewer && !changes.isBusy && !isChoosing;
  useEffect(() => {
    if (!canTake) return;
    let isCurrent = true;
    let timer: number | undefined;
    const fetchTheirs = async () => {
      const { data } = await client.query(EditedQuery, { id }, { requestPolicy: "network-only" });
      const theirs = data?.node;
      if (theirs && "body" in theirs && theirs.version > version) {
        const found = await conflictWith(client, theirs, version);
        // The field has the text before the next key: that key would bring the text of before back.
        if (isCurrent) flushSync(() => latest.current(found));
      } else if (isCurrent) {
        // It was not reached, or another server does not have it yet.
        timer = window.setTimeout(() => void fetchTheirs(), AGAIN_MS);
      }
    };
    void fetchTheirs();
    return () => {
      isCurrent = false;
      window.clearTimeout(timer);
    };
    // Once nothing of the writer's is left, theirs can be shown.
  }, [client, id, canTake, stored, version, typed.isDirty]);

  if (stored === null) return `This ${kind} was deleted, or is not yours any more. Copy what you want to keep.`;
  return version <= said.until ? said.text : "";
}
