// Every address of the site, in one place.
import { onServer } from "../graphql/server";

export const addressOf = {
  latest: "/",
  /** The newest posts in another language than that of the site. */
  language: (language: string) => `/languages/${language.toLowerCase()}`,
  post: (slug: string) => `/posts/${encodeURIComponent(slug)}`,
  tag: (slug: string) => `/tags/${encodeURIComponent(slug)}`,
  category: (slug: string) => `/categories/${encodeURIComponent(slug)}`,
  author: (slug: string) => `/authors/${encodeURIComponent(slug)}`,
  archive: "/archive",
  year: (year: number) => `/archive/${year}`,
  month: (year: number, month: number) => `/archive/${year}/${String(month).padStart(2, "0")}`,
  filter: "/filter",
  search: "/search",
  searchFor: (text: string) => `/search?${new URLSearchParams({ q: text })}`,
  feed: "/feed.xml",
  feedOfLanguage: (language: string) => `/languages/${language.toLowerCase()}/feed.xml`,
  /** The editor of the server. */
  editor: onServer("/editor"),
};

/** The text of a search, of the `search` of its address. */
export function textOfSearch(search: string): string {
  return new URLSearchParams(search).get("q") ?? "";
}

/** A part of an address; null if it is not validly encoded. */
export function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
