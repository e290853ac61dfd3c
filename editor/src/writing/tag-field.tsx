// Tags: existing ones are suggested by name; a new one has a button of its own, and is created when the post is saved.
import { type FocusEvent, type KeyboardEvent, useId, useRef } from "react";
import { errorsOf } from "./field";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";
import type { Tags } from "./use-tags";

interface Props {
  /** The slugs of the tags that were added. */
  chosen: string[];
  tags: Tags;
  changes: Changes;
  onChange: (chosen: string[]) => void;
}

export function TagField({ chosen, tags, changes, onChange }: Props) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const { known, written, newName, problem } = tags;
  const problems = [...errorsOf(changes, "tagSlugs").map(sentence), ...(problem === null ? [] : [problem])];
  const nameOf = (slug: string) => known.find((tag) => tag.slug === slug)?.name ?? slug;

  const add = () => {
    tags.take();
    field.current?.focus();
  };
  const create = () => {
    tags.create();
    field.current?.focus();
  };
  const addByKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" && event.key !== ",") return;
    event.preventDefault();
    add();
  };
  // Not if the focus leaves the form: a new row of tags would then move the clicked label away during the click.
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    const isInForm = currentTarget.closest("form")?.contains(relatedTarget) === true;
    if (isInForm && !currentTarget.contains(relatedTarget)) tags.take();
  };
  const remove = (slug: string) => {
    onChange(chosen.filter((other) => other !== slug));
    field.current?.focus();
  };

  return (
    <div className="field">
      <label htmlFor={id}>Tags</label>
      {chosen.length > 0 ? (
        <ul className="chosen">
          {chosen.map((slug) => (
            <li key={slug}>
              {nameOf(slug)}
              <button type="button" aria-label={`Remove ${nameOf(slug)}`} onClick={() => remove(slug)}>
                ×
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <div className="adding" onBlur={leave}>
        <input
          id={id}
          ref={field}
          list={`${id}-known`}
          value={written}
          aria-describedby={`${id}-problem`}
          aria-invalid={problems.length > 0}
          onChange={({ target }) => tags.write(target.value)}
          onKeyDown={addByKey}
        />
        {newName === null ? (
          <button type="button" className="button" onClick={add} disabled={written.trim() === ""}>
            Add<span className="unseen"> this tag</span>
          </button>
        ) : (
          <button type="button" className="button" onClick={create}>
            Create the tag “{newName}”
          </button>
        )}
      </div>
      <datalist id={`${id}-known`}>
        {known.filter(({ slug }) => !chosen.includes(slug)).map(({ slug, name }) => (
          <option key={slug}>{name}</option>
        ))}
      </datalist>
      <p className="problem" id={`${id}-problem`} role="alert">
        {problems.join(" ")}
      </p>
    </div>
  );
}
