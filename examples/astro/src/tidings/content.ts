// All content of the site. The rule: a build reads it once; every page is made from what is in memory.
import { getCollection } from "astro:content";
import { addressOf, type Kind } from "../lib/addresses";
import { newestOf, versionsOf, type Newest, type Version } from "../lib/languages";
import { LANGUAGE } from "../site";
import { query, Refused } from "./client";
import {
  AssetsQuery,
  RelatedQuery,
  SiteQuery,
  type AssetData,
  type AuthorData,
  type BodyData,
  type CategoryData,
  type ImageData,
  type PageData,
  type PostData,
  type SiteData,
  type TagData,
} from "./documents";
import { all } from "./lists";
import type { Entry } from "./loader";
import type { collections } from "../content.config";
import { avatar, cover, idsIn, inBody, linked, ofLink, type Cover, type LinkPicture, type Picture } from "./pictures";

export interface Site extends Omit<SiteData, "url" | "image" | "language"> {
  url: string;
  language: string;
  /** For links to pages without a cover. */
  image: LinkPicture | null;
}

export interface Term {
  kind: Kind;
  slug: string;
  name: string;
  /** What it is about; of an author, the biography. */
  about: string | null;
  postCount: number;
  /** Newest first. */
  posts: Post[];
}

export interface Author extends Term {
  avatar: Picture | null;
  jobTitle: string | null;
  url: string | null;
  links: { title: string; url: string }[];
}

export interface Post {
  slug: string;
  title: string;
  subtitle: string | null;
  excerpt: string;
  featured: boolean;
  /** That of the site, if it has none of its own. */
  language: string;
  hasOwnLanguage: boolean;
  /** The same post in each of its languages, itself included; empty if it has one. */
  versions: Version[];
  publishedAt: string;
  updatedAt: string;
  cover: Cover | null;
  body: BodyData;
  authors: Author[];
  categories: Term[];
  tags: Term[];
  series: SeriesPlace | null;
  newer: Post | null;
  older: Post | null;
  /** The most similar first. */
  related: Post[];
}

/** Where a post is in its series. */
export interface SeriesPlace {
  name: string;
  number: number | null;
  previous: Post | null;
  next: Post | null;
}

/** Content without a date: a page of the API. */
export interface Document {
  path: string;
  title: string;
  excerpt: string;
  updatedAt: string;
  language: string;
  versions: Version[];
  cover: Cover | null;
  body: BodyData;
  parent: Document | null;
  /** In the order of the site. */
  children: Document[];
}

export interface Content {
  site: Site;
  /** Newest first. */
  posts: Post[];
  newest: Newest[];
  /** By slug; only those that have posts. */
  terms: Record<Kind, Term[]>;
  authors: Author[];
  /** Those at the top. */
  documents: Document[];
  /** The pictures that bodies name, by the address on the server. */
  pictures: Map<string, Picture>;
}

let loaded: Promise<Content> | undefined;
let loadedAt = 0;
/** In development, a change on the server is seen at the next reload of a page. */
const FRESH_MS = import.meta.env.DEV ? 2000 : Infinity;

export function content(): Promise<Content> {
  if (loaded === undefined || Date.now() - loadedAt > FRESH_MS) {
    loadedAt = Date.now();
    loaded = load();
  }
  return loaded;
}

