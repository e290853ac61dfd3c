// Categories, authors and the series: only existing ones can be chosen.
import { useOnce } from "../graphql/use-once";
import { ChoicesQuery } from "../documents";
import { Field, errorsOf } from "./field";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";
import { FIELDS, type Values } from "./values";

interface Props {
  values: Values;
  changes: Changes;
  type: (some: Partial<Values>) => void;
}

export function TermChoices({ values, changes, type }: Props) {
  const { data, error, again } = useOnce(ChoicesQuery, {});
  if (error) {
    return (
      <p className="hint">
        Categories, authors and series could not be loaded.{" "}
        <button type="button" className="button quiet" onClick={again}>
          Try again
        </button>
      </p>
    );
  }
  return (
    <>
      {([["categorySlugs", "categories"], ["authorSlugs", "authors"]] as const).map(([name, list]) => (
        <Choice
          key={name}
          name={name}
          items={data ? choicesOf(data[list].nodes, ...values[name]) : []}
          chosen={values[name]}
          problem={errorsOf(changes, name).map(sentence).join(" ")}
          onChange={(chosen) => type({ [name]: chosen })}
        />
      ))}
      <Field name="seriesSlug" changes={changes}>
        {(control) => (
          <select {...control} value={values.seriesSlug} onChange={({ target }) => type({ seriesSlug: target.value })}>
            <option value="">None</option>
            {choicesOf(data?.allSeries.nodes ?? [], values.seriesSlug).map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

/** Also the chosen one, if it is not among those that were loaded. */
function choicesOf(loaded: { slug: string; name: string }[], ...chosen: string[]): { slug: string; name: string }[] {
  const missing = chosen.filter((slug) => slug !== "" && !loaded.some((item) => item.slug === slug));
  return [...loaded, ...missing.map((slug) => ({ slug, name: slug }))];
}

interface ChoiceProps {
  name: "categorySlugs" | "authorSlugs";
  items: { slug: string; name: string }[];
  chosen: string[];
  problem: string;
  onChange: (chosen: string[]) => void;
}

function Choice({ name, items, chosen, problem, onChange }: ChoiceProps) {
  if (items.length === 0 && problem === "") return null;
  const toggle = (slug: string) => onChange(chosen.includes(slug) ? chosen.filter((other) => other !== slug) : [...chosen, slug]);
  return (
    <fieldset className="chips small">
      <legend>{FIELDS[name]}</legend>
      {items.map((item) => (
        <label key={item.slug} className="chip">
          <input type="checkbox" checked={chosen.includes(item.slug)} onChange={() => toggle(item.slug)} />
          <span>{item.name}</span>
        </label>
      ))}
      {problem === "" ? null : <p className="problem">{problem}</p>}
    </fieldset>
  );
}
