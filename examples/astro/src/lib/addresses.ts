// Every address of the site, in one place. The rule: those of posts, terms and documents are the same as `canonicalUrl` of the server, which the feeds and the
// sitemap have; src/tidings/content.ts compares them.

export type Kind = "categories" | "tags" | "authors";
export const KINDS: readonly Kind[] = ["categories", "tags", "authors"];

const BASE = import.meta.env.BASE_URL.replace(/\/$/, "");

export const addressOf = {
  home: `${BASE}/`,
  /** The newest posts are the page 1. */
  page: (number: number) => (number === 1 ? `${BASE}/` : `${BASE}/page/${number}`),
  /** The newest posts of a language that is not at the home page. */
  language: (language: string, number = 1) => `${BASE}/languages/${language.toLowerCase()}${number === 1 ? "" : `/page/${number}`}`,
  post: (slug: string) => `${BASE}/posts/${slug}`,
  terms: (kind: Kind) => `${BASE}/${kind}`,
  term: (kind: Kind, slug: string, number = 1) => `${BASE}/${kind}/${slug}${number === 1 ? "" : `/page/${number}`}`,
  document: (path: string) => `${BASE}/${path}`,
  asset: (name: string) => `${BASE}/assets/${name}`,
  /** A file of public/, or one that the build writes beside the pages. */
  file: (name: string) => `${BASE}/${name}`,
  search: `${BASE}/search`,
  feed: `${BASE}/feed.xml`,
  feedOfTerm: (kind: Kind, slug: string) => `${BASE}/${kind}/${slug}/feed.xml`,
  feedOfLanguage: (language: string) => `${BASE}/languages/${language.toLowerCase()}/feed.xml`,
  sitemap: `${BASE}/sitemap.xml`,
};
