// The storage requests of a plan, as a waterfall or as a table. The rule: both have the same requests in the same order.
import { useState } from "react";
import { counted } from "./format.js";
import { RequestTable } from "./request-table.jsx";
import { Subject } from "./subject.jsx";
import { Waterfall } from "./waterfall.jsx";

export function Requests({ explain }) {
  const { requests = [], notListed = 0, hits = [] } = explain;
  const [isTable, setIsTable] = useState(false);
  if (requests.length === 0) return <NoRequest hits={hits} notListed={notListed} />;
  return (
    <section className="plan-section" aria-labelledby="plan-requests">
      <div className="plan-section-head">
        <h3 id="plan-requests">Requests</h3>
        <div className="plan-switch" role="group" aria-label="Show the requests as">
          <button type="button" aria-pressed={!isTable} onClick={() => setIsTable(false)}>
            Waterfall
          </button>
          <button type="button" aria-pressed={isTable} onClick={() => setIsTable(true)}>
            Table
          </button>
        </div>
      </div>
      {isTable ? <RequestTable requests={requests} /> : <Waterfall requests={requests} />}
      {notListed > 0 && <p className="plan-hint">{counted(notListed, "more request")} not listed.</p>}
      {!isTable && <Subject />}
    </section>
  );
}

function NoRequest({ hits, notListed }) {
  if (notListed > 0) return <p className="plan-hint">{counted(notListed, "request")} not listed.</p>;
  return (
    <p className="plan-nothing">
      {hits.length > 0 ? "Nothing was read: the server had all of it in memory." : "Nothing was read: this query needs no storage."}
    </p>
  );
}
