// Shown during a merge by hand: their text, with marks on what yours does not have. A mark disappears when you take its text over.
import { useDeferredValue, useMemo } from "react";
import { differences } from "./differences";
import { Marked } from "./marked";
import { FIELDS, type Values, differing, plain } from "./values";

export function Beside({ theirs, mine }: { theirs: Values; mine: Values }) {
  const shown = useDeferredValue(mine.markdown);
  const stretches = useMemo(() => differences(theirs.markdown, shown), [theirs.markdown, shown]);
  const others = differing(theirs, mine).filter((field) => field !== "markdown");
  return (
    <section className="beside" aria-label="Their text">
      <h2>Theirs</h2>
      <Marked stretches={stretches} side="theirs" />
      {others.map((field) => (
        <p key={field} className="hint">
          <strong>{FIELDS[field]}:</strong> {plain(theirs, field)}
        </p>
      ))}
    </section>
  );
}
