// Files that the writer has chosen, each with the text that says what it shows, and their upload.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { type Uploaded, isPicture, upload } from "./upload";

interface Props {
  files: File[];
  onChoose: (files: File[]) => void;
  onAdded: (asset: Uploaded, alt: string, file: File) => void;
  onDismiss: (file: File) => void;
  picturesOnly?: boolean;
  /** An upload begins. */
  onSend?: () => void;
}

export function Uploads({ files, onChoose, onAdded, onDismiss, onSend, picturesOnly = false }: Props) {
  const id = useId();
  return (
    <Drop onDrop={onChoose}>
      <p>
        <label htmlFor={id} className="button">
          Choose {picturesOnly ? "a picture" : "pictures or files"}
        </label>
        <input
          id={id}
          className="unseen"
          type="file"
          multiple
          {...(picturesOnly && { accept: "image/*" })}
          onChange={({ target }) => {
            onChoose([...(target.files ?? [])]);
            target.value = "";
          }}
        />{" "}
        <span className="hint">or drop them here</span>
      </p>
      {files.map((file, place) => (
        <Upload key={`${file.name} ${file.lastModified}`} file={file} hasFocus={place === 0} onAdded={onAdded} onDismiss={onDismiss} onSend={onSend} />
      ))}
    </Drop>
  );
}

function Drop({ onDrop, children }: { onDrop: (files: File[]) => void; children: ReactNode }) {
  return (
    // The button in it does the same by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onDrop([...event.dataTransfer.files]);
      }}
    >
      {children}
    </div>
  );
}

function Upload({ file, hasFocus, onAdded, onDismiss, onSend }: { file: File; hasFocus: boolean; onSend: (() => void) | undefined } & Pick<Props, "onAdded" | "onDismiss">) {
  const id = useId();
  const [alt, setAlt] = useState("");
  const [part, setPart] = useState<number | null>(null);
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const shows = isPicture(file.type);
  useEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  const send = async () => {
    setProblem("");
    setPart(0);
    onSend?.();
    try {
      onAdded(await upload(file, shows ? alt.trim() : "", setPart), alt.trim(), file);
    } catch (failed) {
      setProblem(failed instanceof Error ? failed.message : String(failed));
    } finally {
      setPart(null);
    }
  };
  return (
    <div className="upload">
      <p>
        <strong>{file.name}</strong> <span className="count">{sizeOf(file.size)}</span>
      </p>
      <div className="field">
        <label htmlFor={id}>{shows ? "What the picture shows" : "The text of the link"}</label>
        <input
          id={id}
          ref={field}
          value={alt}
          maxLength={1000}
          aria-describedby={`${id}-hint ${id}-problem`}
          onChange={({ target }) => setAlt(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            void send();
          }}
        />
        <p className="hint" id={`${id}-hint`}>
          {shows ? "For those who do not see it. Leave it empty only if the picture decorates." : "If it is empty, it is the name of the file."}
        </p>
        <p className="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      </div>
      {part === null ? null : <progress value={part} aria-label={`Sent of ${file.name}`} />}
      <p className="actions">
        <button type="button" className="button main" disabled={part !== null} onClick={() => void send()}>
          {part === null ? "Upload" : "Uploading …"}
          <span className="unseen"> {file.name}</span>
        </button>
        <button type="button" className="button quiet" disabled={part !== null} onClick={() => onDismiss(file)}>
          Leave it out<span className="unseen"> {file.name}</span>
        </button>
      </p>
    </div>
  );
}

export function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
