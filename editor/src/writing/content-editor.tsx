// The editor of one post or page. The rule: what was typed stays until it is saved; errors are shown beside it.
import { type ReactNode, useState } from "react";
import { CreatePost, RestorePost, UpdatePost } from "../documents";
import { CreatePage, RestorePage, UpdatePage } from "../page-documents";
import { addressOf } from "../routing/addresses";
import { newKey } from "../routing/key";
import { keyNow, renameTo } from "../routing/place";
import { Page } from "../ui/page";
import { ConflictView } from "./conflict-view";
import { ContentForm } from "./content-form";
import { Deletion } from "./deletion";
import { History } from "./history";
import type { Creation } from "./kept-text";
import { PreviewLink } from "./preview-link";
import { Problems } from "./problems";
import { PublishNow, Publishing } from "./publishing";
import { Translations } from "./translations";
import { type Changes, type Conflict, type Outcome, useChanges } from "./use-changes";
import { useOthers } from "./use-others";
import { type Tags, useTags } from "./use-tags";
import { type Typed, useText } from "./use-text";
import { ViewPlot } from "./view-plot";
import {
  type Edited,
  type Kind,
  NAMES_OF_FIELDS,
  NOTHING,
  type Publication,
  type Values,
  changesOf,
  differing,
  faultsOf,
  inputOf,
  inputOfNew,
  isDone,
  isStored,
  putOver,
  valuesOf,
} from "./values";
import { namesOf } from "./words";

interface Props {
  kind: Kind;
  /** Null for a new one. */
  content: Edited | null;
  /** What a new one has from the start. */
  start: Partial<Values>;
}

/** A conflict, and what the change that met it should do to the publication. */
interface Met extends Conflict {
  publication: Publication;
  message: string;
}

export function ContentEditor({ kind, content: first, start }: Props) {
  const [content, setContent] = useState(first);
  const id = content?.id ?? `new ${kind}`;
  const kept = useText(id, first?.version ?? 0, first ? valuesOf(first) : { ...NOTHING, ...start });
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
  const saving = useSaving({ kind, content, setContent, typed, tags, changes });
  const { conflict } = saving;
  const news = useOthers({ kind, content, setContent, typed, changes, isChoosing: conflict !== null });

  if (conflict) return <Clash conflict={conflict} typed={typed} changes={changes} saving={saving} />;
  return (
    <Page title={content ? `Edit a ${kind}` : `Write a ${kind}`}>
      <Problems changes={changes} />
      <ContentForm
        kind={kind}
        content={content}
        typed={{ ...typed, isDirty }}
        tags={tags}
        changes={changes}
        said={saving.said}
        news={news}
        onSave={() => void saving.save()}
        publish={content?.viewerCanUpdate ? <PublishNow content={content} isBusy={changes.isBusy} onPublish={() => void saving.save({ publish: true }, "Published.")} /> : null}
        end={content?.viewerCanUpdate ? <Deletion content={content} version={typed.text.version} /> : null}
      >
        {content ? (
          <Beside content={content} changes={changes} saving={saving} isDirty={isDirty} />
        ) : (
          <p className="panel hint">Save it as a draft first; then it can be previewed, scheduled and published.</p>
        )}
      </ContentForm>
    </Page>
  );
}

type Saving = ReturnType<typeof useSaving>;

interface BesideProps {
  content: Edited;
  changes: Changes;
  saving: Saving;
  isDirty: boolean;
}

function Beside({ content, changes, saving, isDirty }: BesideProps) {
  const { viewerCanUpdate } = content;
  if (!viewerCanUpdate) return <History content={content} onRestore={null} isDirty={false} />;
  return (
    <>
      <Publishing
        content={content}
        isBusy={changes.isBusy}
        onPublish={(at) => void saving.save({ publishAt: at }, Date.parse(at) > Date.now() ? "Scheduled." : "The date is changed.")}
        onUnpublish={() => void saving.save({ publish: false }, "It is a draft again.")}
        onEnd={(at) => void saving.save({ unpublishAt: at }, at === null ? "It stays published." : "The end is set.")}
      />
      {content.status === "PUBLISHED" ? <ViewPlot id={content.id} /> : <PreviewLink id={content.id} />}
      <Translations content={content} />
      <History content={content} isDirty={isDirty} onRestore={({ id, version: restored }) => void saving.restore(id, restored)} />
    </>
  );
}

function Clash({ conflict, typed, changes, saving }: { conflict: Met; typed: Typed; changes: Changes; saving: Saving }) {
  const { text } = typed;
  const { theirs, publication, message } = conflict;
  const values = valuesOf(theirs);
  const asked = askedFor(publication);
  const notDone = asked === "" ? "" : " The publication was not changed.";
  return (
    <ConflictView
      conflict={conflict}
      base={text.base}
      mine={text.values}
      isBusy={changes.isBusy}
      onKeepMine={() => {
        typed.carryOver(theirs.version, values, null);
        const both = putOver(text.base, text.values, values);
        void saving.update({ id: theirs.id, version: theirs.version, base: values, values: both }, publication, message);
      }}
      asked={asked}
      onTakeTheirs={() => {
        typed.takeInstead(theirs.version, values);
        saving.leave(theirs, `This is their text now. Yours is kept, and you can bring it back.${notDone}`);
      }}
      onMerge={() => {
        typed.carryOver(theirs.version, values, values);
        saving.leave(theirs, `This is your text, with theirs beside it. Nothing is saved yet.${notDone}`);
      }}
      problems={<Problems changes={changes} />}
    />
  );
}

