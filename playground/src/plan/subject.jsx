// What is pointed at, in words: the request with its whole keys and its figures.
import { bytes, counted, duration } from "./format.js";
import { kindOf, tableOf } from "./kinds.js";
import { usePointing } from "./pointing.js";

export function Subject() {
  const { subject } = usePointing();
  return (
    <div className={subject ? "plan-subject" : "plan-subject is-empty"}>
      {subject ? <Group group={subject} /> : <p className="plan-hint">Point at a bar to see what it read.</p>}
    </div>
  );
}

function Group({ group }) {
  const { members, roundTrip, batch, loader, start, duration: took, rows, bytes: size } = group;
  const { name, label } = kindOf(group);
  const isOne = members.length === 1;
  return (
    <>
      <p className="plan-subject-title">
        <i className={`plan-key is-${name}`} />
        <span>
          <b>{isOne ? label : counted(members.length, label.toLowerCase())}</b> of {tableOf(group)}
        </span>
        <small>
          round trip {roundTrip}
          {batch !== null && batch !== undefined && ` · batch ${batch} of the loader ${loader}`}
        </small>
      </p>
      {isOne && <Keys request={members[0]} />}
      <p className="plan-subject-figures">
        {counted(rows ?? 0, "row")} · {bytes(size ?? 0)} · {took === null ? "not answered" : `from ${duration(start)} for ${duration(took)}`}
      </p>
    </>
  );
}

function Keys({ request: { partitionKey, rowKey, from, to } }) {
  const range = from === undefined && to === undefined ? null : `${from ?? ""} … ${to ?? ""}`;
  return (
    <p className="plan-subject-keys">
      <code>{partitionKey}</code>
      {(rowKey ?? range) !== null && (rowKey ?? range) !== undefined && (
        <>
          {" / "}
          <code>{rowKey ?? range}</code>
        </>
      )}
    </p>
  );
}
