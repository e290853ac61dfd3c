// Figures as a person reads them. The rule: a figure of the server is rounded here only, and always with its unit.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

export const count = (number) => whole.format(number);

/** "1 round trip", "4 round trips". */
export const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

export function duration(microseconds) {
  if (microseconds >= 1_000_000) return `${short.format(microseconds / 1_000_000)} s`;
  if (microseconds >= 1_000) return `${short.format(microseconds / 1_000)} ms`;
  return `${whole.format(Math.round(microseconds))} µs`;
}

export function bytes(number) {
  if (number >= 1_000_000) return `${short.format(number / 1_000_000)} MB`;
  if (number >= 1_000) return `${short.format(number / 1_000)} KB`;
  return `${whole.format(number)} B`;
}

/** An amount of money. A currency that the browser does not know is written as it is. */
export function money(amount, currency) {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(amount)));
  try {
    return new Intl.NumberFormat("en", { style: "currency", currency, minimumFractionDigits: 2, maximumFractionDigits: Math.max(2, digits) }).format(amount);
  } catch {
    return `${whole.format(amount)} ${currency}`;
  }
}

/** A date such as 2026-11-01; another text is shown as it is. */
export function date(text) {
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? text : day.format(at);
}

/** The end of a long key: that of a post ends in its id. */
export const shortKey = (key) => (key.length > 24 ? `…${key.slice(-12)}` : key);
