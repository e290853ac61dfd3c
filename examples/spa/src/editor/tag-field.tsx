// Tags: those that exist are suggested by name, a new one is made when the post is saved.
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useAllTags } from "../posts/all-tags";
import { errorsOf } from "./field";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";

interface Props {
  tags: string[];
  changes: Changes;
  onChange: (tags: string[]) => void;
}

export function TagField({ tags, changes, onChange }: Props) {
  const id = useId();
  const known = useAllTags().tags ?? [];
  const field = useRef<HTMLInputElement>(null);
  const [written, setWritten] = useState("");
  const errors = errorsOf(changes, "tags");
  const nameOf = (slug: string) => known.find((tag) => tag.slug === slug)?.name ?? slug;

  const add = () => {
    const found = known.find((tag) => tag.name.toLowerCase() === written.trim().toLowerCase());
    const slug = found?.slug ?? slugOf(written);
    if (slug !== "" && !tags.includes(slug)) onChange([...tags, slug]);
    setWritten("");
    field.current?.focus();
  };
  const addByKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== ",") return;
    event.preventDefault();
    add();
  };
  const remove = (slug: string) => {
    onChange(tags.filter((other) => other !== slug));
    field.current?.focus();
  };

  return (
    <div className="field">
      <label htmlFor={id}>Tags</label>
      {tags.length > 0 ? (
        <ul className="chosen">
          {tags.map((slug) => (
            <li key={slug}>
              {nameOf(slug)}
              <button type="button" aria-label={`Remove ${nameOf(slug)}`} onClick={() => remove(slug)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div className="adding">
        <input
          id={id}
          ref={field}
          list={`${id}-known`}
          value={written}
          aria-describedby={`${id}-problem`}
          aria-invalid={errors.length > 0}
          onChange={({ target }) => setWritten(target.value)}
          onKeyDown={addByKey}
        />
        <button type="button" className="button" onClick={add} disabled={written.trim() === ""}>
          Add<span className="unseen"> this tag</span>
        </button>
      </div>
      <datalist id={`${id}-known`}>
        {known.filter(({ slug }) => !tags.includes(slug)).map(({ slug, name }) => (
          <option key={slug}>{name}</option>
        ))}
      </datalist>
      <p className="problem" id={`${id}-problem`}>
        {errors.map(sentence).join(" ")}
      </p>
    </div>
  );
}

function slugOf(written: string): string {
  const plain = written.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
}