async function load(): Promise<Content> {
  const { site: known } = await query(SiteQuery, {});
  const { url } = known;
  if (url === null) throw new Error("The server does not know the address of the site: start it with --site-url https://blog.example/ (site.url).");
  const site: Site = { ...known, url, language: known.language ?? LANGUAGE, image: known.image && ofLink(known.image) };
  const [related, posts, tags, categories, authors, pages] = await Promise.all([
    relatedPosts(),
    kept<{ post: PostData }>("posts").then((entries) => entries.map(({ post }) => post)),
    kept<{ tag: TagData }>("tags").then((entries) => entries.map(({ tag }) => tag)),
    kept<{ category: CategoryData }>("categories").then((entries) => entries.map(({ category }) => category)),
    kept<{ author: AuthorData }>("authors").then((entries) => entries.map(({ author }) => author)),
    kept<{ page: PageData }>("pages").then((entries) => entries.map(({ page }) => page)),
  ]);
  haveTheAddressesOfTheServer(site, [
    ...posts.map(({ slug, canonicalUrl }) => ({ canonicalUrl, address: addressOf.post(slug) })),
    ...tags.map(({ slug, canonicalUrl }) => ({ canonicalUrl, address: addressOf.term("tags", slug) })),
    ...categories.map(({ slug, canonicalUrl }) => ({ canonicalUrl, address: addressOf.term("categories", slug) })),
    ...authors.map(({ slug, canonicalUrl }) => ({ canonicalUrl, address: addressOf.term("authors", slug) })),
    ...pages.map(({ path, canonicalUrl }) => ({ canonicalUrl, address: addressOf.document(path) })),
  ]);
  const bodies = [...posts, ...pages].map(({ body }) => body.html);
  const assets = await assetsOf([...bodies.flatMap(idsIn), ...[...posts, ...pages].map(({ cover }) => cover?.id), ...authors.map(({ avatar }) => avatar?.id)]);
  const terms = {
    categories: categories.filter(hasPosts).map((term) => asTerm("categories", term)),
    tags: tags.filter(hasPosts).map((term) => asTerm("tags", term)),
    authors: authors.filter(hasPosts).map((author) => asAuthor(author, assets)),
  };
  const joined = join(site, posts, terms, related, assets);
  return { site, posts: joined, newest: newestOf(site, joined), terms, authors: terms.authors, documents: tree(site, pages, assets), pictures: picturesIn(bodies, assets) };
}

/** The slugs of the posts that are like each one, by its slug; none if the server has no search. */
async function relatedPosts(): Promise<Map<string, string[]>> {
  try {
    const posts = await all(async (page) => (await query(RelatedQuery, page)).posts);
    return new Map(posts.map(({ slug, related }) => [slug, (related ?? []).map((post) => post.slug)]));
  } catch (error) {
    if (error instanceof Refused && error.codes.includes("SEARCH_DISABLED")) return new Map();
    throw error;
  }
}

/** By their ids. */
type Assets = Map<string, AssetData>;

async function assetsOf(all: (string | undefined)[]): Promise<Assets> {
  const ids = [...new Set(all)].filter((id) => id !== undefined);
  const found: Assets = new Map();
  for (let start = 0; start < ids.length; start += 100) {
    const { nodes } = await query(AssetsQuery, { ids: ids.slice(start, start + 100) });
    nodes.forEach((asset, place) => asset && "url" in asset && found.set(ids[start + place] as string, asset));
  }
  return found;
}

function imageOf(image: { id: string } | null, assets: Assets): ImageData | null {
  const asset = image && assets.get(image.id);
  return asset && "srcset" in asset ? asset : null;
}

function picturesIn(bodies: string[], assets: Assets): Map<string, Picture> {
  const found = new Map<string, Picture>();
  for (const asset of new Set(bodies.flatMap(idsIn).map((id) => assets.get(id)))) {
    // A body has the path, also if the server knows its own address.
    if (asset && "srcset" in asset) found.set(new URL(asset.url, "http://server").pathname, inBody(asset));
    else if (asset) linked(asset.url);
  }
  return found;
}

/** The entries of a collection, in the order of the server. */
async function kept<Data>(collection: keyof typeof collections): Promise<Entry<Data>[]> {
  const entries: { data: Entry<Data> }[] = await getCollection(collection);
  return entries.map(({ data }) => data).sort((one, other) => one.place - other.place);
}

function haveTheAddressesOfTheServer(site: Site, all: { canonicalUrl: string | null; address: string }[]): void {
  for (const { canonicalUrl, address } of all) {
    const here = new URL(address, site.url).href;
    if (canonicalUrl !== null && canonicalUrl !== here) {
      throw new Error(
        `The server has the address ${canonicalUrl} for a page that is at ${here} here. Its feeds and its sitemap would have dead links: ` +
          "let site.post_path and the other settings of paths be those of src/lib/addresses.ts, and `base` in astro.config.ts the path of site.url.",
      );
    }
  }
}