/** In words: what a change should do besides saving. */
function askedFor({ publish, publishAt, unpublishAt }: Publication): string {
  if (publish !== undefined) return publish ? "publishes it" : "makes it a draft again";
  if (publishAt !== undefined) return "sets the date of its publication";
  if (unpublishAt !== undefined) return unpublishAt === null ? "leaves it published" : "sets the end of its publication";
  return "";
}

interface SavingProps {
  kind: Kind;
  content: Edited | null;
  setContent: (content: Edited) => void;
  typed: Typed;
  tags: Tags;
  changes: Changes;
}

/** Every way to save, and what came of the last one. */
function useSaving({ kind, content, setContent, typed, tags, changes }: SavingProps) {
  const [conflict, setConflict] = useState<Met | null>(null);
  const [said, setSaid] = useState<ReactNode>("");
  const { text } = typed;

  const apply = (outcome: Outcome, sent: Values, message: string): Edited | null => {
    if ("content" in outcome) {
      setContent(outcome.content);
      setConflict(null);
      typed.acceptSaved(outcome.content.version, valuesOf(outcome.content), sent);
      setSaid(message);
      return outcome.content;
    }
    // No typed text can be lost here, so the writer has nothing to choose.
    if ("conflict" in outcome) {
      const { theirs, since } = outcome.conflict;
      setContent(theirs);
      typed.acceptSaved(theirs.version, valuesOf(theirs), sent);
      setSaid(`${namesOf(since)} changed this ${kind} meanwhile. This is its current state: read it, then try again.`);
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
    const fields = { id, expectedVersion: version, ...inputOf(changed), ...publication };
    const outcome =
      kind === "page"
        ? await changes.change(UpdatePage, { input: fields }, (data) => data.updatePage, version)
        : await changes.change(UpdatePost, { input: { ...fields, ...creationOf(values) } }, (data) => data.updatePost, version);
    if (!("conflict" in outcome)) return apply(outcome, values, message);
    const { theirs } = outcome.conflict;
    const hasTyped = Object.keys(changed).length > 0;
    if (isStored(values, valuesOf(theirs))) {
      // The answer to an earlier attempt was lost.
      if (isDone(publication, theirs)) return apply({ content: theirs }, values, message);
      if (hasTyped) return update({ id, version: theirs.version, base: values, values }, publication, message);
    }
    if (!hasTyped) return apply(outcome, values, message);
    setConflict({ ...outcome.conflict, publication, message });
    return null;
  };

  const newCreation = (values: Values): Creation => {
    const required = kind === "page" ? { path: values.path } : creationOf(values);
    return { key: newKey(), input: { ...inputOfNew(values), ...required }, values };
  };

  const sendCreation = ({ key, input: kept, values: { path, title, markdown } }: Creation) => {
    const input = { ...kept, title, markdown, idempotencyKey: key };
    return kind === "page"
      ? changes.change(CreatePage, { input: { ...input, path } }, (data) => data.createPage, null)
      : changes.change(CreatePost, { input }, (data) => data.createPost, null);
  };

  /** If no answer came to an earlier attempt, that one is sent again as it was, so that there is one text; what was typed since is a change of it. */
  const create = async (values: Values): Promise<Edited | null> => {
    const place = keyNow();
    const earlier = typed.now().creation;
    const creation = earlier ?? newCreation(values);
    typed.keepCreation(creation);
    const outcome = await sendCreation(creation);
    if ("refused" in outcome && outcome.isDefinite) {
      typed.keepCreation(null);
      if (earlier && !outcome.isReused && differing(earlier.values, values).length > 0) return create(values);
    }
    if (!("content" in outcome)) return null;
    const { content: created } = outcome;
    const saved = valuesOf(created);
    // What others have changed since then is a conflict, unless nothing else was typed.
    const isOld = created.version > 1 && differing(creation.values, typed.now().values).length > 0;
    const version = isOld ? 1 : created.version;
    const base = isOld ? putOver(NOTHING, creation.values, saved) : saved;
    typed.acceptCreated(created.id, version, base, creation.values);
    setContent(created);
    setSaid("Saved as a draft.");
    // The writer may have left this view.
    if (keyNow() === place) renameTo(kind === "page" ? addressOf.editPage(created.id) : addressOf.edit(created.id));
    const rest = putOver(creation.values, values, base);
    return differing(base, rest).length > 0 ? update({ id: created.id, version, base, values: rest }, {}, "Saved as a draft.") : created;
  };

  /** Saves what was typed, and changes the publication, in one change. */
  const save = async (publication?: Publication, message?: string) => {
    setSaid("");
    // What was typed just before may not be rendered yet.
    const { version, base, values: now } = typed.now();
    const values = { ...now, tagSlugs: tags.all };
    tags.take();
    // The writer decides about a tag that does not exist.
    if (tags.newName !== null) return null;
    const faults = faultsOf(values);
    if (faults.length > 0) {
      changes.show(faults);
      return null;
    }
    if (!content) return create(values);
    const mustSave = publication !== undefined || differing(base, values).length > 0;
    return mustSave ? update({ id: content.id, version, base, values }, publication, message) : content;
  };

  const restore = async (revisionId: string, revision: number) => {
    const input = { revisionId, expectedVersion: text.version };
    const outcome =
      kind === "page"
        ? await changes.change(RestorePage, { input }, (data) => data.restoreRevision, text.version)
        : await changes.change(RestorePost, { input }, (data) => data.restoreRevision, text.version);
    apply(outcome, text.values, `Version ${revision} is its text again.`);
  };

  const leave = (theirs: Edited, message: string) => {
    setContent(theirs);
    setConflict(null);
    setSaid(message);
  };
  return { conflict, said, update, save, restore, leave };
}
