// Names and changes of versions in plain words.
import type { RevisionField } from "../gql/graphql";
import type { Revision } from "./use-changes";

const CHANGED: Record<RevisionField, string> = {
  TITLE: "the title",
  BODY: "the text",
  SUBTITLE: "the subtitle",
  EXCERPT: "the excerpt",
  SLUG: "the address",
  AUTHORS: "the authors",
  CATEGORIES: "the categories",
  TAGS: "the tags",
  METADATA: "the metadata",
  COVER: "the cover",
  ENCLOSURE: "the file for podcasts",
  LANGUAGE: "the language",
  TRANSLATIONS: "the translations",
  SERIES: "the series",
  FEATURED: "whether it is featured",
  PUBLISHED_AT: "the publication date",
  UNPUBLISH_AT: "the end of the publication",
};

export function nameOf({ changedBy }: Revision): string {
  return actorName(changedBy);
}

export function actorName(actor: Revision["changedBy"] | null | undefined): string {
  switch (actor?.kind) {
    case "SERVER_TOKEN":
      return "Admin";
    case "IMPORT":
      return "an import";
    default:
      return actor?.name ?? "somebody";
  }
}

/** The token that the server was started with names nobody. */
export function signedInAs({ kind, name, role }: { kind: string; name: string; role: string }): string {
  const text = role === "READER" ? "with access to drafts" : role.toLowerCase();
  return kind === "SERVER_TOKEN" ? text : `${name}, ${text}`;
}

export function namesOf(revisions: Revision[]): string {
  const names = [...new Set(revisions.map(nameOf))];
  return names.length === 0 ? "Somebody" : listOf(names);
}

export function changesIn({ version, changedFields }: Revision): string {
  return version === 1 ? "new" : fieldsIn(changedFields);
}

/** Who has changed what. */
export function summaryOf(revisions: Revision[]): string {
  const fields = [...new Set(revisions.flatMap(({ changedFields }) => changedFields))];
  return `${namesOf(revisions)} changed ${fields.length === 0 ? "this" : fieldsIn(fields)}`;
}

/** A later server can have more fields. */
function fieldsIn(fields: RevisionField[]): string {
  return listOf(fields.map((field) => CHANGED[field] ?? "something else"));
}

export function countWords(text: string): string {
  const count = text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  return count === 1 ? "1 word" : `${count.toLocaleString()} words`;
}

export function listOf(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
