// Texts of the site.
import type { Kind } from "./addresses";

export const NAMES: Record<Kind, { one: string; many: string }> = {
  categories: { one: "Category", many: "Categories" },
  tags: { one: "Tag", many: "Tags" },
  authors: { one: "Author", many: "Authors" },
};

export function postsOf(count: number): string {
  return count === 1 ? "1 post" : `${count} posts`;
}

/** Search engines show the beginning of a description, some 160 characters. Cut between words. */
export function description(text: string, length = 200): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), length / 2)).replace(/[\s,;:.–—-]+$/, "")} …`;
}
