// Writes the results of the last full runs into docs/performance.md, and their plots into docs/images. The rule: only what a run has measured;
// the texts around it stay as they are.

import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { report } from "./report.js";

const ROOT = new URL("../../../", import.meta.url).pathname;
const PAGE = join(ROOT, "docs/performance.md");
const HEADING = "## Figures\n";
const PLOTS = [
  ["performance-rates.svg", "Requests a second of each server and query, on a logarithmic scale"],
  ["performance-sizes.svg", "The median time of each query of Tidings by the number of posts"],
];

/** @returns the page with this text below the heading */
export function withFigures(page, text) {
  const begin = page.indexOf(HEADING) + HEADING.length;
  const end = page.indexOf("\n## ", begin);
  return `${page.slice(0, begin)}\n${text.trim()}\n${page.slice(end)}`;
}

function publish(folder) {
  const results = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name)).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  if (!results.length) throw new Error(`${folder} has no result of a full run; run scripts/bench first`);
  results.sort((one, other) => one.posts - other.posts);
  const plots = PLOTS.filter(([name]) => existsSync(join(folder, name)));
  for (const [name] of plots) copyFileSync(join(folder, name), join(ROOT, "docs/images", name));
  const texts = results.map((result) => `### ${result.posts.toLocaleString("en")} posts\n\n\`scripts/bench --posts ${result.posts}\`: ${report(result)}`);
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, "utf8"), [...plots.map(([name, about]) => `![${about}](images/${name})`), ...texts].join("\n\n")));
  console.log(`${PAGE} and ${plots.length} plots are written.`);
}

if (import.meta.main ?? process.argv[1] === new URL(import.meta.url).pathname) publish(process.argv[2]);
