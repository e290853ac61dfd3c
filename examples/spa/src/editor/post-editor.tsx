// The editor of one post. The rule: what was typed stays until it is saved; errors are shown beside it.
import { useState } from "react";
import type { EditedPostFragment } from "../gql/graphql";
import { addressOf } from "../routing/addresses";
import { keepNote, noteOf, replaceWith } from "../routing/place";
import { Page } from "../ui/page";
import { ConflictView } from "./conflict-view";
import { CreatePost, RestoreRevision, UpdatePost } from "./documents";
import { History } from "./history";
import { removeText } from "./kept-text";
import { PostForm } from "./post-form";
import { PreviewLink } from "./preview-link";
import { Problems } from "./problems";
import { Publishing } from "./publishing";
import { type Conflict, type Outcome, useChanges } from "./use-changes";
import { useTags } from "./use-tags";
import { type Typed, useText } from "./use-text";
import { NOTHING, NAMES_OF_FIELDS, type Values, changesOf, differing, putOver, valuesOf } from "./values";
import { namesOf } from "./words";

interface Props {
  /** Null for a new post. */
  post: EditedPostFragment | null;
  /** The authors of a new post. */
  authors: string[];
}

/** The part of a change that publishes the post, or makes it a draft again. */
type Publication = { publish?: boolean; publishAt?: string; unpublishAt?: string | null };

export function PostEditor({ post: first, authors }: Props) {
  const [post, setPost] = useState(first);
  const kept = useText(first?.id ?? "new", first?.version ?? 0, first ? valuesOf(first) : { ...NOTHING, authorSlugs: authors });
  const changes = useChanges();
  const typed: Typed = {
    ...kept,
    type: (some) => {
      kept.type(some);
      changes.clearErrorsOf(NAMES_OF_FIELDS.filter((name) => name in some));
    },
  };
  const tags = useTags(typed);
  const isDirty = typed.isDirty || tags.all !== typed.text.values.tagSlugs || tags.newName !== null;
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [said, setSaid] = useState(() => noteOf<string>("said") ?? "");
  const { text } = typed;

  const apply = (outcome: Outcome, sent: Values, message: string): EditedPostFragment | null => {
    if ("post" in outcome) {
      setPost(outcome.post);
      setConflict(null);
      typed.acceptSaved(outcome.post.version, valuesOf(outcome.post), sent);
      setSaid(message);
      return outcome.post;
    }
    // No typed text can be lost here, so the writer has nothing to choose.
    if ("conflict" in outcome) {
      const { theirs, since } = outcome.conflict;
      setPost(theirs);
      typed.acceptSaved(theirs.version, valuesOf(theirs), sent);
      setSaid(`${namesOf(since)} changed this post meanwhile. This is its current state: read it, then try again.`);
    }
    return null;
  };

  const creationOf = (values: Values) => (tags.mustCreate(values.tagSlugs) ? { createMissingTags: true } : {});

  const update = async (
    { id, version, base, values }: { id: string; version: number; base: Values; values: Values },
    publication: Publication = {},
    message = "Saved.",
  ) => {
    const changed = changesOf(base, values);
    const input = { id, expectedVersion: version, ...changed, ...creationOf(values), ...publication };
    const outcome = await changes.change(UpdatePost, { input }, (data) => data.updatePost, version);
    const hasTyped = Object.keys(changed).length > 0;
    if (!("conflict" in outcome && hasTyped)) return apply(outcome, values, message);
    setConflict(outcome.conflict);
    return null;
  };

  const create = async (values: Values) => {
    const { slug, excerpt, ...others } = values;
    const input = { ...others, ...(slug !== "" && { slug }), ...(excerpt !== "" && { excerpt }), ...creationOf(values) };
    const outcome = await changes.change(CreatePost, { input }, (data) => data.createPost, null);
    if (!("post" in outcome)) return null;
    removeText("new");
    keepNote("said", "Saved as a draft.");
    replaceWith(addressOf.edit(outcome.post.id));
    return outcome.post;
  };

  /** Saves what was typed, and changes the publication, in one change. */
  const save = async (publication?: Publication, message?: string) => {
    setSaid("");
    const values = { ...text.values, tagSlugs: tags.all };
    tags.take();
    // The writer decides about a tag that does not exist.
    if (tags.newName !== null) return null;
    if (!post) return create(values);
    const { version, base } = text;
    const mustSave = publication !== undefined || differing(base, values).length > 0;
    return mustSave ? update({ id: post.id, version, base, values }, publication, message) : post;
  };

  const publish = (at: string | null) =>
    at === null ? save({ publish: true }, "Published.") : save({ publishAt: at }, "Scheduled.");
  const unpublish = (at: string | null) =>
    at === null ? save({ publish: false }, "It is a draft again.") : save({ unpublishAt: at }, "The end is set.");
  const keepOut = () => save({ unpublishAt: null }, "It has no end any more.");

  const restore = async (revisionId: string, revision: number) => {
    const input = { revisionId, expectedVersion: text.version };
    const outcome = await changes.change(RestoreRevision, { input }, (data) => data.restoreRevision, text.version);
    apply(outcome, text.values, `Version ${revision} is its text again.`);
  };

  if (conflict) {
    const { theirs } = conflict;
    const values = valuesOf(theirs);
    const leave = (message: string) => {
      setPost(theirs);
      setConflict(null);
      setSaid(message);
    };
    return (
      <ConflictView
        conflict={conflict}
        base={text.base}
        mine={text.values}
        isBusy={changes.isBusy}
        onKeepMine={() => {
          typed.carryOver(theirs.version, values, null);
          const both = putOver(text.base, text.values, values);
          void update({ id: theirs.id, version: theirs.version, base: values, values: both });
        }}
        onTakeTheirs={() => {
          typed.takeInstead(theirs.version, values);
          leave("This is their text now. Yours is kept, and you can bring it back.");
        }}
        onMerge={() => {
          typed.carryOver(theirs.version, values, values);
          leave("This is your text, with theirs beside it. Nothing is saved yet.");
        }}
        problems={<Problems changes={changes} />}
      />
    );
  }

  return (
    <Page title={post ? "Edit a post" : "Write a post"} kind="For writers">
      <Problems changes={changes} />
      <PostForm post={post} typed={{ ...typed, isDirty }} tags={tags} changes={changes} said={said} onSave={() => void save()}>
        {post ? (
          <>
            <Publishing
              post={post}
              isBusy={changes.isBusy}
              onPublish={(at) => void publish(at)}
              onUnpublish={(at) => void unpublish(at)}
              onKeepOut={() => void keepOut()}
            />
            {post.status === "PUBLISHED" ? null : <PreviewLink id={post.id} slug={post.slug} />}
            <History post={post} isDirty={isDirty} onRestore={({ id, version }) => void restore(id, version)} />
          </>
        ) : (
          <p className="panel hint">Save it as a draft first; then it can be previewed, scheduled and published.</p>
        )}
      </PostForm>
    </Page>
  );
}
