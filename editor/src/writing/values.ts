// The values of the form of a post or a page, the differences between two states, and the combination of two writers' changes. No I/O.
import type { EditedPageFragment, EditedPostFragment, PictureFragment } from "../gql/graphql";

export type Kind = "post" | "page";
export type Edited = ({ __typename?: "Post" } & EditedPostFragment) | ({ __typename?: "Page" } & EditedPageFragment);

export interface Values {
  title: string;
  subtitle: string;
  markdown: string;
  excerpt: string;
  cover: PictureFragment | null;
  /** Of posts. */
  enclosure: Enclosure | null;
  slug: string;
  tagSlugs: string[];
  categorySlugs: string[];
  authorSlugs: string[];
  seriesSlug: string;
  featured: boolean;
  /** Of pages. */
  path: string;
  order: string;
  language: string;
  /** JSON as it is typed; empty for an empty object. */
  metadata: string;
}

/** The file for podcast clients. */
export interface Enclosure {
  /** Of a file of the site, which the writer has chosen: it has its own size and type. */
  assetId?: string;
  url: string;
  contentType: string;
  /** As it is typed. */
  byteSize: string;
}

export type Field = keyof Values;

/** The labels of the fields, in the order of the form. */
export const FIELDS: Record<Field, string> = {
  title: "Title",
  subtitle: "Subtitle",
  markdown: "Text",
  excerpt: "Excerpt",
  cover: "Cover",
  enclosure: "Audio or video",
  slug: "Address",
  path: "Path",
  order: "Position",
  tagSlugs: "Tags",
  categorySlugs: "Categories",
  authorSlugs: "Authors",
  seriesSlug: "Series",
  featured: "Featured",
  language: "Language",
  metadata: "Metadata",
};

export const NAMES_OF_FIELDS = Object.keys(FIELDS) as Field[];

/** The names that inputs of mutations have for fields, where they differ. */
const INPUTS: Partial<Record<string, Field>> = { coverId: "cover" };

export const NOTHING: Values = {
  title: "",
  subtitle: "",
  markdown: "",
  excerpt: "",
  cover: null,
  enclosure: null,
  slug: "",
  tagSlugs: [],
  categorySlugs: [],
  authorSlugs: [],
  seriesSlug: "",
  featured: false,
  path: "",
  order: "",
  language: "",
  metadata: "",
};

export function kindOf(content: Edited): Kind {
  return "path" in content ? "page" : "post";
}

/** The part of a change that publishes, or ends the publication. */
export type Publication = { publish?: boolean; publishAt?: string; unpublishAt?: string | null };

/** When it is or was published; of pages, the server says so only of scheduled ones. */
export function instantOf(content: Edited): string | null {
  return ("path" in content ? content.scheduledFor : content.publishedAt) ?? null;
}

function isSameTime(one: string | null | undefined, other: string | null | undefined): boolean {
  if (one == null || other == null) return one == null && other == null;
  return Date.parse(one) === Date.parse(other);
}

/** Whether the publication is as it was asked for. */
export function isDone({ publish, publishAt, unpublishAt }: Publication, content: Edited): boolean {
  const isOut = content.status === "PUBLISHED";
  return (
    (publish === undefined || (publish ? isOut : content.status === "DRAFT")) &&
    (publishAt === undefined || (isOut && "path" in content) || (content.status !== "DRAFT" && isSameTime(publishAt, instantOf(content)))) &&
    (unpublishAt === undefined || isSameTime(unpublishAt, content.unpublishAt))
  );
}

function slugs(terms: { slug: string }[]): string[] {
  return terms.map(({ slug }) => slug);
}

export function valuesOf(content: Edited): Values {
  const both = {
    ...NOTHING,
    title: content.title,
    subtitle: content.subtitle ?? "",
    markdown: content.body.markdown,
    excerpt: content.excerptIsGenerated ? "" : content.excerpt,
    cover: content.cover ?? null,
    language: content.language ?? "",
    metadata: textOf(content.metadata),
  };
  if ("path" in content) return { ...both, path: content.path, order: content.order == null ? "" : String(content.order) };
  return {
    ...both,
    slug: content.slug,
    enclosure: content.enclosure ? { ...content.enclosure, byteSize: content.enclosure.byteSize == null ? "" : String(content.enclosure.byteSize) } : null,
    tagSlugs: slugs(content.tags),
    categorySlugs: slugs(content.categories),
    authorSlugs: slugs(content.authors),
    seriesSlug: content.series?.series.slug ?? "",
    featured: content.featured,
  };
}

