// The categories, tags, authors and series of the site: create, rename, describe, move, merge and delete them.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import type { TermItemFragment } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Page } from "../ui/page";
import { useSession } from "../session";
import { Empty, Loading } from "../ui/states";
import { Paged } from "./paged";
import * as documents from "./term-documents";
import { type ListOf, isBelow, nested, parentOf, useAllTerms } from "./term-tree";

interface Fields {
  name: string;
  slug?: string;
  description: string | null;
  parentId?: string | null;
}

interface Answered {
  answer?: { userErrors: { message: string }[] } | null;
}

interface Terms {
  name: string;
  one: string;
  list: ListOf;
  create: TypedDocumentNode<Answered, { input: Fields }>;
  update: TypedDocumentNode<Answered, { input: Partial<Fields> & Known }>;
  remove: TypedDocumentNode<Answered, { input: Known }>;
  merge: TypedDocumentNode<Answered, { input: { from: Known; into: Known } }>;
}

interface Known {
  id: string;
  expectedVersion: number;
}

const { CategoriesQuery, TagsQuery, AuthorsQuery, SeriesQuery } = documents;

const KINDS = {
  tags: { name: "Tags", one: "tag", list: TagsQuery, create: documents.CreateTag, update: documents.UpdateTag, remove: documents.DeleteTag, merge: documents.MergeTags },
  categories: { name: "Categories", one: "category", list: CategoriesQuery, create: documents.CreateCategory, update: documents.UpdateCategory, remove: documents.DeleteCategory, merge: documents.MergeCategories },
  authors: { name: "Authors", one: "author", list: AuthorsQuery, create: documents.CreateAuthor, update: documents.UpdateAuthor, remove: documents.DeleteAuthor, merge: documents.MergeAuthors },
  series: { name: "Series", one: "series", list: SeriesQuery, create: documents.CreateSeries, update: documents.UpdateSeries, remove: documents.DeleteSeries, merge: documents.MergeSeries },
} satisfies Record<string, Terms>;

type Kind = keyof typeof KINDS;

export function isKind(name: string): name is Kind {
  return Object.hasOwn(KINDS, name);
}

export function TermsPage({ kind }: { kind: Kind }) {
  const { name, one, list, create }: Terms = KINDS[kind];
  const { viewer } = useSession();
  // A new key reads the list again.
  const [changes, setChanges] = useState(0);
  const [said, setSaid] = useState("");
  const changed = (message: string) => {
    setChanges((count) => count + 1);
    setSaid(message);
  };
  const canCreate = viewer?.role === "ADMIN" || kind === "series";
  return (
    <Page title={name}>
      <nav className="tabs" aria-label="Kinds of terms">
        {(Object.keys(KINDS) as Kind[]).map((other) => (
          <Link key={other} to={addressOf.terms(other)}>
            {KINDS[other].name}
          </Link>
        ))}
      </nav>
      {canCreate ? (
        <TermForm key={`new ${changes}`} kind={kind} action={`Create the ${one}`} term={null} document={create} known={{}} onDone={(term) => changed(`${term} is created.`)} />
      ) : (
        <p className="hint">Only a token with the role admin can change them.</p>
      )}
      <p role="status" className="said">
        {said}
      </p>
      <section className="post-group" aria-label={name} key={changes}>
        {kind === "categories" ? (
          <Tree onChanged={changed} />
        ) : (
          <Paged query={list} asked={{}} connectionOf={(data) => data.terms} empty={<Empty>There are none yet.</Empty>}>
            {(terms) => (
              <ul className="items">
                {terms.map((term) => (
                  <Item key={term.id} term={term} kind={kind} onChanged={changed} />
                ))}
              </ul>
            )}
          </Paged>
        )}
      </section>
    </Page>
  );
}

function Tree({ onChanged }: { onChanged: (message: string) => void }) {
  const { terms, failed } = useAllTerms(CategoriesQuery);
  if (!terms) return failed ?? <Loading what="the categories" />;
  if (terms.length === 0) return <Empty>There are none yet.</Empty>;
  const level = (parent: string | null) => {
    const here = terms.filter((term) => parentOf(term) === parent);
    return here.length === 0 ? null : (
      <ul className="items tree">
        {here.map((term) => (
          <Item key={term.id} term={term} kind="categories" onChanged={onChanged}>
            {level(term.id)}
          </Item>
        ))}
      </ul>
    );
  };
  return level(null);
}

interface ItemProps {
  term: TermItemFragment;
  kind: Kind;
  onChanged: (message: string) => void;
  /** Those below it. */
  children?: ReactNode;
}

