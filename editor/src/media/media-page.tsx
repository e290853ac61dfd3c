// The pictures and files of the site: add, describe and delete them, and find those that nothing names.
import { useState } from "react";
import { DeleteAsset, UpdateAsset } from "./documents";
import type { StoredFragment } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { isEditor, useSession } from "../session";
import { Page } from "../ui/page";
import { onServer } from "./address";
import { Library, Thumbnail, titleOf } from "./library";
import { PictureDialog } from "./picture-dialog";
import { Unused } from "./unused-search";
import { sizeOf, Uploads } from "./uploads";

export function MediaPage() {
  const { viewer } = useSession();
  const [files, setFiles] = useState<File[]>([]);
  // A new key reads the library again.
  const [changes, setChanges] = useState(0);
  const [said, setSaid] = useState("");
  const remove = (file: File) => setFiles((now) => now.filter((other) => other !== file));
  const [unused, setUnused] = useState<StoredFragment[] | null>(null);
  const [isFiltered, setFiltered] = useState(false);
  const changed = (message: string) => {
    setChanges((count) => count + 1);
    setSaid(message);
  };
  const shown = (asset: StoredFragment) => {
    const change = (message: string, now: StoredFragment | null) => {
      setUnused((all) => all?.flatMap((one) => (one.id === asset.id ? (now ?? []) : one)) ?? null);
      changed(message);
    };
    const isUnused = unused?.some(({ id }) => id === asset.id) ?? false;
    return <Item key={`${asset.id} ${asset.version}`} asset={asset} isUnused={isUnused} canDelete={isEditor(viewer)} onChanged={change} />;
  };
  return (
    <Page title="Media" intro="Pictures and files. Everyone who knows the address of one can get it.">
      <Uploads
        files={files}
        onChoose={(more) => setFiles((now) => [...now, ...more])}
        onAdded={(_, _text, file) => {
          remove(file);
          changed(`${file.name} is added.`);
        }}
        onDismiss={remove}
      />
      <p role="status" className="said">
        {said}
      </p>
      {isEditor(viewer) ? <Unused unused={unused} onFound={setUnused} isFiltered={isFiltered} onFilter={setFiltered} /> : null}
      {unused && isFiltered ? (
        <ul className="library">
          {unused.map((asset) => (
            <li key={asset.id}>{shown(asset)}</li>
          ))}
        </ul>
      ) : (
        <Library key={changes}>{shown}</Library>
      )}
    </Page>
  );
}

interface ItemProps {
  asset: StoredFragment;
  isUnused: boolean;
  canDelete: boolean;
  /** `now`: null if it is deleted. */
  onChanged: (message: string, now: StoredFragment | null) => void;
}

function Item({ asset, isUnused, canDelete, onChanged }: ItemProps) {
  const { ask, problem } = useAsked();
  const [isOpen, setOpen] = useState(false);
  const current = "alt" in asset ? (asset.alt ?? "") : null;
  const [alt, setAlt] = useState(current ?? "");
  const name = titleOf(asset);

  const describe = async () => {
    const input = { id: asset.id, expectedVersion: asset.version, alt };
    const changed = (await ask(UpdateAsset, { input }, (data) => data.updateAsset))?.asset;
    if (changed) onChanged("Saved.", changed);
  };
  const remove = async () => {
    if (!window.confirm(`Delete “${name}”? Texts that show it lose it. This cannot be undone.`)) return;
    const input = { id: asset.id, expectedVersion: asset.version };
    if (await ask(DeleteAsset, { input }, (data) => data.deleteAsset)) onChanged(`${name} is deleted.`, null);
  };

  return (
    <article className="asset" aria-label={name}>
      <a href={onServer(asset.url)} target="_blank" rel="noreferrer" aria-label={`Open ${name}`}>
        <Thumbnail asset={asset} />
      </a>
      <p className="hint">
        {asset.originalName ?? asset.url.split("/").at(-1)}, {sizeOf(asset.byteSize)} {isUnused ? <span className="badge">unused</span> : null}
      </p>
      {current === null ? null : (
        <div className="field">
          <label htmlFor={`alt-${asset.id}`}>What it shows</label>
          <input id={`alt-${asset.id}`} value={alt} maxLength={1000} onChange={({ target }) => setAlt(target.value)} />
          {alt === current ? null : (
            <button type="button" className="button" onClick={() => void describe()}>
              Save
            </button>
          )}
        </div>
      )}
      <p className="actions">
        {current === null ? null : (
          <button type="button" className="button quiet" onClick={() => setOpen(true)}>
            Focal point<span className="unseen"> of {name}</span>
          </button>
        )}
        {canDelete ? (
          <button type="button" className="button quiet bad" onClick={() => void remove()}>
            Delete<span className="unseen"> {name}</span>
          </button>
        ) : null}
      </p>
      {isOpen ? <PictureDialog id={asset.id} onSaved={(picture) => onChanged("Saved.", picture)} onClose={() => setOpen(false)} /> : null}
      <p className="problem" role="alert">
        {problem}
      </p>
    </article>
  );
}
