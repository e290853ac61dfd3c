// The form of a post or page: the text on the left, its metadata and buttons on the right.
import { type FormEvent, type KeyboardEvent, type ReactNode, Suspense, lazy, useEffect, useRef, useState } from "react";
import { failureOf } from "../graphql/failure";
import { Beside } from "./beside";
import { Body } from "./body";
import { CoverField } from "./cover-field";
import { EnclosureField } from "./enclosure-field";
import { Featured } from "./featured";
import { Field } from "./field";
import { LinkCards } from "./link-cards";
import { Presence } from "./presence";
import { SiteFields } from "./site-fields";
import { TagField } from "./tag-field";
import { TermChoices } from "./term-choices";
import { sentence } from "./problems";
import type { Changes } from "./use-changes";
import { useRendered } from "./use-rendered";
import type { Tags } from "./use-tags";
import type { Typed } from "./use-text";
import type { Edited, Kind } from "./values";
import { WordCount } from "./word-count";

const MarkdownEditor = lazy(() => import("./markdown/markdown-editor"));

const DISCARD = "Discard the text that was put aside last? This cannot be undone.";

interface Props {
  kind: Kind;
  content: Edited | null;
  typed: Typed;
  tags: Tags;
  changes: Changes;
  /** The result of the last change. */
  said: ReactNode;
  /** What others have done to the text. */
  news: string;
  onSave: () => void;
  /** Beside the button that saves. */
  publish: ReactNode;
  /** At the end, after everything that is typed. */
  end: ReactNode;
  children: ReactNode;
}

/** CodeMirror reads what was typed after 20 ms at most. */
const READ_MS = 50;

export function ContentForm(props: Props) {
  const { content, typed, changes, onSave } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  const latest = useRef(onSave);
  useEffect(() => {
    latest.current = () => {
      if (!changes.isBusy) onSave();
    };
  });
  const saveByKey = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    // The field for Markdown may not have read the last key yet.
    window.setTimeout(() => latest.current(), READ_MS);
  };
  return (
    // The key is a shortcut for the button.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form className="editor" onSubmit={submit} onKeyDown={saveByKey} noValidate>
      <Writing {...props} />
      <div className="about">
        <div className="panel saving">
          <div className="actions">
            <button type="submit" className="button main" disabled={changes.isBusy || content?.viewerCanUpdate === false}>
              {changes.isBusy ? "Saving …" : content?.status === "PUBLISHED" ? "Save and show to all" : "Save"}
            </button>
            {props.publish}
          </div>
          <Saved {...props} />
          {typed.text.aside.length > 0 ? (
            <>
              <button type="button" className="button" onClick={typed.bringBack}>
                Bring my text back
              </button>
              <button type="button" className="button quiet" onClick={() => void (window.confirm(DISCARD) && typed.discardAside())}>
                Discard what was put aside
              </button>
              {typed.text.aside.length > 1 ? <p className="hint">{typed.text.aside.length} texts are put aside: this is about the last one.</p> : null}
            </>
          ) : null}
          {typed.isDirty && content ? (
            <button type="button" className="button quiet" onClick={() => typed.takeInstead(typed.text.version, typed.text.base)}>
              Undo all changes
            </button>
          ) : null}
        </div>
        {props.children}
        <About {...props} />
        {props.end}
      </div>
    </form>
  );
}

function Saved({ content, typed, said, news }: Props) {
  const isReader = content?.viewerCanUpdate === false;
  const state = typed.isDirty ? "Not saved yet." : said || (content ? "All is saved." : "");
  return (
    <>
      <p role="status">{isReader ? "Your token can read this, but not change it." : state}</p>
      <p className="news" aria-live="polite">
        {news}
      </p>
      {content ? <Presence id={content.id} /> : null}
      {typed.isKept ? null : <p className="problem">This browser has no place to keep it: save it soon.</p>}
    </>
  );
}

type Shown = "write" | "preview" | "both";

/** A window in which text and preview do not fit side by side, as in the style sheet. */
const NARROW = "(max-width: 74rem)";

