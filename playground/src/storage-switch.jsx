// The switch that makes each query request its storage cost.
import { change, useSettings } from "./store.js";

export function StorageSwitch() {
  const { asksStorage } = useSettings();
  return (
    <label className="control" title="Request the storage cost with each query">
      <input type="checkbox" checked={asksStorage} onChange={(event) => change({ asksStorage: event.target.checked })} />
      Storage cost
    </label>
  );
}
