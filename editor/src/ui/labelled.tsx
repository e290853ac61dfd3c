// A labelled control with a hint. The rule: screen readers read the hint aloud with the control.
import { type ReactNode, useId } from "react";

interface Props {
  label: string;
  hint?: ReactNode;
  children: (control: { id: string; "aria-describedby": string }) => ReactNode;
}

export function Labelled({ label, hint, children }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-hint` })}
      <p className="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

interface ChoiceProps<Name extends string> {
  legend: string;
  names: Record<Name, string>;
  chosen: Name[];
  onChange: (chosen: Name[]) => void;
}

/** Any number of some. */
export function Several<Name extends string>({ legend, names, chosen, onChange }: ChoiceProps<Name>) {
  const toggle = (name: Name) => onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name]);
  return (
    <fieldset className="chips small">
      <legend>{legend}</legend>
      {(Object.entries(names) as [Name, string][]).map(([name, shown]) => (
        <label key={name} className="chip">
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} />
          <span>{shown}</span>
        </label>
      ))}
    </fieldset>
  );
}
