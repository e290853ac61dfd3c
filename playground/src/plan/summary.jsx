// The figures of a plan: spent against bound. The rule: a figure without a bound is shown without one, and a dry run shows bounds only.
import { bytes, count, duration } from "./format.js";

const FIGURES = [
  { name: "roundTrips", label: "Round trips", show: count },
  { name: "rows", label: "Rows", show: count },
  { name: "bytes", label: "Bytes", show: bytes },
  { name: "microseconds", label: "Time", show: duration },
];

export function Summary({ plan: { explain, isDry, limit } }) {
  const { bound = {} } = explain;
  const spent = isDry ? {} : (explain.spent ?? {});
  const most = bound.storageRequests;
  const value = isDry ? most : spent.storageRequests;
  return (
    <div className="plan-card">
      <div className="plan-lead">
        <p className="plan-number">
          {isDry && <span className="plan-atmost">at most</span>}
          <strong>{count(value ?? 0)}</strong>
          <span>{value === 1 ? "storage request" : "storage requests"}</span>
        </p>
        {!isDry && most !== undefined && <p className="plan-most">{count(most)} at most</p>}
        {isDry && <p className="plan-most">{limit === undefined ? "not run" : `the limit is ${count(limit)}`}</p>}
      </div>
      {!isDry && most !== undefined && <Meter label="Storage requests, spent of the bound" value={value} max={most} />}
      {!isDry && <Kinds spent={spent} />}
      <dl className="plan-figures">
        {FIGURES.map((figure) => (
          <Figure key={figure.name} {...figure} spent={spent[figure.name]} bound={bound[figure.name]} isDry={isDry} />
        ))}
      </dl>
    </div>
  );
}

/** A bar that is filled up to `value` of `max`. */
export function Meter({ label, value = 0, max, isOver = false }) {
  const part = max > 0 ? Math.min(1, value / max) : 0;
  return (
    <div
      className={isOver ? "plan-meter is-over" : "plan-meter"}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(max, value)}
      aria-valuenow={value}
      aria-valuetext={`${count(value)} of ${count(max)}`}
    >
      <span style={{ width: `${part * 100}%` }} />
    </div>
  );
}

const KINDS = [
  { name: "pointReads", kind: "point", one: "point read", many: "point reads" },
  { name: "rangeReads", kind: "range", one: "range read", many: "range reads" },
  { name: "transactions", kind: "transaction", one: "transaction", many: "transactions" },
  { name: "hits", kind: "hit", one: "found in memory", many: "found in memory" },
];

/** The parts of the sum, which are also the legend of the waterfall. */
function Kinds({ spent }) {
  const shown = KINDS.filter(({ name }) => spent[name] > 0 || ["pointReads", "rangeReads"].includes(name));
  return (
    <ul className="plan-kinds">
      {shown.map(({ name, kind, one, many }) => (
        <li key={name}>
          <i className={`plan-key is-${kind}`} />
          <b>{count(spent[name] ?? 0)}</b> {spent[name] === 1 ? one : many}
        </li>
      ))}
    </ul>
  );
}

function Figure({ label, show, spent, bound, isDry }) {
  const value = isDry ? bound : spent;
  if (value === undefined) return null;
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <b>{show(value)}</b>
        {!isDry && bound !== undefined && <small>of {show(bound)}</small>}
      </dd>
    </div>
  );
}
