// A dialog for a picture or file: from this machine or from the library. The rule: while a file is sent, the page behind can be used.
import { useEffect, useRef, useState } from "react";
import type { PictureFragment, StoredFragment } from "../gql/graphql";
import { Library, Thumbnail, titleOf } from "./library";
import type { Uploaded } from "./upload";
import { Uploads } from "./uploads";

export interface Chosen {
  id: string;
  url: string;
  /** What the picture shows, or the text of the link to a file. */
  text: string;
  picture: PictureFragment | null;
}

interface Props {
  /** Those that were dropped or pasted. */
  files: File[];
  picturesOnly?: boolean;
  onChoose: (chosen: Chosen) => void;
  onClose: () => void;
  /** A file is being sent, so the writer goes on. */
  onAside?: () => void;
}

export function AssetDialog({ files: first, picturesOnly = false, onChoose, onClose, onAside }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed for a moment, to be shown again beside the page instead of over it.
  const isMoving = useRef(false);
  const [isAside, setAside] = useState(false);
  const [files, setFiles] = useState(first);
  useEffect(() => dialog.current?.showModal(), []);
  const remove = (file: File) => setFiles((now) => now.filter((other) => other !== file));
  const moveAside = () => {
    if (isAside) return;
    isMoving.current = true;
    dialog.current?.close();
    dialog.current?.show();
    setAside(true);
    onAside?.();
  };
  const close = () => {
    if (!isMoving.current) onClose();
    isMoving.current = false;
  };
  const added = (asset: Uploaded, text: string, file: File) => {
    onChoose(ofUpload(asset, text, file));
    if (files.length <= 1) onClose();
    remove(file);
  };
  return (
    <dialog ref={dialog} aria-label={picturesOnly ? "Choose a picture" : "Add pictures or files"} className={isAside ? "aside" : undefined} onClose={close}>
      <div className="dialog-head">
        <h2>{picturesOnly ? "Choose a picture" : "Add pictures or files"}</h2>
        <button type="button" className="button quiet" onClick={onClose}>
          Close
        </button>
      </div>
      <Uploads files={files} picturesOnly={picturesOnly} onChoose={(more) => setFiles([...files, ...more])} onAdded={added} onDismiss={remove} onSend={moveAside} />
      {files.length > 0 ? null : (
        <>
          <h3>From the library</h3>
          <Library picturesOnly={picturesOnly}>
            {(asset) => (
              <button
                type="button"
                className="choose"
                onClick={() => {
                  onChoose(ofLibrary(asset));
                  onClose();
                }}
              >
                <Thumbnail asset={asset} />
                <span>{titleOf(asset)}</span>
              </button>
            )}
          </Library>
        </>
      )}
    </dialog>
  );
}

function ofUpload({ id, url, width, height, alt }: Uploaded, text: string, file: File): Chosen {
  const isImage = width !== undefined && height !== undefined;
  const picture = isImage ? { id, url, width, height, alt: text === "" ? (alt ?? null) : text, focalPoint: null } : null;
  return { id, url, text: text === "" && !isImage ? file.name : text, picture };
}

function ofLibrary(asset: StoredFragment): Chosen {
  const { id, url } = asset;
  if (!("thumbnail" in asset)) return { id, url, text: titleOf(asset), picture: null };
  const { width, height, alt = null, focalPoint = null } = asset;
  return { id, url, text: alt ?? "", picture: { id, url, width, height, alt, focalPoint } };
}

/** The Markdown that shows or links it. */
export function markdownOf({ url, text, picture }: Chosen): string {
  return `${picture ? "!" : ""}[${text.replaceAll(/[[\]\\]/g, "\\$&").replaceAll("\n", " ")}](${url})`;
}
