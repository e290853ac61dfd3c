// Whether the post is featured. The rule: it is saved, and combined with the changes of others, like every other field.
import { useId } from "react";
import { errorsOf } from "./field";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";
import { FIELDS } from "./values";

interface Props {
  isOn: boolean;
  changes: Changes;
  onChange: (isOn: boolean) => void;
}

export function Featured({ isOn, changes, onChange }: Props) {
  const id = useId();
  const problem = errorsOf(changes, "featured").map(sentence).join(" ");
  return (
    <div className="chips small">
      <label className="chip">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>{FIELDS.featured}</span>
      </label>
      <p className="hint" id={`${id}-hint`}>
        Lists show it with a mark.
      </p>
      {problem === "" ? null : <p className="problem">{problem}</p>}
    </div>
  );
}
