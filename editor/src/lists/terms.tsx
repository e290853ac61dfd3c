// The categories, tags, authors and series of the site: create, rename, describe and delete them.
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type FormEvent, useId, useState } from "react";
import { useClient } from "urql";
import type { TermItemFragment } from "../gql/graphql";
import { failureOf } from "../graphql/failure";
import { addressOf } from "../routing/addresses";
import { Link } from "../routing/link";
import { Page } from "../ui/page";
import { Empty } from "../ui/states";
import { sentence } from "../writing/problems";
import { Paged } from "./paged";
import * as documents from "./term-documents";

interface Fields {
  name: string;
  slug?: string;
  description: string | null;
}

interface Answered {
  answer?: { userErrors: { message: string }[] } | null;
}

type ListOf = TypedDocumentNode<{ terms: { nodes: TermItemFragment[]; pageInfo: { hasNextPage: boolean; endCursor?: string | null } } }, { first?: number | null; after?: string | null }>;

interface Terms {
  name: string;
  one: string;
  list: ListOf;
  create: TypedDocumentNode<Answered, { input: Fields }>;
  update: TypedDocumentNode<Answered, { input: Partial<Fields> & { id: string; expectedVersion: number } }>;
  remove: TypedDocumentNode<Answered, { input: { id: string; expectedVersion: number } }>;
}

const { CategoriesQuery, TagsQuery, AuthorsQuery, SeriesQuery } = documents;

const KINDS = {
  tags: { name: "Tags", one: "tag", list: TagsQuery, create: documents.CreateTag, update: documents.UpdateTag, remove: documents.DeleteTag },
  categories: { name: "Categories", one: "category", list: CategoriesQuery, create: documents.CreateCategory, update: documents.UpdateCategory, remove: documents.DeleteCategory },
  authors: { name: "Authors", one: "author", list: AuthorsQuery, create: documents.CreateAuthor, update: documents.UpdateAuthor, remove: documents.DeleteAuthor },
  series: { name: "Series", one: "series", list: SeriesQuery, create: documents.CreateSeries, update: documents.UpdateSeries, remove: documents.DeleteSeries },
} satisfies Record<string, Terms>;

type Kind = keyof typeof KINDS;

export function isKind(name: string): name is Kind {
  return name in KINDS;
}

export function TermsPage({ kind }: { kind: Kind }) {
  const { name, one, list, create }: Terms = KINDS[kind];
  // A new key reads the list again.
  const [changes, setChanges] = useState(0);
  const [said, setSaid] = useState("");
  const changed = (message: string) => {
    setChanges((count) => count + 1);
    setSaid(message);
  };
  return (
    <Page title={name}>
      <nav className="tabs" aria-label="Kinds of terms">
        {(Object.keys(KINDS) as Kind[]).map((other) => (
          <Link key={other} to={addressOf.terms(other)}>
            {KINDS[other].name}
          </Link>
        ))}
      </nav>
      <TermForm key={`new ${changes}`} action={`Create the ${one}`} start={{ name: "", slug: "", description: "" }} document={create} known={{}} onDone={(term) => changed(`${term} is created.`)} />
      <p role="status" className="said">
        {said}
      </p>
      <section className="post-group" aria-label={name} key={changes}>
        <Paged query={list} asked={{}} connectionOf={(data) => data.terms} empty={<Empty>There are none yet.</Empty>}>
          {(terms) => (
            <ul className="items">
              {terms.map((term) => (
                <Item key={term.id} term={term} kind={kind} onChanged={changed} />
              ))}
            </ul>
          )}
        </Paged>
      </section>
    </Page>
  );
}

function Item({ term, kind, onChanged }: { term: TermItemFragment; kind: Kind; onChanged: (message: string) => void }) {
  const client = useClient();
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState("");
  const { update, remove }: Terms = KINDS[kind];
  const known = { id: term.id, expectedVersion: term.version };
  const { name, slug, postCount } = term;
  const drop = async () => {
    if (!window.confirm(`Delete “${name}”?`)) return;
    const { data, error } = await client.mutation(remove, { input: known });
    const refused = problemOf(data, error);
    return refused === null ? onChanged(`${name} is deleted.`) : setProblem(refused);
  };
  return (
    <li>
      <span className="name">{name}</span>
      <span className="count">
        {slug}, {postCount === 1 ? "1 published post" : `${postCount} published posts`}
      </span>
      <button type="button" className="button quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Edit<span className="unseen"> {name}</span>
      </button>
      <button type="button" className="button quiet bad" onClick={() => void drop()}>
        Delete<span className="unseen"> {name}</span>
      </button>
      <p className="problem" role="alert">
        {problem}
      </p>
      {isOpen ? (
        <TermForm action="Save" start={{ name, slug, description: term.description ?? "" }} document={update} known={known} onDone={(changed) => onChanged(`${changed} is saved.`)} />
      ) : null}
    </li>
  );
}

interface FormProps<Known extends object> {
  action: string;
  start: { name: string; slug: string; description: string };
  document: TypedDocumentNode<Answered, { input: Fields & Known }>;
  /** What the input has besides. */
  known: Known;
  onDone: (name: string) => void;
}

function TermForm<Known extends object>({ action, start, document, known, onDone }: FormProps<Known>) {
  const id = useId();
  const client = useClient();
  const [values, setValues] = useState(start);
  const [problem, setProblem] = useState("");
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { name, slug, description } = values;
    const fields: Fields = { name, ...(slug !== "" && { slug }), description: description === "" ? null : description };
    const { data, error } = await client.mutation(document, { input: { ...fields, ...known } });
    const refused = problemOf(data, error);
    return refused === null ? onDone(name) : setProblem(refused);
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
            placeholder={field === "slug" && start.slug === "" ? "from the name" : undefined}
            onChange={({ target }) => setValues({ ...values, [field]: target.value })}
          />
        </div>
      ))}
      <button type="submit" className="button">
        {action}
      </button>
      <p className="problem" role="alert" id={`${id}-problem`}>
        {problem}
      </p>
    </form>
  );
}

function problemOf(data: Answered | undefined, error: Parameters<typeof failureOf>[0] | undefined): string | null {
  if (error) return `${failureOf(error).title}. ${failureOf(error).text}`;
  const refused = data?.answer?.userErrors[0]?.message;
  return refused === undefined ? null : sentence(refused);
}
