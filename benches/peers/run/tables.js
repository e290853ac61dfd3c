// Tables in Markdown. The rule: columns of the same width in the text too, so that a terminal shows what a page shows.

/** `rows`: arrays of texts, the first of which is the head. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (column ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2))).join("|")}|`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join("\n");
}

/** `12,345`, `17.3`, `0.45`: three digits at least. */
export function figure(number) {
  if (number === undefined || number === null || Number.isNaN(number)) return "";
  const digits = number >= 100 ? 0 : number >= 10 ? 1 : 2;
  return number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
