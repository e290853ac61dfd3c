// A secret that only one answer of the server contains. The rule: it gets the focus, and stays until the reader says that it is kept.
import { useEffect, useRef, useState } from "react";

interface Props {
  title: string;
  secret: string;
  hint: string;
  onKept: () => void;
}

export function Secret({ title, secret, hint, onKept }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [secret]);
  return (
    <section className="panel secret" aria-label={title}>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <p>{hint}</p>
      <p className="preview-link">
        <code>{secret}</code>
      </p>
      <p className="actions">
        <Copy text={secret} />
        <button type="button" className="button quiet" onClick={onKept}>
          I have kept it
        </button>
      </p>
    </section>
  );
}

export function Copy({ text, name = "Copy it" }: { text: string; name?: string }) {
  const [copied, setCopied] = useState("");
  // Only pages on https or of this machine have a clipboard.
  if (!("clipboard" in navigator)) return null;
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(text));
  return (
    <button type="button" className="button" onClick={() => void copy()}>
      {copied === text ? "Copied" : name}
    </button>
  );
}
