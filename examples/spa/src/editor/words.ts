// Names and changes of versions in plain words.
import type { Revision } from "./use-changes";

const CHANGED: Record<string, string> = {
  created: "a new post",
  title: "the title",
  body: "the text",
  excerpt: "the excerpt",
  slug: "the address",
  authors: "the authors",
  categories: "the categories",
  tags: "the tags",
  publishedAt: "the publication date",
};

export function nameOf({ changedBy }: Revision): string {
  switch (changedBy?.kind) {
    case "SERVER_TOKEN":
      return "Admin";
    case "IMPORT":
      return "an import";
    default:
      return changedBy?.name ?? "somebody";
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

export function changesIn({ changed }: Revision): string {
  return changed.length === 0 ? "" : listOf(changed.map((name) => CHANGED[name] ?? name));
}

export function listOf(words: string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
