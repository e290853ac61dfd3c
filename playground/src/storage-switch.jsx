// Whether each query asks what it costs in the storage.
import { change, useSettings } from "./store.js";

export function StorageSwitch() {
  const { asksStorage } = useSettings();
  return (
    <label className="control" title="Ask with each query what it reads in the storage">
      <input type="checkbox" checked={asksStorage} onChange={(event) => change({ asksStorage: event.target.checked })} />
      Storage cost
    </label>
  );
}
