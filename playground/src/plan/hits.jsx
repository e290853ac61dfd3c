// What was found in memory, by table. A hit has no time, so it has no bar.
import { count, counted } from "./format.js";
import { hitsByTable } from "./layout.js";

export function Hits({ hits, hitsNotListed }) {
  const tables = hitsByTable(hits);
  if (tables.length === 0 && hitsNotListed === 0) return null;
  return (
    <section className="plan-section" aria-labelledby="plan-hits">
      <div className="plan-section-head">
        <h3 id="plan-hits">Found in memory</h3>
      </div>
      <ul className="plan-hits">
        {tables.map(({ table, count: number }) => (
          <li key={table} className="plan-hit">
            <i className="plan-key is-hit" />
            <b>{table}</b> × {count(number)}
          </li>
        ))}
      </ul>
      {hitsNotListed > 0 && <p className="plan-hint">{counted(hitsNotListed, "more value")} not listed.</p>}
    </section>
  );
}