function Item({ term, kind, onChanged, children }: ItemProps) {
  const { ask, problem } = useAsked();
  const [open, setOpen] = useState<"edit" | "merge" | null>(null);
  const { update, remove }: Terms = KINDS[kind];
  const known = { id: term.id, expectedVersion: term.version };
  const { name, slug, postCount } = term;
  const drop = async () => {
    if (!window.confirm(`Delete “${name}”?`)) return;
    if (await ask(remove, { input: known }, (data) => data.answer)) onChanged(`${name} is deleted.`);
  };
  const toggle = (which: "edit" | "merge") => setOpen(open === which ? null : which);
  return (
    <li>
      <span className="name">{name}</span>
      <span className="count">
        {slug}, {postCount === 1 ? "1 published post" : `${postCount} published posts`}
      </span>
      {term.viewerCanUpdate ? (
        <>
          <button type="button" className="button quiet" aria-expanded={open === "edit"} onClick={() => toggle("edit")}>
            Edit<span className="unseen"> {name}</span>
          </button>
          <button type="button" className="button quiet" aria-expanded={open === "merge"} onClick={() => toggle("merge")}>
            Merge<span className="unseen"> {name}</span>
          </button>
          <button type="button" className="button quiet bad" onClick={() => void drop()}>
            Delete<span className="unseen"> {name}</span>
          </button>
        </>
      ) : null}
      <p className="problem" role="alert">
        {problem}
      </p>
      {open === "edit" ? <TermForm kind={kind} action="Save" term={term} document={update} known={known} onDone={(changed) => onChanged(`${changed} is saved.`)} /> : null}
      {open === "merge" ? <Merge term={term} kind={kind} onDone={(into) => onChanged(`${name} is merged into ${into}.`)} /> : null}
      {children ? <div className="below">{children}</div> : null}
    </li>
  );
}

function Merge({ term, kind, onDone }: { term: TermItemFragment; kind: Kind; onDone: (into: string) => void }) {
  const id = useId();
  const { list, merge, one }: Terms = KINDS[kind];
  const { terms, failed } = useAllTerms(list);
  const { ask, problem, setProblem, isBusy } = useAsked();
  const [chosen, setChosen] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const into = terms?.find((other) => other.id === chosen);
    if (!into) return setProblem(`Choose the ${one} that remains.`);
    if (!window.confirm(`Merge “${term.name}” into “${into.name}”? Its posts and addresses go to “${into.name}”. This cannot be undone.`)) return;
    const input = { from: { id: term.id, expectedVersion: term.version }, into: { id: into.id, expectedVersion: into.version } };
    if (await ask(merge, { input }, (data) => data.answer)) onDone(into.name);
  };
  return (
    <form className="term-form" onSubmit={(event) => void submit(event)} noValidate>
      <div className="field">
        <label htmlFor={id}>Merge into</label>
        <select id={id} value={chosen} aria-describedby={`${id}-problem`} onChange={({ target }) => setChosen(target.value)}>
          <option value="">{terms ? "Choose one" : "Loading …"}</option>
          {terms?.filter((other) => other.id !== term.id).map((other) => (
            <option key={other.id} value={other.id}>
              {other.name}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className="button" disabled={isBusy}>
        Merge
      </button>
      {failed}
      <p className="problem" role="alert" id={`${id}-problem`}>
        {problem}
      </p>
    </form>
  );
}

interface FormProps<More extends object> {
  kind: Kind;
  action: string;
  /** Null for a new one. */
  term: TermItemFragment | null;
  document: TypedDocumentNode<Answered, { input: Fields & More }>;
  /** What the input has besides. */
  known: More;
  onDone: (name: string) => void;
}

function TermForm<More extends object>({ kind, action, term, document, known, onDone }: FormProps<More>) {
  const id = useId();
  const { ask, problem, isBusy } = useAsked();
  const [values, setValues] = useState({ name: term?.name ?? "", slug: term?.slug ?? "", description: term?.description ?? "" });
  const [parentId, setParentId] = useState(() => (term ? parentOf(term) : null));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { name, slug, description } = values;
    const above = kind === "categories" ? { parentId } : {};
    const fields: Fields = { name, ...(slug !== "" && { slug }), description: description === "" ? null : description, ...above };
    if (await ask(document, { input: { ...fields, ...known } }, (data) => data.answer)) onDone(name);
  };
  return (
    <form className="term-form" onSubmit={(event) => void submit(event)} noValidate>
      {([["name", "Name"], ["slug", "Address"], ["description", "Description"]] as const).map(([field, label]) => (
        <div className="field" key={field}>
          <label htmlFor={`${id}-${field}`}>{label}</label>
          <input
            id={`${id}-${field}`}
            value={values[field]}
            aria-describedby={`${id}-problem`}
            placeholder={field === "slug" && term === null ? "from the name" : undefined}
            onChange={({ target }) => setValues({ ...values, [field]: target.value })}
          />
        </div>
      ))}
      {kind === "categories" ? <Above id={`${id}-parent`} of={term} chosen={parentId} onChange={setParentId} /> : null}
      <button type="submit" className="button" disabled={isBusy}>
        {action}
      </button>
      <p className="problem" role="alert" id={`${id}-problem`}>
        {problem}
      </p>
    </form>
  );
}

/** The category above, which is not below it. */
function Above({ id, of, chosen, onChange }: { id: string; of: TermItemFragment | null; chosen: string | null; onChange: (parent: string | null) => void }) {
  const { terms } = useAllTerms(CategoriesQuery);
  const fitting = nested(terms ?? []).filter(({ term }) => of === null || !isBelow(term, of, terms ?? []));
  return (
    <div className="field">
      <label htmlFor={id}>Below</label>
      <select id={id} value={chosen ?? ""} onChange={({ target }) => onChange(target.value === "" ? null : target.value)}>
        <option value="">At the top</option>
        {fitting.map(({ term, depth }) => (
          <option key={term.id} value={term.id}>
            {"\u2003".repeat(depth)}
            {term.name}
          </option>
        ))}
      </select>
    </div>
  );
}
