// Puts two writers' changes of one text together. The rule: every line is one of theirs or mine, and changes of the same paragraph are never merged.
import { diffArrays } from "diff";
import { type Values, clashOf, putOver } from "./values";

/** Lines of the base from `from` until before `to`, and what replaces them. */
interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

/** A comparison that takes longer is given up: the texts have little in common. */
const TIMEOUT_MS = 300;

/** `theirs` with my changes; null if both of us changed the same field, or the same paragraph of the text. */
export function merged(base: Values, mine: Values, theirs: Values): Values | null {
  const { both } = clashOf(base, mine, theirs);
  if (both.length === 0) return putOver(base, mine, theirs);
  if (both.length > 1 || both[0] !== "markdown") return null;
  const markdown = mergedText(base.markdown, mine.markdown, theirs.markdown);
  return markdown === null ? null : { ...putOver(base, mine, theirs), markdown };
}

function mergedText(base: string, mine: string, theirs: string): string | null {
  const lines = linesOf(base);
  const hunksOfMine = hunksOf(lines, linesOf(mine));
  const hunksOfTheirs = hunksOf(lines, linesOf(theirs));
  if (!hunksOfMine || !hunksOfTheirs) return null;
  const isOfBoth = (hunk: Hunk) => hunksOfTheirs.some((other) => JSON.stringify(other) === JSON.stringify(hunk));
  const hunks = [...hunksOfMine.filter((hunk) => !isOfBoth(hunk)), ...hunksOfTheirs].toSorted((one, other) => one.from - other.from || one.to - other.to);
  const isApart = (hunk: Hunk, place: number) => {
    const next = hunks[place + 1];
    return !next || hunksOfMine.includes(hunk) === hunksOfMine.includes(next) || areApart(lines, hunk, next);
  };
  if (!hunks.every(isApart) || isMoved(lines, hunksOfMine, hunksOfTheirs) || isMoved(lines, hunksOfTheirs, hunksOfMine)) return null;
  return hunks.reduceRight((text, { from, to, lines: added }) => text.toSpliced(from, to - from, ...added), lines).join("\n");
}

/** Whether the end of a paragraph is between the two, before and after the merge. */
function areApart(lines: string[], one: Hunk, next: Hunk): boolean {
  const isSamePlace = next.from === one.from && next.to === one.to;
  if (next.from < one.to || isSamePlace) return false;
  for (let place = one.to; place <= next.from; place += 1) {
    const before = place > one.to ? lines[place - 1] : (one.lines.at(-1) ?? lines[one.from - 1]);
    const after = place < next.from ? lines[place] : (next.lines[0] ?? lines[next.to]);
    // In the base, in each text, and in both together.
    const ends = [[lines[place - 1], lines[place]], [before, lines[place]], [lines[place - 1], after], [before, after]];
    if (ends.every(([above, below]) => isEnd(above, below))) return true;
  }
  return false;
}

/** Whether `one` has moved lines that `other` has deleted or moved too. */
function isMoved(lines: string[], one: Hunk[], other: Hunk[]): boolean {
  const added = new Set(one.flatMap((hunk) => hunk.lines).filter((line) => line.trim() !== ""));
  return other.some(({ from, to }) => lines.slice(from, to).some((line) => added.has(line)));
}

function isEnd(before: string | undefined, after: string | undefined): boolean {
  return !before?.trim() || !after?.trim();
}

/** CodeMirror ends lines in one way, a stored text in any. */
function linesOf(text: string): string[] {
  return text.split(/\r\n?|\n/);
}

function hunksOf(base: string[], text: string[]): Hunk[] | null {
  const parts = diffArrays(base, text, { timeout: TIMEOUT_MS });
  if (!parts) return null;
  const hunks: Hunk[] = [];
  let at = 0;
  let isOpen = false;
  for (const { value, added, removed } of parts) {
    if (!added && !removed) {
      at += value.length;
      isOpen = false;
      continue;
    }
    if (!isOpen) hunks.push({ from: at, to: at, lines: [] });
    isOpen = true;
    const hunk = hunks.at(-1) as Hunk;
    if (added) hunk.lines.push(...value);
    else at = hunk.to = at + value.length;
  }
  return hunks;
}

/** A change of characters, as CodeMirror describes one. */
export interface Edit {
  from: number;
  to: number;
  insert: string;
}

/** The changes line by line, each as short as it can be, so that a caret elsewhere stays where it is. */
export function editsOf(text: string, next: string): Edit[] {
  const lines = linesOf(text);
  const hunks = hunksOf(lines, linesOf(next));
  if (!hunks) return [{ from: 0, to: text.length, insert: next }];
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return hunks.map(({ from, to, lines: added }) => {
    const [start, end] = [starts[from] ?? 0, starts[to] ?? 0];
    // The last line has no end of its own.
    if (to < lines.length) return shortened(text, start, end, added.map((line) => `${line}\n`).join(""));
    return from === 0 ? shortened(text, 0, text.length, added.join("\n")) : shortened(text, start - 1, text.length, added.map((line) => `\n${line}`).join(""));
  });
}

/** Without what both have at the beginning and at the end. */
function shortened(text: string, from: number, to: number, insert: string): Edit {
  const most = Math.min(to - from, insert.length);
  let same = 0;
  while (same < most && text[from + same] === insert[same]) same += 1;
  let after = 0;
  while (after < most - same && text[to - 1 - after] === insert[insert.length - 1 - after]) after += 1;
  return { from: from + same, to: to - after, insert: insert.slice(same, insert.length - after) };
}
