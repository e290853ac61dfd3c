// The fields that the site has declared, each with the input of its type. The rule: a declared field is the key of the metadata with its name, so this
// form and the JSON show the same.
import { useId, useState } from "react";
import { useQuery } from "urql";
import { graphql } from "../gql";
import type { TypeOfFieldsQuery } from "../gql/graphql";
import { Several } from "../ui/labelled";
import { localTime } from "../ui/time";
import { errorsOf } from "./field";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";
import type { Kind } from "./values";

const TypeQuery = graphql(`
  query TypeOfFields($name: String!) {
    found: __type(name: $name) {
      enumValues {
        name
      }
      inputFields {
        name
        description
        type {
          kind
          name
          ofType {
            kind
            name
            ofType {
              kind
              name
              ofType {
                kind
                name
              }
            }
          }
        }
      }
    }
  }
`);

type Declared = NonNullable<NonNullable<TypeOfFieldsQuery["found"]>["inputFields"]>[number];
interface Wrapped {
  kind: string;
  name?: string | null;
  ofType?: Wrapped | null;
}
type Value = Record<string, unknown>;

function useType(name: string) {
  const [{ data }] = useQuery({ query: TypeQuery, variables: { name } });
  return data?.found;
}

interface Props {
  kind: Kind;
  /** JSON as it is typed. */
  metadata: string;
  changes: Changes;
  onChange: (metadata: string) => void;
}

/** Nothing if the site has declared none, or if the server says nothing of its types. */
export function SiteFields({ kind, metadata, changes, onChange }: Props) {
  const declared = useType(kind === "post" ? "PostFieldsInput" : "PageFieldsInput")?.inputFields ?? [];
  if (declared.length === 0) return null;
  const value = objectIn(metadata);
  if (value === null) return <p className="hint">The metadata below are not a JSON object, so the fields of the site cannot be shown.</p>;
  const set = (next: Value) => onChange(Object.keys(next).length === 0 ? "" : JSON.stringify(next, null, 2));
  return (
    <fieldset className="site-fields">
      <legend>Fields of this site</legend>
      <Inputs declared={declared} value={value} onChange={set} />
      <p className="problem">{errorsOf(changes, "metadata").map(sentence).join(" ")}</p>
    </fieldset>
  );
}

function Inputs({ declared, value, onChange }: { declared: Declared[]; value: Value; onChange: (value: Value) => void }) {
  const set = (name: string, one: unknown) => {
    const { [name]: _, ...rest } = value;
    onChange(one === undefined ? rest : { ...value, [name]: one });
  };
  return declared.map(({ name, description, type }) => (
    <One key={name} name={name} description={description ?? ""} type={type} value={value[name]} onChange={(one) => set(name, one)} />
  ));
}

interface OneProps {
  name: string;
  description: string;
  type: Wrapped;
  value: unknown;
  onChange: (value: unknown) => void;
}

function One({ name, description, type, value, onChange }: OneProps) {
  const id = useId();
  const isRequired = type.kind === "NON_NULL";
  const inner = isRequired ? (type.ofType ?? type) : type;
  const label = isRequired ? `${name} (required)` : name;
  if (inner.kind === "INPUT_OBJECT") return <Part name={label} type={inner.name ?? ""} value={value} onChange={onChange} />;
  const item = inner.kind === "LIST" ? (inner.ofType?.kind === "NON_NULL" ? inner.ofType.ofType : inner.ofType) : null;
  if (item?.kind === "ENUM") return <Choices name={label} type={item.name ?? ""} value={value} onChange={onChange} />;
  const control = { id, "aria-describedby": `${id}-hint` };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {item ? (
        <List control={control} item={item} value={value} onChange={onChange} />
      ) : inner.kind === "ENUM" ? (
        <Choice control={control} type={inner.name ?? ""} value={value} onChange={onChange} />
      ) : (
        <Scalar control={control} type={inner.name ?? ""} value={value} onChange={onChange} />
      )}
      <p className="hint" id={`${id}-hint`}>
        {[description, item ? "One in each line." : ""].filter((text) => text !== "").join(" ")}
      </p>
    </div>
  );
}

interface ControlProps {
  control: { id: string; "aria-describedby": string };
  value: unknown;
  onChange: (value: unknown) => void;
}

