// Formatted instants, in the writer's own language and time zone.
const MINUTE = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export function Minute({ at }: { at: string }) {
  return <time dateTime={at}>{MINUTE.format(new Date(at))}</time>;
}

/** The time zone of the shown times, such as `Europe/London`. */
export function nameOfZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The value of a field of the type `datetime-local`. */
export function localTime(at: string): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
