// A query that the server refused because its bound is over the limit: by how much, which part costs most, and what makes it cheaper.
import { count } from "./format.js";
import { FieldTree } from "./field-tree.jsx";
import { useReveal } from "./editor-light.js";
import { choose, ofField, point } from "./pointing.js";
import { Meter } from "./summary.jsx";

export function Refusal({ plan: { explain, places, message, bound, limit, mostExpensive, advice } }) {
  const reveal = useReveal(places);
  const [path, price] = mostExpensive?.split(/:\s+/, 2) ?? [];
  const field = path && ofField([path]);
  if (bound === undefined) return <p className="plan-note is-bad">{message}</p>;
  return (
    <>
      <div className="plan-card is-refused">
        <div className="plan-lead">
          <p className="plan-number">
            <span className="plan-atmost">at most</span>
            <strong>{count(bound)}</strong>
            <span>storage requests</span>
          </p>
          <p className="plan-most">the limit is {count(limit)}</p>
        </div>
        <Meter label="Bound, of the limit" value={bound} max={limit} isOver />
        <p className="plan-refusal">Refused before it ran.</p>
        {path && (
          <button
            type="button"
            className="plan-most-expensive"
            onMouseEnter={() => point(field)}
            onMouseLeave={() => point(null)}
            onFocus={() => point(field)}
            onBlur={() => point(null)}
            onClick={() => {
              choose(field);
              reveal([path]);
            }}
          >
            <small>The part that costs most</small>
            <code>{path}</code>
            <span>{price} requests</span>
          </button>
        )}
        {advice && <p className="plan-advice">{withCode(advice)}</p>}
      </div>
      {explain && <FieldTree fields={explain.fields ?? []} places={places} />}
    </>
  );
}

/** A text of the server in which names are between backticks. */
const withCode = (text) => text.split("`").map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part));
