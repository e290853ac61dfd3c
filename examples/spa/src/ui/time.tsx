// Formatted instants: days in UTC, as in the archive.
import { SITE } from "../site";
import { localeOf } from "./words";

const DAY: Intl.DateTimeFormatOptions = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" };
const MONTH = new Intl.DateTimeFormat(SITE.language, { month: "long", timeZone: "UTC" });

/** `language` is that of the text around it. */
export function Day({ at, language }: { at: string; language?: string | null | undefined }) {
  return <time dateTime={at}>{new Date(at).toLocaleDateString(localeOf(language), DAY)}</time>;
}

export function nameOfMonth(month: number): string {
  return MONTH.format(new Date(Date.UTC(2024, month - 1, 1)));
}
