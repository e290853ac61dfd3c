// The same post or page in other languages, a draft for another one, and links to those that exist. The rule: a new translation begins as a copy of what is saved.
import { useId, useState } from "react";
import { useQuery } from "urql";
import { CreatePost } from "../documents";
import { graphql } from "../gql";
import type { TranslationFragment } from "../gql/graphql";
import { useAsked } from "../graphql/use-asked";
import { Finder } from "../lists/finder";
import { CreatePage } from "../page-documents";
import { addressOf } from "../routing/addresses";
import { newKey } from "../routing/key";
import { Link } from "../routing/link";
import { goTo } from "../routing/place";
import { isEditor, useSession } from "../session";
import { type Edited, inputOfNew, valuesOf } from "./values";

graphql(`
  fragment Translation on Content {
    id
    title
    language
    status
    version
  }
`);

const TranslationsQuery = graphql(`
  query Translations($id: ID!) {
    site {
      language
      languages
    }
    node(id: $id) {
      id
      ... on Post {
        translations {
          ...Translation
        }
      }
      ... on Page {
        translations {
          ...Translation
        }
      }
    }
  }
`);

const LinkTranslations = graphql(`
  mutation LinkTranslations($input: LinkTranslationsInput!) {
    linkTranslations(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

const Unlink = graphql(`
  mutation Unlink($input: UnlinkTranslationsInput!) {
    unlinkTranslations(input: $input) {
      userErrors {
        message
      }
    }
  }
`);

export function Translations({ content }: { content: Edited }) {
  const { viewer } = useSession();
  const [{ data, error }, again] = useQuery({ query: TranslationsQuery, variables: { id: content.id }, requestPolicy: "cache-and-network" });
  const { ask, problem, isBusy } = useAsked();
  const node = data?.node;
  const others = (node && "translations" in node ? node.translations : []).filter(({ id }) => id !== content.id);
  const refresh = () => again({ requestPolicy: "network-only" });
  const unlink = async ({ id, version, title }: TranslationFragment) => {
    if (!window.confirm(`“${title}” stays, but is no translation of this text any more.`)) return;
    const input = { contents: [{ id, expectedVersion: version }] };
    if (await ask(Unlink, { input }, (answer) => answer.unlinkTranslations)) refresh();
  };
  return (
    <details className="panel history" open={others.length > 0}>
      <summary>
        Translations <span className="count">{others.length}</span>
      </summary>
      {error && !data ? (
        <p className="hint">
          They could not be loaded.{" "}
          <button type="button" className="button quiet" onClick={refresh}>
            Try again
          </button>
        </p>
      ) : null}
      <ul className="items">
        {others.map((other) => (
          <li key={other.id}>
            <Link to={"path" in content ? addressOf.editPage(other.id) : addressOf.edit(other.id)} lang={other.language ?? undefined} dir="auto">
              {other.title}
            </Link>
            <span className="count">{nameOfLanguage(other.language ?? data?.site.language)}</span>
            {other.status === "PUBLISHED" ? null : <span className="badge">{other.status.toLowerCase()}</span>}
            {isEditor(viewer) ? (
              <button type="button" className="button quiet" disabled={isBusy} onClick={() => void unlink(other)}>
                Unlink<span className="unseen"> {other.title}</span>
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      <p className="problem" role="alert">
        {problem}
      </p>
      {content.viewerCanUpdate ? <Another content={content} known={data?.site.languages ?? []} /> : null}
      {isEditor(viewer) ? <Existing content={content} linked={others} onLinked={refresh} /> : null}
    </details>
  );
}

function Another({ content, known }: { content: Edited; known: string[] }) {
  const id = useId();
  const { ask, problem, setProblem, isBusy } = useAsked();
  const [language, setLanguage] = useState("");
  const [path, setPath] = useState<string | null>(null);
  const [idempotencyKey] = useState(newKey);
  const tag = language.trim();
  const shownPath = "path" in content ? (path ?? (tag === "" ? "" : `${content.path}-${tag.toLowerCase()}`)) : "";
  const create = async () => {
    if (tag === "") return setProblem("Which language?");
    const values = valuesOf(content);
    // A slug, a written summary and a recording are of one language.
    const copied = inputOfNew({ ...values, slug: "", path: "", excerpt: "", enclosure: null, language: tag });
    const input = { ...copied, title: values.title, markdown: values.markdown, translationOfId: content.id, idempotencyKey: `${idempotencyKey} ${tag}` };
    if ("path" in content) {
      const made = await ask(CreatePage, { input: { ...input, path: shownPath.trim() } }, (data) => data.createPage);
      if (made?.page) goTo(addressOf.editPage(made.page.id));
    } else {
      const made = await ask(CreatePost, { input }, (data) => data.createPost);
      if (made?.post) goTo(addressOf.edit(made.post.id));
    }
  };
  return (
    <div className="field">
      <label htmlFor={id}>Translate into</label>
      <div className="adding">
        <input
          id={id}
          value={language}
          list={`${id}-known`}
          placeholder="de, pt-BR …"
          spellCheck={false}
          aria-describedby={`${id}-hint ${id}-problem`}
          onChange={({ target }) => setLanguage(target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            void create();
          }}
        />
        <button type="button" className="button" disabled={isBusy} onClick={() => void create()}>
          Create
        </button>
      </div>
      <datalist id={`${id}-known`}>
        {known.map((one) => (
          <option key={one} value={one}>
            {nameOfLanguage(one)}
          </option>
        ))}
      </datalist>
      {"path" in content && tag !== "" ? (
        <>
          <label htmlFor={`${id}-path`}>Path of the translation</label>
          <input id={`${id}-path`} value={shownPath} spellCheck={false} onChange={({ target }) => setPath(target.value)} />
        </>
      ) : null}
      <p className="hint" id={`${id}-hint`}>
        A draft that begins with this text.
      </p>
      <p className="problem" id={`${id}-problem`} role="alert">
        {problem}
      </p>
    </div>
  );
}

function Existing({ content, linked, onLinked }: { content: Edited; linked: TranslationFragment[]; onLinked: () => void }) {
  const { ask, problem, isBusy } = useAsked();
  const [isOpen, setOpen] = useState(false);
  const type = "path" in content ? "PAGE" : "POST";
  const link = async ({ id, version }: { id: string; version: number }) => {
    const contents = [content, { id, version }].map((one) => ({ id: one.id, expectedVersion: one.version }));
    if (!(await ask(LinkTranslations, { input: { contents } }, (answer) => answer.linkTranslations))) return;
    setOpen(false);
    onLinked();
  };
  return (
    <div className="field">
      <button type="button" className="button quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Link one that exists
      </button>
      {isOpen ? (
        <Finder
          type={type}
          name={type === "PAGE" ? "Find the page" : "Find the post"}
          renderActions={(found) =>
            [content, ...linked].some(({ id }) => id === found.id) ? null : (
              <button type="button" className="button" disabled={isBusy} onClick={() => void link(found)}>
                Link<span className="unseen"> {found.title}</span>
              </button>
            )
          }
        />
      ) : null}
      <p className="problem" role="alert">
        {problem}
      </p>
    </div>
  );
}

/** Such as `German (de)`. */
function nameOfLanguage(tag: string | null | undefined): string {
  if (tag == null) return "the language of the site";
  try {
    return `${new Intl.DisplayNames(undefined, { type: "language" }).of(tag)} (${tag})`;
  } catch {
    return tag;
  }
}
