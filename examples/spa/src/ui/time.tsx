// Formatted instants: days in UTC, as in the archive.
import { SITE } from "../site";

const DAY = new Intl.DateTimeFormat(SITE.language, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat(SITE.language, { month: "long", timeZone: "UTC" });

export function Day({ at }: { at: string }) {
  return <time dateTime={at}>{DAY.format(new Date(at))}</time>;
}

export function nameOfMonth(month: number): string {
  return MONTH.format(new Date(Date.UTC(2024, month - 1, 1)));
}
