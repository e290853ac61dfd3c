// What is pointed at, in words: the request with its whole keys and its figures, and the fields that it served.
import { bytes, counted, duration } from "./format.js";
import { kindOf, tableOf } from "./kinds.js";
import { usePointing } from "./pointing.js";

export function Subject() {
  const { subject, path, requests, paths } = usePointing();
  return (
    <div className={subject || path !== undefined ? "plan-subject" : "plan-subject is-empty"}>
      {!subject && path === undefined && <p className="plan-hint">Point at a bar to see what it read, and the fields that it served in the query.</p>}
      {path !== undefined && (
        <>
          <p className="plan-subject-title">
            <code>{path}</code>
          </p>
          <p className="plan-subject-figures">{requests.size === 0 ? "No storage request of its own" : `Served by ${counted(requests.size, "storage request")}`}</p>
        </>
      )}
      {subject && !subject.members && <Hit hit={subject} />}
      {subject?.members && path === undefined && <Group group={subject} paths={paths} />}
    </div>
  );
}

function Group({ group, paths }) {
  const { members, roundTrip, batch, start, duration: took, rows, bytes: size } = group;
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
          {batch !== null && batch !== undefined && ` · batch ${batch}`}
        </small>
      </p>
      {isOne && <Keys request={members[0]} />}
      <p className="plan-subject-figures">
        {counted(rows ?? 0, "row")} · {bytes(size ?? 0)} · {took === null ? "not answered" : `from ${duration(start)} for ${duration(took)}`}
      </p>
      <Fields paths={paths} pathsNotListed={isOne ? members[0].pathsNotListed : 0} />
    </>
  );
}

function Hit({ hit: { table, paths } }) {
  return (
    <>
      <p className="plan-subject-title">
        <i className="plan-key is-hit" />
        <span>
          <b>Found in memory</b>, of {table}
        </span>
      </p>
      <Fields paths={paths} />
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

const FIELDS_MAX = 6;

function Fields({ paths, pathsNotListed = 0 }) {
  if (paths.length === 0 && pathsNotListed === 0) return <p className="plan-hint">For no field: for the sign-in or the bound.</p>;
  const more = Math.max(0, paths.length - FIELDS_MAX) + pathsNotListed;
  return (
    <p className="plan-subject-fields">
      for{" "}
      {paths.slice(0, FIELDS_MAX).map((path) => (
        <code key={path}>{path}</code>
      ))}
      {more > 0 && `and ${more} more`}
    </p>
  );
}
