// Texts of the site. The rule: what a page of a post, of a document or of the newest posts says is in the language of the page.
import type { Kind } from "./addresses";

const ENGLISH = {
  skip: "Skip to the text",
  posts: "Posts",
  categories: "Categories",
  tags: "Tags",
  authors: "Authors",
  search: "Search",
  feed: "Feed",
  sitemap: "Sitemap",
  languages: "Languages",
  in: "In",
  by: "By",
  featured: "Featured",
  updated: "Updated",
  toRead: (time: string) => `${time} to read`,
  partOf: (series: string, number: number) => `Part ${number} of ${series}`,
  contents: "On this page",
  table: "Table",
  done: "Done",
  toDo: "To do",
  related: "Related posts",
  beforeThisIn: (series: string) => `Before this in ${series}`,
  nextIn: (series: string) => `Next in ${series}`,
  ofSeries: "Posts of the series",
  newer: "Newer",
  older: "Older",
  breadcrumbs: "Breadcrumbs",
  previous: "Previous",
  next: "Next",
  lastChanged: "Last changed on",
  newestPosts: "The newest posts",
  newerPosts: "Newer posts",
  olderPosts: "Older posts",
  pages: "Pages",
  page: (number: number) => `Page ${number}`,
  pageOf: (number: number, last: number) => `Page ${number} of ${last}`,
};

export type Words = typeof ENGLISH;

/** One entry for each language of the site; English stands in for the others. */
const WORDS: Record<string, Words> = {
  de: {
    skip: "Zum Text springen",
    posts: "Beiträge",
    categories: "Kategorien",
    tags: "Schlagwörter",
    authors: "Autoren",
    search: "Suche",
    feed: "Feed",
    sitemap: "Sitemap",
    languages: "Sprachen",
    in: "In",
    by: "Von",
    featured: "Empfohlen",
    updated: "Geändert am",
    toRead: (time) => `${time} Lesezeit`,
    partOf: (series, number) => `Teil ${number} von ${series}`,
    contents: "Auf dieser Seite",
    table: "Tabelle",
    done: "Erledigt",
    toDo: "Offen",
    related: "Ähnliche Beiträge",
    beforeThisIn: (series) => `Davor in ${series}`,
    nextIn: (series) => `Danach in ${series}`,
    ofSeries: "Beiträge der Reihe",
    newer: "Neuer",
    older: "Älter",
    breadcrumbs: "Pfad zu dieser Seite",
    previous: "Zurück",
    next: "Weiter",
    lastChanged: "Zuletzt geändert am",
    newestPosts: "Die neuesten Beiträge",
    newerPosts: "Neuere Beiträge",
    olderPosts: "Ältere Beiträge",
    pages: "Seiten",
    page: (number) => `Seite ${number}`,
    pageOf: (number, last) => `Seite ${number} von ${last}`,
  },
  ar: {
    skip: "انتقل إلى النص",
    posts: "المقالات",
    categories: "التصنيفات",
    tags: "الوسوم",
    authors: "الكُتّاب",
    search: "البحث",
    feed: "الخلاصة",
    sitemap: "خريطة الموقع",
    languages: "اللغات",
    in: "في",
    by: "بقلم",
    featured: "مختار",
    updated: "آخر تحديث",
    toRead: (time) => `مدة القراءة: ${time}`,
    partOf: (series, number) => `الجزء ${number} من ${series}`,
    contents: "في هذه الصفحة",
    table: "جدول",
    done: "تم",
    toDo: "لم يتم بعد",
    related: "مقالات ذات صلة",
    beforeThisIn: (series) => `السابق في ${series}`,
    nextIn: (series) => `التالي في ${series}`,
    ofSeries: "مقالات السلسلة",
    newer: "الأحدث",
    older: "الأقدم",
    breadcrumbs: "مسار الصفحة",
    previous: "السابق",
    next: "التالي",
    lastChanged: "آخر تعديل في",
    newestPosts: "أحدث المقالات",
    newerPosts: "مقالات أحدث",
    olderPosts: "مقالات أقدم",
    pages: "الصفحات",
    page: (number) => `الصفحة ${number}`,
    pageOf: (number, last) => `الصفحة ${number} من ${last}`,
  },
};

export function wordsOf(language: string): Words {
  return WORDS[language] ?? WORDS[language.split("-")[0] ?? ""] ?? ENGLISH;
}

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
