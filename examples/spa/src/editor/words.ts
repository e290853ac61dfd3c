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

/** The name of the token that the server was started with. */
const NAMELESS = "TIDINGS_EDITOR_TOKEN";

export function nameOf({ changedBy }: Revision): string {
  if (changedBy === NAMELESS) return "Admin";
  return changedBy ?? "somebody";
}

export function signedInAs({ name, role }: { name: string; role: string }): string {
  const text = role === "READER" ? "with access to drafts" : role.toLowerCase();
  return name === NAMELESS ? text : `${name}, ${text}`;
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
