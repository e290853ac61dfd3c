// Names and changes of versions as people say them.
import type { Revision } from "./use-changes";

const CHANGED: Record<string, string> = {
  created: "began it",
  title: "the title",
  body: "the text",
  excerpt: "the excerpt",
  slug: "the address",
  authors: "the authors",
  categories: "the categories",
  tags: "the tags",
  publishedAt: "when it comes out",
};

/** By this name goes whoever bears the token that the server was started with. */
const NAMELESS = "TIDINGS_EDITOR_TOKEN";

export function nameOf({ changedBy }: Revision): string {
  if (changedBy === NAMELESS) return "Admin";
  return changedBy ?? "somebody";
}

export function signedInAs({ name, role }: { name: string; role: string }): string {
  const told = role === "READER" ? "who may read drafts" : role.toLowerCase();
  return name === NAMELESS ? told : `${name}, ${told}`;
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
