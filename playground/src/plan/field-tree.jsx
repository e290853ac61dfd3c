// The fields of the query that can cost something, as a tree: the most storage requests of each. The rule: a field lights its place in the query.
import { Fragment } from "react";
import { count } from "./format.js";
import { useReveal } from "./editor-light.js";
import { costlyFields } from "./layout.js";
import { choose, ofField, point, usePointing } from "./pointing.js";
import { onTreeFocus, onTreeKey } from "./tree-keys.js";

export function FieldTree({ fields, places }) {
  const { paths } = usePointing();
  const reveal = useReveal(places);
  const costly = costlyFields(fields);
  if (costly.length === 0) return null;
  const most = Math.max(1, ...flat(costly).map(({ bound = 0 }) => bound));
  const lit = new Set(paths);

  function pick(path) {
    choose(ofField([path]));
    reveal([path]);
  }

  const item = (field, level, index) => (
    <Fragment key={field.path}>
      <Item {...{ field, level, most, pick }} isFirst={level === 1 && index === 0} isLit={lit.has(field.path)} />
      {field.fields.map((below) => item(below, level + 1))}
    </Fragment>
  );
  return (
    <section className="plan-section" aria-labelledby="plan-fields">
      <div className="plan-section-head">
        <h3 id="plan-fields">Fields</h3>
        <span className="plan-hint">storage requests at most</span>
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

function Item({ field, level, most, pick, isFirst, isLit }) {
  const { path, fieldName, bound = 0 } = field;
  const name = path.split(".").at(-1);
  const pointed = () => point(ofField([path]));
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
      <span className="plan-field-bar">{bound > 0 && <i className="is-dry" style={part(bound)} />}</span>
      <span className="plan-field-figure">
        {bound > 0 && <b>{count(bound)}</b>}
        {bound > 0 && <span className="visually-hidden"> storage requests at most</span>}
      </span>
    </div>
  );
}