function hasPosts({ postCount }: { postCount: number }): boolean {
  return postCount > 0;
}

function asTerm(kind: Kind, { slug, name, description, postCount }: TagData | CategoryData): Term {
  return { kind, slug, name, about: description, postCount, posts: [] };
}

function asAuthor({ slug, name, description, postCount, jobTitle, url, links, avatar: picture }: AuthorData, assets: Assets): Author {
  return { kind: "authors", slug, name, about: description, postCount, posts: [], avatar: avatar(imageOf(picture, assets)), jobTitle, url, links };
}

/** Gives each post its terms, its series, its neighbours and those that are like it, and each term its posts. */
function join(
  site: Site,
  posts: PostData[],
  terms: { categories: Term[]; tags: Term[]; authors: Author[] },
  related: Map<string, string[]>,
  assets: Assets,
): Post[] {
  const categories = bySlug(terms.categories);
  const tags = bySlug(terms.tags);
  const authors = bySlug(terms.authors);
  const joined = posts.map((post): Post => ({
    slug: post.slug,
    title: post.title,
    subtitle: post.subtitle,
    excerpt: post.excerpt,
    featured: post.featured,
    language: post.language ?? site.language,
    hasOwnLanguage: post.language !== null,
    versions: versionsOf(site, post, ({ slug }) => addressOf.post(slug)),
    // Only a draft has no time of publication.
    publishedAt: post.publishedAt ?? post.updatedAt,
    updatedAt: post.updatedAt,
    cover: cover(imageOf(post.cover, assets)),
    body: post.body,
    categories: present(post.categories, categories),
    tags: present(post.tags, tags),
    authors: present(post.authors, authors),
    series: null,
    newer: null,
    older: null,
    related: [],
  }));
  const postOf = new Map(joined.map((post) => [post.slug, post]));
  const last = new Map<string, Post>();
  joined.forEach((post, place) => {
    post.series = seriesPlace(posts[place]?.series ?? null, postOf);
    post.newer = last.get(post.language) ?? null;
    if (post.newer) post.newer.older = post;
    last.set(post.language, post);
    post.related = (related.get(post.slug) ?? []).flatMap((slug) => postOf.get(slug) ?? []);
    for (const term of [...post.categories, ...post.tags, ...post.authors]) term.posts.push(post);
  });
  return joined;
}

function seriesPlace(place: PostData["series"], posts: Map<string, Post>): SeriesPlace | null {
  if (!place) return null;
  const at = (beside: { slug: string } | null) => (beside && posts.get(beside.slug)) ?? null;
  return { name: place.series.name, number: place.number, previous: at(place.previous), next: at(place.next) };
}

function bySlug<Some extends Term>(terms: Some[]): Map<string, Some> {
  return new Map(terms.map((term) => [term.slug, term]));
}

/** A term that was created while the build was reading is not shown. */
function present<Some extends Term>(named: { slug: string }[], known: Map<string, Some>): Some[] {
  return named.flatMap(({ slug }) => known.get(slug) ?? []);
}

/** The page that an import makes of the first page of another site; here, the newest posts are at its address. */
const FIRST = "index";

function tree(site: Site, pages: PageData[], assets: Assets): Document[] {
  const known = new Map<string, Document>();
  for (const page of pages.filter((page) => page.path !== FIRST)) {
    const { path, title, excerpt, updatedAt, body } = page;
    const parent = known.get(path.slice(0, Math.max(0, path.lastIndexOf("/")))) ?? null;
    const language = page.language ?? site.language;
    const versions = versionsOf(site, page, ({ path }) => addressOf.document(path));
    const document: Document = { path, title, excerpt, updatedAt, language, versions, cover: cover(imageOf(page.cover, assets)), body, parent, children: [] };
    parent?.children.push(document);
    known.set(path, document);
  }
  return [...known.values()].filter(({ parent }) => parent === null);
}

/** The documents in the order in which they are read: each before those below it. */
export function inOrder(documents: Document[]): Document[] {
  return documents.flatMap((document) => [document, ...inOrder(document.children)]);
}

/** The documents above one, from the top. */
export function above({ parent }: Document): Document[] {
  return parent ? [...above(parent), parent] : [];
}