function Writing({ content, typed, changes }: Props) {
  const { text, type } = typed;
  const { values } = text;
  const lang = values.language.trim() || undefined;
  const [shown, setShown] = useState<Shown>(() => (window.matchMedia(NARROW).matches ? "write" : "both"));
  useEffect(() => {
    const narrow = window.matchMedia(NARROW);
    const leave = () => narrow.matches && setShown((before) => (before === "both" ? "write" : before));
    narrow.addEventListener("change", leave);
    return () => narrow.removeEventListener("change", leave);
  }, []);
  const preview = <Preview markdown={values.markdown} content={content} />;
  return (
    <div className="writing">
      <Field name="title" changes={changes}>
        {(control) => (
          <textarea
            {...control}
            className="title"
            rows={1}
            dir="auto"
            lang={lang}
            placeholder="Title"
            value={values.title}
            onChange={({ target }) => type({ title: target.value.replaceAll(/\s*\n\s*/g, " ") })}
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
          />
        )}
      </Field>
      <Field name="subtitle" changes={changes}>
        {(control) => <input {...control} className="below-title" dir="auto" lang={lang} placeholder="Subtitle" value={values.subtitle} onChange={({ target }) => type({ subtitle: target.value })} />}
      </Field>
      <div className="writing-head">
        <Switch shown={shown} onShow={setShown} />
        <WordCount text={values.markdown} />
      </div>
      {shown === "preview" ? preview : null}
      {/* Hidden, because a picture that is being sent comes into it. */}
      <div hidden={shown === "preview"} className={shown !== "preview" && (text.beside || shown === "both") ? "two" : undefined}>
        <Field name="markdown" hint="In Markdown. Rich text, pictures and files can be pasted." changes={changes}>
          {(control) => (
            <Suspense fallback={<div className="markdown-to-come" />}>
              <MarkdownEditor control={control} value={values.markdown} onChange={(markdown) => type({ markdown })} />
            </Suspense>
          )}
        </Field>
        {text.beside ? <Beside theirs={text.beside} mine={values} /> : shown === "both" ? preview : null}
      </div>
      <Field name="excerpt" hint="If it is empty, it is made from the text." changes={changes}>
        {(control) => (
          <textarea
            {...control}
            rows={3}
            dir="auto"
            lang={lang}
            value={values.excerpt}
            placeholder={content?.excerptIsGenerated ? content.excerpt : ""}
            onChange={({ target }) => type({ excerpt: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

const SHOWN: [Shown, string][] = [
  ["write", "Write"],
  ["preview", "Preview"],
  ["both", "Side by side"],
];

function Switch({ shown, onShow }: { shown: Shown; onShow: (shown: Shown) => void }) {
  return (
    <div className="switch" role="group" aria-label="Text or preview">
      {SHOWN.map(([name, label]) => (
        <button key={name} type="button" className={name === "both" ? "for-wide" : undefined} aria-pressed={shown === name} onClick={() => onShow(name)}>
          {label}
        </button>
      ))}
    </div>
  );
}

/** Shows the server's HTML, so that readers get what the writer sees. */
function Preview({ markdown, content }: { markdown: string; content: Edited | null }) {
  const { html, error } = useRendered(markdown, content?.body ?? null);
  const message = error?.graphQLErrors[0]?.message;
  return (
    <section className="preview" aria-label="Preview">
      {error ? <p className="notice">This is an earlier text. {message === undefined ? failureOf(error).text : sentence(message)}</p> : null}
      <Body html={html} address={content?.canonicalUrl} />
    </section>
  );
}

function About({ kind, content, typed, tags, changes }: Props) {
  const { values } = typed.text;
  const { type } = typed;
  return (
    <div className="panel">
      <CoverField cover={values.cover} changes={changes} onChange={(cover) => type({ cover })} />
      {kind === "post" ? (
        <>
          <TagField chosen={values.tagSlugs} tags={tags} changes={changes} onChange={(chosen) => type({ tagSlugs: chosen })} />
          <TermChoices values={values} changes={changes} type={type} />
          <Featured isOn={values.featured} changes={changes} onChange={(featured) => type({ featured })} />
          <Field name="slug" hint={content ? "Old addresses redirect to the post." : "If it is empty, it is made from the title."} changes={changes}>
            {(control) => <input {...control} value={values.slug} spellCheck={false} onChange={({ target }) => type({ slug: target.value })} />}
          </Field>
        </>
      ) : (
        <>
          <Field name="path" hint="Such as docs/install: below the page docs." changes={changes}>
            {(control) => <input {...control} value={values.path} spellCheck={false} onChange={({ target }) => type({ path: target.value })} />}
          </Field>
          <Field name="order" hint="Among the pages beside it; those without one come last." changes={changes}>
            {(control) => <input {...control} value={values.order} inputMode="numeric" onChange={({ target }) => type({ order: target.value })} />}
          </Field>
        </>
      )}
      <Field name="language" hint="Such as en or pt-BR. If it is empty: that of the site." changes={changes}>
        {(control) => <input {...control} value={values.language} spellCheck={false} onChange={({ target }) => type({ language: target.value })} />}
      </Field>
      <SiteFields kind={kind} metadata={values.metadata} changes={changes} onChange={(metadata) => type({ metadata })} />
      {kind === "post" ? <EnclosureField enclosure={values.enclosure} changes={changes} onChange={(enclosure) => type({ enclosure })} /> : null}
      <LinkCards content={content} values={values} />
      <details open={values.metadata !== ""}>
        <summary>More fields</summary>
        <Field name="metadata" hint="What the site reads besides, as a JSON object." changes={changes}>
          {(control) => (
            <textarea {...control} className="code" rows={4} spellCheck={false} value={values.metadata} onChange={({ target }) => type({ metadata: target.value })} />
          )}
        </Field>
      </details>
    </div>
  );
}
