// A link that shows a draft for a day to anyone who has it.
import { useState } from "react";
import { useMutation } from "urql";
import { CreatePreview } from "../documents";
import { failureOf } from "../graphql/failure";
import { addressOf } from "../routing/addresses";
import { Minute } from "../ui/time";
import { sentence } from "./problems";

export function PreviewLink({ id }: { id: string }) {
  const [{ data, error, fetching }, create] = useMutation(CreatePreview);
  const [isCopied, setCopied] = useState(false);
  const made = data?.createPreview;
  const preview = made?.preview;
  const link = preview ? window.location.origin + addressOf.preview(preview.token) : null;
  const problem = error ? failureOf(error).title : made?.userErrors[0]?.message;
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <section className="panel" aria-label="Preview link">
      <button type="button" className="button" disabled={fetching} onClick={() => void create({ input: { contentId: id } })}>
        Make a preview link
      </button>
      <p className="problem" role="alert">
        {problem === undefined ? null : sentence(problem)}
      </p>
      {link !== null && preview ? (
        <div role="status">
          <p className="hint">
            Anyone who has this link can see it until <Minute at={preview.expiresAt} />:
          </p>
          <p className="preview-link">
            <a href={link} target="_blank" rel="noreferrer">
              {link}
            </a>
          </p>
          {/* Only pages on https or of this machine have a clipboard. */}
          {"clipboard" in navigator ? (
            <button type="button" className="button quiet" onClick={() => void copy(link)}>
              {isCopied ? "Copied" : "Copy it"}
            </button>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}