function Scalar({ control, type, value, onChange }: ControlProps & { type: string }) {
  const text = typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
  switch (type) {
    case "Boolean":
      return (
        <select {...control} value={text} onChange={({ target }) => onChange(target.value === "" ? undefined : target.value === "true")}>
          <option value="">Not set</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      );
    case "Int":
    case "Float":
      return <Written control={control} rows={0} value={value} textOf={() => text} parse={(typed) => parsedAs(type, typed)} onChange={onChange} />;
    case "DateTime":
      return (
        <input
          {...control}
          type="datetime-local"
          value={Number.isNaN(Date.parse(text)) ? "" : localTime(text)}
          onChange={({ target }) => onChange(target.value === "" ? undefined : new Date(target.value).toISOString())}
        />
      );
    case "JSON":
      return <Written control={control} rows={3} value={value} textOf={() => (value === undefined ? "" : JSON.stringify(value, null, 2))} parse={(typed) => parsedAs(type, typed)} onChange={onChange} />;
    default:
      return <input {...control} type={type === "URL" ? "url" : "text"} dir="auto" value={text} onChange={({ target }) => onChange(parsedAs(type, target.value))} />;
  }
}

/** What is not a value of the type stays the typed text, which the server refuses by name. */
function parsedAs(type: string, text: string): unknown {
  if (text.trim() === "") return undefined;
  if (type !== "Int" && type !== "Float" && type !== "JSON") return text;
  try {
    const value: unknown = JSON.parse(text);
    return type === "JSON" || typeof value === "number" ? value : text;
  } catch {
    return text;
  }
}

function List({ control, item, value, onChange }: ControlProps & { item: Wrapped }) {
  const lines = Array.isArray(value) ? value.map((one: unknown) => (typeof one === "string" ? one : JSON.stringify(one))) : [];
  const type = item.kind === "SCALAR" ? (item.name ?? "") : "JSON";
  const parse = (text: string) => {
    const values = text.split("\n").map((line) => parsedAs(type, line)).filter((one) => one !== undefined);
    return values.length === 0 ? undefined : values;
  };
  return <Written control={control} rows={3} value={value} textOf={() => lines.join("\n")} parse={parse} onChange={onChange} />;
}

/** A text that stands for a value. What is typed stays as it is, such as 1.50, as long as it means the value. */
function Written({ control, rows, value, textOf, parse, onChange }: ControlProps & { rows: number; textOf: () => string; parse: (text: string) => unknown }) {
  const [written, setWritten] = useState(textOf);
  const shown = JSON.stringify(parse(written)) === JSON.stringify(value) ? written : textOf();
  const set = (text: string) => {
    setWritten(text);
    onChange(parse(text));
  };
  if (rows === 0) return <input {...control} inputMode="decimal" value={shown} onChange={({ target }) => set(target.value)} />;
  return <textarea {...control} rows={rows} dir="auto" value={shown} onChange={({ target }) => set(target.value)} />;
}

function Choice({ control, type, value, onChange }: ControlProps & { type: string }) {
  const known = useType(type)?.enumValues?.map(({ name }) => name) ?? [];
  const chosen = typeof value === "string" ? value : "";
  return (
    <select {...control} value={chosen} onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}>
      <option value="">Not set</option>
      {[...new Set([...known, chosen])].filter((name) => name !== "").map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

type PartProps = Pick<OneProps, "name" | "value" | "onChange"> & { type: string };

function Choices({ name, type, value, onChange }: PartProps) {
  const chosen = Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  const known = useType(type)?.enumValues?.map((one) => one.name) ?? [];
  const names = Object.fromEntries([...known, ...chosen].map((one) => [one, one]));
  return <Several legend={name} names={names} chosen={chosen} onChange={(next) => onChange(next.length === 0 ? undefined : next)} />;
}

function Part({ name, type, value, onChange }: PartProps) {
  const declared = useType(type)?.inputFields ?? [];
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return (
    <fieldset className="site-fields">
      <legend>{name}</legend>
      <Inputs declared={declared} value={isObject ? (value as Value) : {}} onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)} />
    </fieldset>
  );
}

function objectIn(text: string): Value | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Value) : null;
  } catch {
    return null;
  }
}
