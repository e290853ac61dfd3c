// The fields of a new webhook, and of one that is changed.
import { type FormEvent, useState } from "react";
import type { ChangeAction, ChangedType } from "../gql/graphql";
import type { useAsked } from "../graphql/use-asked";
import { Labelled, Several } from "../ui/labelled";

export interface WebhookValues {
  url: string;
  /** 0: a message for each change. */
  digestSeconds: number;
  types: ChangedType[];
  actions: ChangeAction[];
  tagSlugs: string[];
  categorySlugs: string[];
  authorSlugs: string[];
  languages: string[];
}

export const NOTHING: WebhookValues = { url: "", digestSeconds: 0, types: [], actions: [], tagSlugs: [], categorySlugs: [], authorSlugs: [], languages: [] };

export const TYPES: Record<ChangedType, string> = { POST: "Posts", PAGE: "Pages", CATEGORY: "Categories", TAG: "Tags", AUTHOR: "Authors", SERIES: "Series" };

export const ACTIONS: Partial<Record<ChangeAction, string>> = {
  CREATED: "Created",
  UPDATED: "Updated",
  RENAMED: "Renamed",
  PUBLISHED: "Published",
  UNPUBLISHED: "Unpublished",
  DELETED: "Deleted",
};

const LISTS = [
  ["tagSlugs", "Of these tags"],
  ["categorySlugs", "Of these categories"],
  ["authorSlugs", "Of these authors"],
  ["languages", "In these languages"],
] as const;

interface Props {
  label: string;
  action: string;
  start: WebhookValues;
  asked: ReturnType<typeof useAsked>;
  onSave: (values: WebhookValues) => Promise<void>;
}

export function WebhookForm({ label, action, start, asked, onSave }: Props) {
  const [values, setValues] = useState(start);
  const [isDigest, setDigest] = useState(start.digestSeconds > 0);
  const [lists, setLists] = useState(() => Object.fromEntries(LISTS.map(([name]) => [name, start[name].join(", ")])));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = Object.fromEntries(LISTS.map(([name]) => [name, partsOf(lists[name] ?? "")]));
    void onSave({ ...values, ...typed, digestSeconds: isDigest ? values.digestSeconds : 0 });
  };
  return (
    <form className="panel admin-form" aria-label={label} onSubmit={submit} noValidate>
      <Labelled label="Address" hint="An https address of the public Internet, unless the operator allows others.">
        {(control) => <input {...control} type="url" value={values.url} placeholder="https://" onChange={({ target }) => setValues({ ...values, url: target.value })} />}
      </Labelled>
      <Labelled label="Messages" hint={isDigest ? "One message for all changes since the last: for builds." : "For caches and copies."}>
        {(control) => (
          <select
            {...control}
            value={isDigest ? "digest" : "each"}
            onChange={({ target }) => {
              setDigest(target.value === "digest");
              if (values.digestSeconds === 0) setValues({ ...values, digestSeconds: 60 });
            }}
          >
            <option value="each">One for each change</option>
            <option value="digest">A digest</option>
          </select>
        )}
      </Labelled>
      {isDigest ? (
        <Labelled label="Seconds between two messages" hint="5 to 86,400.">
          {(control) => (
            <input {...control} type="number" min={5} max={86_400} value={values.digestSeconds} onChange={({ target }) => setValues({ ...values, digestSeconds: Math.trunc(Number(target.value)) })} />
          )}
        </Labelled>
      ) : null}
      <Several legend="Only changes of" names={TYPES} chosen={values.types} onChange={(types) => setValues({ ...values, types })} />
      <Several legend="Only if they were" names={ACTIONS as Record<ChangeAction, string>} chosen={values.actions} onChange={(actions) => setValues({ ...values, actions })} />
      <details open={LISTS.some(([name]) => start[name].length > 0)}>
        <summary>Only of some terms and languages</summary>
        <div className="admin-form">
          {LISTS.map(([name, shown]) => (
            <Labelled key={name} label={shown} hint={name === "languages" ? "Such as en, pt-BR." : "Their addresses, with commas between them."}>
              {(control) => <input {...control} value={lists[name] ?? ""} spellCheck={false} onChange={({ target }) => setLists({ ...lists, [name]: target.value })} />}
            </Labelled>
          ))}
        </div>
      </details>
      <p className="hint wide-field">What you leave open filters nothing.</p>
      <p className="problem" role="alert">
        {asked.problem}
      </p>
      <p className="actions">
        <button type="submit" className="button main" disabled={asked.isBusy}>
          {action}
        </button>
      </p>
    </form>
  );
}

function partsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}
