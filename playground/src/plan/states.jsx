// The panel when there is no plan: not yet, not for this visitor, or because of an error. The rule: each says what to do next.
import { settings, useSettings } from "../store.js";
import { openTokenField } from "../token-field.jsx";

export function Empty({ isWaiting }) {
  return (
    <div className="plan-empty">
      <Sketch />
      <p className="plan-empty-title">{isWaiting ? "Waiting for the plan …" : "Run the query to see its plan"}</p>
      <p>Each storage request, when it was sent and how long it took, and the field that it served.</p>
    </div>
  );
}

/** The outline of a waterfall, for a panel without a plan. */
function Sketch() {
  const bars = [
    [0, 30],
    [24, 40],
    [24, 52],
    [62, 26],
    [70, 30],
  ];
  return (
    <svg className="plan-sketch" viewBox="0 0 100 44" aria-hidden="true">
      {bars.map(([x, width], row) => (
        <rect key={row} x={x} y={row * 9 + 1} width={width} height="5" rx="2.5" />
      ))}
    </svg>
  );
}

export function Withheld({ plan }) {
  const { token } = useSettings();
  const isTokenNew = Boolean(token) && plan.tokenNumber !== settings().tokenNumber;
  return (
    <div className="plan-empty">
      <Sketch />
      <p className="plan-empty-title">The server does not show you its plan</p>
      <p>
        {isTokenNew
          ? "This was asked before you entered your token: run it again."
          : "Plans are for tokens that have access to all drafts. For everyone, the server is started with --report-storage."}
      </p>
      {!isTokenNew && (
        <button type="button" className="plan-button" onClick={openTokenField}>
          {token ? "Enter another token" : "Enter a token"}
        </button>
      )}
    </div>
  );
}

export function Failed({ plan }) {
  return (
    <div className="plan-empty">
      <Sketch />
      <p className="plan-empty-title">There is no plan</p>
      <p>{plan.message}</p>
    </div>
  );
}
