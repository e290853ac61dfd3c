// Two texts, cut into what both have and what one has alone.
import { diffLines, diffWordsWithSpace } from "diff";

export interface Stretch {
  text: string;
  in: "both" | "theirs" | "mine";
}

/** Word by word where that is quick; line by line where the texts are too long or too unlike for that. */
export function differences(theirs: string, mine: string): Stretch[] {
  const parts = diffWordsWithSpace(theirs, mine, { timeout: 300 }) ?? diffLines(theirs, mine);
  return parts.map(({ value, added, removed }) => ({ text: value, in: added ? "mine" : removed ? "theirs" : "both" }));
}

/** Far more than one needs to see where a difference stands. */
const CONTEXT_CHARS = 240;

/** The middle of a long stretch that both have is left out. */
export function shortened(text: string): string {
  if (text.length <= 2 * CONTEXT_CHARS) return text;
  return `${text.slice(0, CONTEXT_CHARS)}\n\u2026\n${text.slice(-CONTEXT_CHARS)}`;
}
