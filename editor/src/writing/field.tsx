// A labelled field with its hint and its errors, for any control. The rule: screen readers read both aloud with the control.
import { type ReactNode, useId } from "react";
import type { Changes } from "./use-changes";
import { sentence } from "./problems";
import { FIELDS, type Field as Name } from "./values";

interface ControlProps {
  id: string;
  "aria-describedby": string;
  "aria-invalid": boolean;
}

interface Props {
  name: Name;
  hint?: ReactNode;
  changes: Changes;
  children: (control: ControlProps) => ReactNode;
}

export function Field({ name, hint, changes, children }: Props) {
  const id = useId();
  const errors = errorsOf(changes, name);
  return (
    <div className="field">
      <label htmlFor={id}>{FIELDS[name]}</label>
      {children({ id, "aria-describedby": `${id}-hint ${id}-problem`, "aria-invalid": errors.length > 0 })}
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <p className="problem" id={`${id}-problem`}>
        {errors.map(sentence).join(" ")}
      </p>
    </div>
  );
}

export function errorsOf({ userErrors }: Changes, name: Name): string[] {
  return userErrors.filter(({ field }) => field === name).map(({ message }) => message);
}
