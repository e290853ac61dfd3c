// The picture that represents the post or page in lists and links.
import { useState } from "react";
import { AssetDialog } from "../media/asset-dialog";
import { Cover } from "../media/cover";
import { PictureDialog } from "../media/picture-dialog";
import { errorsOf } from "./field";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";
import type { Values } from "./values";

interface Props {
  cover: Values["cover"];
  changes: Changes;
  onChange: (cover: Values["cover"]) => void;
}

export function CoverField({ cover, changes, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [isFocusing, setFocusing] = useState(false);
  return (
    <fieldset className="field cover-field">
      <legend>Cover</legend>
      {cover ? <Cover picture={cover} /> : null}
      <p className="actions">
        <button type="button" className="button" onClick={() => setOpen(true)}>
          {cover ? "Another cover" : "Choose a cover"}
        </button>
        {cover ? (
          <button type="button" className="button" onClick={() => setFocusing(true)}>
            Focal point
          </button>
        ) : null}
        {cover ? (
          <button type="button" className="button quiet" onClick={() => onChange(null)}>
            Without a cover
          </button>
        ) : null}
      </p>
      <p className="problem">{errorsOf(changes, "cover").map(sentence).join(" ")}</p>
      {cover && isFocusing ? (
        <PictureDialog id={cover.id} onSaved={({ alt = null, focalPoint = null }) => onChange({ ...cover, alt, focalPoint })} onClose={() => setFocusing(false)} />
      ) : null}
      {isOpen ? <AssetDialog files={[]} picturesOnly onChoose={({ picture }) => onChange(picture)} onClose={() => setOpen(false)} /> : null}
    </fieldset>
  );
}
