// The requests as a table: the same figures as in the waterfall, for screen readers, and to be copied.
import { bytes, count, duration } from "./format.js";
import { kindOf, tableOf } from "./kinds.js";

export function RequestTable({ requests }) {
  return (
    <div className="plan-scroll" role="region" aria-label="Storage requests" tabIndex={0}>
      <table className="plan-table">
        <thead>
          <tr>
            <th scope="col" className="is-number">
              Trip
            </th>
            <th scope="col">Kind</th>
            <th scope="col">Table</th>
            <th scope="col">Partition key</th>
            <th scope="col">Row key or range</th>
            <th scope="col" className="is-number">
              Rows
            </th>
            <th scope="col" className="is-number">
              Bytes
            </th>
            <th scope="col" className="is-number">
              Start
            </th>
            <th scope="col" className="is-number">
              Time
            </th>
            <th scope="col" className="is-number">
              Batch
            </th>
            <th scope="col">Loader</th>
          </tr>
        </thead>
        <tbody>
          {requests.map((request) => (
            <Line key={request.id} request={request} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Line({ request }) {
  const { roundTrip, table, partitionKey, rowKey, from, to, rows = 0, bytes: size = 0, start, duration: took, batch, loader } = request;
  const { name, label } = kindOf(request);
  const range = from === undefined && to === undefined ? "" : `${from ?? ""} … ${to ?? ""}`;
  return (
    <tr>
      <td className="is-number">{roundTrip}</td>
      <th scope="row">
        <i className={`plan-key is-${name}`} /> {label}
      </th>
      <td>{tableOf({ table })}</td>
      <td>
        <code>{partitionKey === "*" ? "" : partitionKey}</code>
      </td>
      <td>
        <code>{rowKey ?? range}</code>
      </td>
      <td className="is-number">{count(rows)}</td>
      <td className="is-number">{bytes(size)}</td>
      <td className="is-number">{duration(start)}</td>
      <td className="is-number">{took === null ? "not answered" : duration(took)}</td>
      <td className="is-number">{batch}</td>
      <td>
        <code>{loader}</code>
      </td>
    </tr>
  );
}
