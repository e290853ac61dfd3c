// What was found in memory, by table. A hit has no time, so it has no bar.
import { count, counted, forFields } from "./format.js";
import { hitsByTable } from "./layout.js";
import { ofHit, point } from "./pointing.js";

export function Hits({ hits, hitsNotListed }) {
  const tables = hitsByTable(hits);
  if (tables.length === 0 && hitsNotListed === 0) return null;
  return (
    <section className="plan-section" aria-labelledby="plan-hits">
      <div className="plan-section-head">
        <h3 id="plan-hits">Found in memory</h3>
      </div>
      <ul className="plan-hits">
        {tables.map((table) => (
          <li key={table.table}>
            <Table {...table} />
          </li>
        ))}
      </ul>
      {hitsNotListed > 0 && <p className="plan-hint">{counted(hitsNotListed, "more value")} not listed.</p>}
    </section>
  );
}

function Table({ table, count: number, paths }) {
  const pointed = () => point(ofHit({ table, paths }));
  return (
    <button
      type="button"
      className="plan-hit"
      onMouseEnter={pointed}
      onMouseLeave={() => point(null)}
      onFocus={pointed}
      onBlur={() => point(null)}
    >
      <i className="plan-key is-hit" />
      <b>{table}</b> × {count(number)}
      <span className="visually-hidden">{forFields(paths)}</span>
    </button>
  );
}
