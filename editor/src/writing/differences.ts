// Splits two texts into the parts that both have and the parts that only one has.
import { diffLines, diffWordsWithSpace } from "diff";

export interface Stretch {
  text: string;
  in: "both" | "theirs" | "mine";
}

/** Word by word if that is fast enough; line by line if the texts are too long or too different. */
export function differences(theirs: string, mine: string): Stretch[] {
  const parts = diffWordsWithSpace(theirs, mine, { timeout: 300 }) ?? diffLines(theirs, mine);
  return parts.map(({ value, added, removed }) => ({ text: value, in: added ? "mine" : removed ? "theirs" : "both" }));
}

/** More than enough context to locate a difference. */
const CONTEXT_CHARS = 240;

/** Omits the middle of a long part that both texts have. */
export function shortened(text: string): string {
  if (text.length <= 2 * CONTEXT_CHARS) return text;
  return `${text.slice(0, CONTEXT_CHARS)}\n\u2026\n${text.slice(-CONTEXT_CHARS)}`;
}