function textOf(metadata: unknown): string {
  const isEmpty = metadata == null || JSON.stringify(metadata) === "{}";
  return isEmpty ? "" : JSON.stringify(metadata, null, 2);
}

/** The input of a mutation for these values. Throws if the metadata is not JSON or the position no number: `faultsOf` finds that before. */
export function inputOf(values: Partial<Values>): Record<string, unknown> {
  const { cover, enclosure, seriesSlug, order, metadata, language, ...same } = values;
  return {
    ...same,
    ...(cover !== undefined && { coverId: cover?.id ?? null }),
    ...(enclosure !== undefined && { enclosure: enclosure && enclosureInput(enclosure) }),
    ...(seriesSlug !== undefined && { seriesSlug: seriesSlug === "" ? null : seriesSlug }),
    ...(order !== undefined && { order: order.trim() === "" ? null : Number(order) }),
    ...(language !== undefined && { language: language.trim() === "" ? null : language.trim() }),
    ...(metadata !== undefined && { metadata: metadata.trim() === "" ? {} : (JSON.parse(metadata) as unknown) }),
  };
}

function enclosureInput({ assetId, url, contentType, byteSize }: Enclosure) {
  if (assetId !== undefined) return { assetId };
  return { url: url.trim(), ...(contentType.trim() !== "" && { contentType: contentType.trim() }), ...(byteSize.trim() !== "" && { byteSize: Number(byteSize) }) };
}

/** A new text sends only what was filled in, so that the server generates the rest. */
export function inputOfNew(values: Values): Record<string, unknown> {
  const required = { title: values.title, markdown: values.markdown };
  return { ...inputOf(changesOf(NOTHING, values)), ...required };
}

/** What the server could not even receive. */
export function faultsOf(values: Values): { field: Field; message: string }[] {
  const faults: { field: Field; message: string }[] = [];
  if (values.order.trim() !== "" && !/^-?\d{1,9}$/.test(values.order.trim())) faults.push({ field: "order", message: "a position is a whole number" });
  if (values.enclosure && !/^\d*$/.test(values.enclosure.byteSize.trim())) faults.push({ field: "enclosure", message: "a size is a number of bytes" });
  if (values.metadata.trim() !== "" && !isObject(values.metadata)) faults.push({ field: "metadata", message: 'this is not a JSON object, such as {"mood": "calm"}' });
  return faults;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The field of the form that an error of the server names by its path: `["input", "slug"]`. */
export function fieldOf(path: readonly string[] | null | undefined): Field | undefined {
  const name = path?.[1];
  return name === undefined ? undefined : (INPUTS[name] ?? NAMES_OF_FIELDS.find((field) => field === name));
}

export function isSame(one: Values, other: Values, field: Field): boolean {
  // Most fields are the same object after each key, and a text can be long.
  if (one[field] === other[field]) return true;
  if (typeof one[field] === "string") return false;
  if (field === "cover") return one.cover?.id === other.cover?.id;
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

/** Whether `stored` is what the server makes of `values`. */
export function isStored(values: Values, stored: Values): boolean {
  return NAMES_OF_FIELDS.every((field) => canonical(values, field) === canonical(stored, field));
}

/** One text for all that the server stores as the same. */
function canonical(values: Values, field: Field): string {
  const value = values[field];
  if (field === "cover") return values.cover?.id ?? "";
  if (field === "enclosure") return values.enclosure?.url.trim() ?? "";
  if (field === "metadata") return textOf(values.metadata.trim() === "" ? null : JSON.parse(values.metadata));
  if (field === "tagSlugs" || field === "categorySlugs") return values[field].toSorted().join(" ");
  if (typeof value !== "string") return String(value);
  return field === "language" ? value.trim().toLowerCase() : value.replaceAll("\r\n", "\n").trim();
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

export function plain(values: Values, field: Field): string {
  const value = values[field];
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") return value === null ? "none" : "id" in value ? (value.alt ?? value.id) : value.url;
  return value;
}
