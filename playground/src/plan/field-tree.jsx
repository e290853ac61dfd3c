// The fields of the query that cost something, as a tree: what each spent, and the most that it can. The rule: a field lights its requests and its place in
// the query, and the requests of the fields below it.
import { Fragment } from "react";
import { count } from "./format.js";
import { useReveal } from "./editor-light.js";
import { costlyFields } from "./layout.js";
import { choose, ofField, point, usePointing } from "./pointing.js";
import { onTreeFocus, onTreeKey } from "./tree-keys.js";

export function FieldTree({ fields, requests, places, isDry }) {
  const { fields: pointed, paths } = usePointing();
  const reveal = useReveal(places);
  const costly = costlyFields(fields);
  if (costly.length === 0) return null;
  const most = Math.max(1, ...flat(costly).map(({ storageRequests = 0, bound = 0 }) => Math.max(storageRequests, bound)));
  const lit = new Set(pointed ?? paths);

  function pick(path) {
    choose(ofField([path], requests));
    reveal([path]);
  }

  const item = (field, level, index) => (
    <Fragment key={field.path}>
      <Item {...{ field, level, most, isDry, pick, requests }} isFirst={level === 1 && index === 0} isLit={lit.has(field.path)} />
      {field.fields.map((below) => item(below, level + 1))}
    </Fragment>
  );
  return (
    <section className="plan-section" aria-labelledby="plan-fields">
      <div className="plan-section-head">
        <h3 id="plan-fields">Fields</h3>
        <span className="plan-hint">{isDry ? "storage requests at most" : "storage requests, of at most"}</span>
      </div>
      <div
        className="plan-fields"
        role="tree"
        aria-labelledby="plan-fields"
        onKeyDown={(event) => onTreeKey(event, () => {})}
        onFocus={onTreeFocus}
        onBlur={() => point(null)}
        onMouseLeave={() => point(null)}
      >
        {costly.map((field, index) => item(field, 1, index))}
      </div>
    </section>
  );
}

const flat = (fields) => fields.flatMap((field) => [field, ...flat(field.fields)]);

function Item({ field, level, most, isDry, pick, requests, isFirst, isLit }) {
  const { path, fieldName, storageRequests = 0, bound } = field;
  const name = path.split(".").at(-1);
  const costs = storageRequests > 0 || bound > 0;
  const pointed = () => point(ofField([path], requests));
  const part = (value) => ({ width: `${Math.min(100, (value / most) * 100)}%` });
  return (
    <div
      className={isLit ? "plan-field is-lit" : "plan-field"}
      role="treeitem"
      aria-level={level}
      tabIndex={isFirst ? 0 : -1}
      onMouseEnter={pointed}
      onFocus={pointed}
      onClick={() => pick(path)}
    >
      <span className="plan-field-name" style={{ paddingInlineStart: `${(level - 1) * 16}px` }}>
        <span className="visually-hidden">{path.slice(0, -name.length)}</span>
        {name}
        {fieldName && fieldName !== name && <small>: {fieldName}</small>}
      </span>
      <span className="plan-field-bar">
        {bound > 0 && <i className={isDry ? "is-dry" : "is-bound"} style={part(bound)} />}
        {!isDry && storageRequests > 0 && <i style={part(storageRequests)} />}
      </span>
      <span className="plan-field-figure">
        {costs && !isDry && <b>{count(storageRequests)}</b>}
        {costs && bound !== undefined && (isDry ? <b>{count(bound)}</b> : ` of ${count(bound)}`)}
        {costs && <span className="visually-hidden">{isDry ? " storage requests at most" : " storage requests"}</span>}
      </span>
    </div>
  );
}
