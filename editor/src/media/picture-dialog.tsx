// What a picture shows, its caption and its focal point. The rule: they belong to the picture, so they change wherever it is shown.
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import type { StoredFragment } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { useOnce } from "../graphql/use-once";
import { Failed, Loading } from "../ui/states";
import { onServer } from "./address";
import { AssetQuery, UpdateAsset } from "./documents";
import { FocalPoint, MIDDLE, positionOf } from "./focal-point";
import { titleOf } from "./library";

type Picture = Extract<StoredFragment, { thumbnail: string }>;

interface Props {
  id: string;
  onSaved: (picture: Picture) => void;
  onClose: () => void;
}

export function PictureDialog({ id, onSaved, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { data, error, again } = useOnce(AssetQuery, { id });
  useEffect(() => dialog.current?.showModal(), []);
  const picture = data?.asset && isPicture(data.asset) ? data.asset : null;
  // A form of its own, so not within that of a post.
  return createPortal(
    <dialog ref={dialog} aria-label="The picture" onClose={onClose}>
      <div className="dialog-head">
        <h2>{picture ? titleOf(picture) : "The picture"}</h2>
        <button type="button" className="button quiet" onClick={onClose}>
          Close
        </button>
      </div>
      {error && !picture ? <Failed error={error} onRetry={again} /> : null}
      {data && !picture ? <p className="empty">The picture was deleted.</p> : null}
      {!data && !error ? <Loading what="the picture" /> : null}
      {picture ? (
        <Details
          picture={picture}
          onSaved={(changed) => {
            onSaved(changed);
            onClose();
          }}
        />
      ) : null}
    </dialog>,
    document.body,
  );
}

function Details({ picture, onSaved }: { picture: Picture; onSaved: Props["onSaved"] }) {
  const id = useId();
  const { ask, problem, isBusy } = useAsked();
  const [point, setPoint] = useState(picture.focalPoint ?? null);
  const [alt, setAlt] = useState(picture.alt ?? "");
  const [caption, setCaption] = useState(picture.caption ?? "");
  const src = onServer(picture.thumbnail);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    // React lets events of a portal bubble to the form of the post.
    event.stopPropagation();
    const input = { id: picture.id, expectedVersion: picture.version, alt, caption, focalPoint: point && { x: point.x, y: point.y } };
    const changed = (await ask(UpdateAsset, { input }, (data) => data.updateAsset))?.asset;
    if (changed && isPicture(changed)) onSaved(changed);
  };
  return (
    <form className="picture-details" onSubmit={(event) => void save(event)} noValidate>
      <div>
        <FocalPoint src={src} width={picture.width} height={picture.height} point={point ?? MIDDLE} onChange={setPoint} />
        <p className="hint">Click or drag on the picture, or move the mark by the arrow keys: this point stays visible when it is cropped.</p>
        <button type="button" className="button quiet" disabled={point === null} onClick={() => setPoint(null)}>
          Use the middle
        </button>
      </div>
      <div className="crops" aria-hidden="true">
        {["40 / 21", "1 / 1", "3 / 4"].map((shape) => (
          <img key={shape} src={src} alt="" style={{ aspectRatio: shape, objectPosition: positionOf(point) }} />
        ))}
      </div>
      <div className="field">
        <label htmlFor={`${id}-alt`}>What it shows</label>
        <input id={`${id}-alt`} value={alt} maxLength={1000} onChange={({ target }) => setAlt(target.value)} />
      </div>
      <div className="field">
        <label htmlFor={`${id}-caption`}>Caption</label>
        <input id={`${id}-caption`} value={caption} maxLength={2000} onChange={({ target }) => setCaption(target.value)} />
      </div>
      <p className="problem" role="alert">
        {problem}
      </p>
      <p className="actions">
        <button type="submit" className="button main" disabled={isBusy}>
          Save the picture
        </button>
      </p>
    </form>
  );
}

function isPicture(asset: StoredFragment): asset is Picture {
  return "thumbnail" in asset;
}
