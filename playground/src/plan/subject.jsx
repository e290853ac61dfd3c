// What is pointed at, in words: the request with its whole keys and its figures, and the fields that it served.
import { bytes, count, counted, duration } from "./format.js";
import { kindOf, tableOf } from "./kinds.js";
import { requestsBelow } from "./layout.js";
import { usePointing } from "./pointing.js";

export function Subject({ explain }) {
  const { subject, fields, requests, paths } = usePointing();
  return (
    <div className={subject || fields ? "plan-subject" : "plan-subject is-empty"}>
      {!subject && !fields && <p className="plan-hint">Point at a bar to see what it read, and the fields that it served in the query.</p>}
      {fields && (
        <>
          <p className="plan-subject-title">
            <code>{fields[0]}</code>
            {fields.length > 1 && <small>and {counted(fields.length - 1, "other path")}</small>}
          </p>
          <p className="plan-subject-figures">{servedBy(explain, fields, requests.size)}</p>
        </>
      )}
      {subject && !subject.members && <Hit hit={subject} />}
      {subject?.members && !fields && <Group group={subject} paths={paths} />}
    </div>
  );
}

/** Each field has the number of its requests, but only listed ones are known one by one: of the others, one may serve several of these fields. */
function servedBy({ fields: all = [], notListed = 0 }, paths, listed) {
  if (notListed > 0) {
    const sum = requestsBelow(all, paths);
    if (sum > listed) return `Served by up to ${counted(sum, "storage request")}, ${count(listed)} of them listed`;
  }
  return listed === 0 ? "No storage request of its own" : `Served by ${counted(listed, "storage request")}`;
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
