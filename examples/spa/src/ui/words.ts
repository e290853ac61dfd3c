// What stands within a post. The rule: it is in the language of the post, so that a reader, or a screen reader, has one language there.
import { SITE } from "../site";

const ENGLISH = {
  in: "In",
  by: "By",
  tags: "Tags:",
  featured: "Featured",
  toRead: (time: string) => `${time} to read`,
  contents: "On this page",
  table: "Table",
  done: "Done",
  toDo: "To do",
  related: "Related posts",
  neighbours: "Newer and older posts",
  newer: "Newer",
  older: "Older",
  newestPosts: "The newest posts",
};

export type Words = typeof ENGLISH;

/** One entry for each language of the site; English stands in for the others. */
const WORDS: Record<string, Words> = {
  de: {
    in: "In",
    by: "Von",
    tags: "Schlagwörter:",
    featured: "Empfohlen",
    toRead: (time) => `${time} Lesezeit`,
    contents: "Auf dieser Seite",
    table: "Tabelle",
    done: "Erledigt",
    toDo: "Offen",
    related: "Ähnliche Beiträge",
    neighbours: "Neuere und ältere Beiträge",
    newer: "Neuer",
    older: "Älter",
    newestPosts: "Die neuesten Beiträge",
  },
  ar: {
    in: "في",
    by: "بقلم",
    tags: "الوسوم:",
    featured: "مختار",
    toRead: (time) => `مدة القراءة: ${time}`,
    contents: "في هذه الصفحة",
    table: "جدول",
    done: "تم",
    toDo: "لم يتم بعد",
    related: "مقالات ذات صلة",
    neighbours: "مقالات أحدث وأقدم",
    newer: "الأحدث",
    older: "الأقدم",
    newestPosts: "أحدث المقالات",
  },
};

export function wordsOf(language: string | null | undefined): Words {
  return WORDS[primary(language ?? SITE.language)] ?? ENGLISH;
}

/** The language of dates and numbers in a text: a post in `en` has those of a site in `en-GB`. */
export function localeOf(language: string | null | undefined): string {
  return language == null || primary(language) === primary(SITE.language) ? SITE.language : language;
}

function primary(language: string): string {
  return language.split("-")[0] ?? language;
}
