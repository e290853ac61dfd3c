// The form of a post: the text on the left, its metadata and buttons on the right.
import { type FormEvent, type ReactNode, useState } from "react";
import type { EditedPostFragment } from "../gql/graphql";
import { PostBody } from "../posts/post-body";
import { Beside } from "./beside";
import { Featured } from "./featured";
import { Field } from "./field";
import { TagField } from "./tag-field";
import { TermChoices } from "./term-choices";
import type { Changes } from "./use-changes";
import type { Tags } from "./use-tags";
import type { Typed } from "./use-text";

interface Props {
  post: EditedPostFragment | null;
  typed: Typed;
  tags: Tags;
  changes: Changes;
  /** The result of the last change. */
  said: string;
  onSave: () => void;
  children: ReactNode;
}

export function PostForm({ post, typed, tags, changes, said, onSave, children }: Props) {
  const { text, type, isDirty } = typed;
  const { values } = text;
  const [isPreview, setPreview] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form className="editor" onSubmit={submit} noValidate>
      <div className="writing">
        <Field name="title" changes={changes}>
          {(control) => (
            <input {...control} className="title" value={values.title} onChange={({ target }) => type({ title: target.value })} />
          )}
        </Field>
        <Field name="subtitle" changes={changes}>
          {(control) => <input {...control} value={values.subtitle} onChange={({ target }) => type({ subtitle: target.value })} />}
        </Field>
        <div className="switch" role="group" aria-label="Text or preview">
          <button type="button" aria-pressed={!isPreview} onClick={() => setPreview(false)}>
            Write
          </button>
          <button type="button" aria-pressed={isPreview} disabled={!post} onClick={() => setPreview(true)}>
            Preview
          </button>
        </div>
        {isPreview && post ? (
          <Preview html={post.body.html} isOld={values.markdown !== post.body.markdown} />
        ) : (
          <div className={text.beside ? "two" : undefined}>
            <Field name="markdown" hint="In Markdown." changes={changes}>
              {(control) => (
                <textarea {...control} rows={20} value={values.markdown} onChange={({ target }) => type({ markdown: target.value })} />
              )}
            </Field>
            {text.beside ? <Beside theirs={text.beside} mine={values} /> : null}
          </div>
        )}
        <Field name="excerpt" hint="If it is empty, it is made from the text." changes={changes}>
          {(control) => <textarea {...control} rows={3} value={values.excerpt} onChange={({ target }) => type({ excerpt: target.value })} />}
        </Field>
      </div>
      <div className="about">
        <div className="panel saving">
          <button type="submit" className="button main" disabled={changes.isBusy}>
            {changes.isBusy ? "Saving …" : post?.status === "PUBLISHED" ? "Save and show to all" : "Save"}
          </button>
          <p role="status">{isDirty ? "Not saved yet." : said || (post ? "All is saved." : "")}</p>
          {text.aside ? (
            <button type="button" className="button" onClick={typed.bringBack}>
              Bring my text back
            </button>
          ) : null}
          {isDirty && post && !text.aside ? (
            <button type="button" className="button quiet" onClick={() => typed.takeInstead(text.version, text.base)}>
              Undo all changes
            </button>
          ) : null}
        </div>
        {children}
        <div className="panel">
          <TagField chosen={values.tagSlugs} tags={tags} changes={changes} onChange={(chosen) => type({ tagSlugs: chosen })} />
          <TermChoices values={values} changes={changes} type={type} />
          <Featured isOn={values.featured} changes={changes} onChange={(featured) => type({ featured })} />
          <Field
            name="slug"
            hint={post ? "Old addresses redirect to the post." : "If it is empty, it is made from the title."}
            changes={changes}
          >
            {(control) => (
              <input {...control} value={values.slug} spellCheck={false} onChange={({ target }) => type({ slug: target.value })} />
            )}
          </Field>
        </div>
      </div>
    </form>
  );
}

/** Shows the server's HTML, so that readers get what the writer saw. */
function Preview({ html, isOld }: { html: string; isOld: boolean }) {
  return (
    <section className="preview" aria-label="Preview">
      {isOld ? <p className="notice">This is the text that was saved last. Save to see your changes.</p> : null}
      <PostBody html={html} />
    </section>
  );
}
