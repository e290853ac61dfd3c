// The audio or video file of a post, for podcast clients: a file of the site, or one elsewhere by its address.
import { useId, useState } from "react";
import { AssetDialog } from "../media/asset-dialog";
import { errorsOf } from "./field";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";
import { type Enclosure, FIELDS } from "./values";

interface Props {
  enclosure: Enclosure | null;
  changes: Changes;
  onChange: (enclosure: Enclosure | null) => void;
}

const ELSEWHERE: Enclosure = { url: "", contentType: "", byteSize: "" };

export function EnclosureField({ enclosure, changes, onChange }: Props) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const isOfSite = enclosure !== null && (enclosure.assetId !== undefined || /\/assets\/[0-9a-f]{40}[-.]/.test(enclosure.url));
  const parts = [
    ["url", "Its address"],
    ["contentType", "Its type, such as audio/mpeg"],
    ["byteSize", "Its size in bytes"],
  ] as const;
  return (
    <fieldset className="field cover-field" aria-describedby={`${id}-problem`}>
      <legend>{FIELDS.enclosure}</legend>
      {enclosure && isOfSite ? <p className="preview-link">{enclosure.url.split("/").at(-1)}</p> : null}
      {enclosure && !isOfSite
        ? parts.map(([part, label]) => (
            <div className="field" key={part}>
              <label htmlFor={`${id}-${part}`}>{label}</label>
              <input
                id={`${id}-${part}`}
                value={enclosure[part]}
                inputMode={part === "byteSize" ? "numeric" : part === "url" ? "url" : "text"}
                spellCheck={false}
                aria-describedby={`${id}-problem`}
                onChange={({ target }) => onChange({ ...enclosure, [part]: target.value })}
              />
            </div>
          ))
        : null}
      <p className="actions">
        <button type="button" className="button" onClick={() => setOpen(true)}>
          {isOfSite ? "Another file" : "Choose a file"}
        </button>
        {enclosure === null ? (
          <button type="button" className="button quiet" onClick={() => onChange(ELSEWHERE)}>
            A file elsewhere
          </button>
        ) : (
          <button type="button" className="button quiet" onClick={() => onChange(null)}>
            Without a file
          </button>
        )}
      </p>
      <p className="problem" id={`${id}-problem`}>
        {errorsOf(changes, "enclosure").map(sentence).join(" ")}
      </p>
      {isOpen ? (
        <AssetDialog files={[]} onChoose={({ id: assetId, url }) => onChange({ ...ELSEWHERE, assetId, url })} onClose={() => setOpen(false)} />
      ) : null}
    </fieldset>
  );
}
