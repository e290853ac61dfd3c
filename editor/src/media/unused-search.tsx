// The search for pictures and files that nothing names, and the filter that shows only these.
import { useEffect, useId, useRef, useState } from "react";
import type { StoredFragment } from "../gql/graphql";
import { findUnused } from "./unused";

interface Props {
  /** Null before a search has ended. */
  unused: StoredFragment[] | null;
  onFound: (unused: StoredFragment[] | null) => void;
  isFiltered: boolean;
  onFilter: (isFiltered: boolean) => void;
}

export function Unused({ unused, onFound, isFiltered, onFilter }: Props) {
  const id = useId();
  const search = useRef<AbortController | null>(null);
  const [count, setCount] = useState<number | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => () => search.current?.abort(), []);
  const find = async () => {
    const own = new AbortController();
    search.current = own;
    onFound(null);
    onFilter(false);
    setProblem("");
    setCount(0);
    try {
      onFound(await findUnused(own.signal, setCount));
    } catch (failed) {
      if (!own.signal.aborted) setProblem(`Nothing is marked. ${failed instanceof Error ? failed.message : String(failed)}`);
    }
    setCount(null);
  };
  return (
    <section className="unused" aria-label="Unused pictures and files">
      {count === null ? (
        <button type="button" className="button" aria-describedby={`${id}-hint`} onClick={() => void find()}>
          Find what is unused
        </button>
      ) : (
        <>
          <progress aria-label="Reading all texts" />
          <span className="hint">{count.toLocaleString()} read</span>
          <button type="button" className="button" onClick={() => search.current?.abort()}>
            Stop
          </button>
        </>
      )}
      {unused ? (
        <label>
          <input type="checkbox" checked={isFiltered} onChange={({ target }) => onFilter(target.checked)} /> Unused only
        </label>
      ) : null}
      <p role="status">{unused ? (unused.length === 0 ? "Everything is used." : `${unused.length.toLocaleString()} unused`) : ""}</p>
      <p className="hint" id={`${id}-hint`}>
        Reads all posts, pages, terms and the data of the site, drafts too. It does not look at old versions, at unsaved texts in other browsers, and at other sites.
      </p>
      <p className="problem" role="alert">
        {problem}
      </p>
    </section>
  );
}
