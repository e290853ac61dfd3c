// The values of a post's form, the differences between two states, and the combination of two writers' changes. No I/O.
import type { EditedPostFragment } from "../gql/graphql";

export interface Values {
  title: string;
  subtitle: string;
  slug: string;
  excerpt: string;
  markdown: string;
  categorySlugs: string[];
  authorSlugs: string[];
  tagSlugs: string[];
  featured: boolean;
}

export type Field = keyof Values;

/** The labels of the fields, in the order of the form. */
export const FIELDS: Record<Field, string> = {
  title: "Title",
  subtitle: "Subtitle",
  markdown: "Text",
  excerpt: "Excerpt",
  slug: "Address",
  tagSlugs: "Tags",
  categorySlugs: "Categories",
  authorSlugs: "Authors",
  featured: "Featured",
};

export const NAMES_OF_FIELDS = Object.keys(FIELDS) as Field[];

export const NOTHING: Values = { title: "", subtitle: "", slug: "", excerpt: "", markdown: "", categorySlugs: [], authorSlugs: [], tagSlugs: [], featured: false };

function slugs(terms: { slug: string }[]): string[] {
  return terms.map(({ slug }) => slug);
}

export function valuesOf(post: EditedPostFragment): Values {
  return {
    title: post.title,
    subtitle: post.subtitle ?? "",
    slug: post.slug,
    excerpt: post.excerpt,
    markdown: post.body.markdown,
    categorySlugs: slugs(post.categories),
    authorSlugs: slugs(post.authors),
    tagSlugs: slugs(post.tags),
    featured: post.featured,
  };
}

export function isSame(one: Values, other: Values, field: Field): boolean {
  return JSON.stringify(one[field]) === JSON.stringify(other[field]);
}

/** The fields in which the two differ. */
export function differing(one: Values, other: Values): Field[] {
  return NAMES_OF_FIELDS.filter((field) => !isSame(one, other, field));
}

/** Only changed fields are sent, so that another editor's changes of other fields are kept. */
export function changesOf(base: Values, values: Values): Partial<Values> {
  return Object.fromEntries(differing(base, values).map((field) => [field, values[field]]));
}

/** `theirs`, overwritten with the changes from `base` to `mine`. */
export function putOver(base: Values, mine: Values, theirs: Values): Values {
  return { ...theirs, ...changesOf(base, mine) };
}

export interface Clash {
  /** Changed by both, to different values. */
  both: Field[];
  onlyTheirs: Field[];
  onlyMine: Field[];
}

export function clashOf(base: Values, mine: Values, theirs: Values): Clash {
  const byMe = differing(base, mine);
  const byThem = differing(base, theirs);
  return {
    both: byMe.filter((field) => byThem.includes(field) && !isSame(mine, theirs, field)),
    onlyTheirs: byThem.filter((field) => !byMe.includes(field)),
    onlyMine: byMe.filter((field) => !byThem.includes(field)),
  };
}
