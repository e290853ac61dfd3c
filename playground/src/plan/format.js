// Figures as a person reads them. The rule: a figure of the server is rounded here only, and always with its unit.

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

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

/** The end of a long key: that of a post ends in its id. */
export const shortKey = (key) => (key.length > 24 ? `…${key.slice(-12)}` : key);
