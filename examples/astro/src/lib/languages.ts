// The languages of the site. The rules: the language of the site comes first, and a site with one language shows nothing of this.
import { addressOf } from "./addresses";
import type { Post, Site } from "../tidings/content";

/** A content, or a list, in one of its languages. */
export interface Version {
  language: string;
  address: string;
}

/** The same content in each of its languages, itself included; empty if it has one. */
export function versionsOf<Some extends { language: string | null }>(site: Site, content: Some & { translations: Some[] }, address: (one: Some) => string): Version[] {
  const all = content.translations.length === 0 ? [] : [content, ...content.translations];
  return all.map((one) => ({ language: one.language ?? site.language, address: address(one) })).sort(byLanguage(site));
}

/** The newest posts of one language. */
export interface Newest {
  language: string;
  posts: Post[];
  address: (number: number) => string;
  feed: string;
}

/** One for each language of posts. The first is at the home page. */
export function newestOf(site: Site, posts: Post[]): Newest[] {
  const languages = [...new Set(posts.map(({ language }) => language))];
  // The feed of a language is without the posts that have no language of their own.
  const hasFeeds = languages.length > 1 && posts.every(({ hasOwnLanguage }) => hasOwnLanguage);
  const lists = (languages.length === 0 ? [site.language] : languages).map((language) => ({ language })).sort(byLanguage(site));
  return lists.map(({ language }, place) => ({
    language,
    posts: posts.filter((post) => post.language === language),
    address: place === 0 ? addressOf.page : (number) => addressOf.language(language, number),
    feed: hasFeeds ? addressOf.feedOfLanguage(language) : addressOf.feed,
  }));
}

function byLanguage(site: Site) {
  const isOther = (language: string) => Number(language !== site.language);
  return (a: { language: string }, b: { language: string }) => isOther(a.language) - isOther(b.language) || a.language.localeCompare(b.language);
}

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = new Set(["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Syrc", "Thaa"]);

export function directionOf(language: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(new Intl.Locale(language).maximize().script ?? "") ? "rtl" : "ltr";
}

/** What says that a part of a page has another language than the page. */
export function marked(language: string, page: string) {
  return language === page ? {} : { lang: language, dir: directionOf(language) };
}

/** The name of a language in itself. */
export function nameOf(language: string): string {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
