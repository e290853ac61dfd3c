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

export function nameOf({ changedBy }: Revision): string {
  return changedBy ?? "somebody";
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
