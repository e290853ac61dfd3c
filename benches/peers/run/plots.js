// Plots of the results in a folder, as SVG: the rates of the last full run, and how the times of Tidings depend on the number of posts. The rule:
// drawn from the JSON of the runs only.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { QUERIES } from "../queries.js";
import { VARIANTS } from "../variants.js";

const COLOURS = ["#1f6feb", "#8250df", "#57606a", "#afb8c1", "#d29922", "#cf222e", "#1a7f37", "#2da44e", "#bf3989", "#ff80c8"];
const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM, LEGEND_ROW] = [860, 420, 70, 40, 40, 18];
const CALLERS = 32;

export function draw(folder) {
  const results = readdirSync(folder).filter((name) => /^\d+\.json$/.test(name)).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  results.sort((one, other) => one.posts - other.posts);
  const usual = results.find(({ posts, cells }) => posts === 10_000 && cells.length);
  if (usual) writeFileSync(join(folder, "performance-rates.svg"), rates(usual));
  const sized = results.filter(({ cells }) => cells.some(({ variant, callers }) => variant === "tidings-file" && callers === 1));
  if (sized.length > 1) writeFileSync(join(folder, "performance-sizes.svg"), sizes(sized));
}

/** Bars in groups: a group for each query, a bar for each variant, on a logarithmic scale. */
export function rates({ cells, posts }) {
  const of = cells.filter(({ callers }) => callers === CALLERS);
  const variants = VARIANTS.filter(({ name }) => of.some(({ variant }) => variant === name));
  const queries = QUERIES.filter(({ name }) => of.some(({ query }) => query === name));
  const scale = logScale(of.map(({ rate }) => rate));
  const group = (WIDTH - LEFT) / queries.length;
  const bar = (group * 0.85) / variants.length;
  const bars = of.map(({ variant, query, rate }) => {
    const number = variants.findIndex(({ name }) => name === variant);
    const x = LEFT + queries.findIndex(({ name }) => name === query) * group + number * bar;
    return `<rect x="${x.toFixed(1)}" y="${scale.y(rate).toFixed(1)}" width="${(bar * 0.9).toFixed(1)}" height="${(scale.bottom - scale.y(rate)).toFixed(1)}" fill="${COLOURS[number]}"/>`;
  });
  const labels = queries.map(({ title }, number) => text(LEFT + (number + 0.42) * group, scale.bottom + 18, title, "middle"));
  const title = `Requests a second, ${CALLERS} callers, ${posts.toLocaleString("en")} posts`;
  return svg(title, [...scale.lines, ...bars, ...labels], variants.map(({ title }, number) => [title, COLOURS[number]]));
}

/** Lines: the median time of each query of Tidings on a file, by the number of posts, both logarithmic. */
export function sizes(results) {
  const of = results.flatMap(({ posts, cells }) => cells.filter(({ variant, callers }) => variant === "tidings-file" && callers === 1).map((cell) => ({ posts, ...cell })));
  const queries = QUERIES.filter(({ name }) => of.some(({ query }) => query === name));
  const scale = logScale(of.map(({ p50Ms }) => p50Ms));
  const counts = results.map(({ posts }) => posts);
  const [least, most] = [Math.log10(counts[0]), Math.log10(counts.at(-1))];
  const x = (posts) => LEFT + 30 + ((Math.log10(posts) - least) / (most - least)) * (WIDTH - LEFT - 80);
  const lines = queries.map(({ name }, number) => {
    const points = of.filter(({ query }) => query === name).map(({ posts, p50Ms }) => `${x(posts).toFixed(1)},${scale.y(p50Ms).toFixed(1)}`);
    return `<polyline points="${points.join(" ")}" fill="none" stroke="${COLOURS[number]}" stroke-width="2"/>`;
  });
  const labels = counts.map((posts) => text(x(posts), scale.bottom + 18, posts.toLocaleString("en"), "middle"));
  return svg("Tidings on a file: median time in ms by the number of posts, 1 caller", [...scale.lines, ...lines, ...labels], queries.map(({ title }, number) => [title, COLOURS[number]]));
}

/** From the power of ten below the least value to the one above the greatest, with a line for each. */
function logScale(all) {
  const values = all.filter((value) => value > 0);
  const least = Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))));
  const bottom = HEIGHT - BOTTOM;
  const y = (value) => bottom - ((Math.log10(Math.max(value, 10 ** least)) - least) / (most - least)) * (bottom - TOP);
  const lines = Array.from({ length: most - least + 1 }, (_, number) => 10 ** (least + number)).map((value) =>
    `<line x1="${LEFT}" x2="${WIDTH}" y1="${y(value)}" y2="${y(value)}" stroke="#d0d7de"/>${text(LEFT - 8, y(value) + 4, value.toLocaleString("en"), "end")}`);
  return { y, bottom, lines };
}

function text(x, y, content, anchor = "start") {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${content.replaceAll("&", "&amp;")}</text>`;
}

function svg(title, shapes, legend) {
  const height = HEIGHT + 10 + legend.length * LEGEND_ROW;
  const rows = legend.map(([name, colour], row) => {
    const y = HEIGHT + 10 + row * LEGEND_ROW;
    return `<rect x="${LEFT}" y="${y - 10}" width="12" height="12" fill="${colour}"/>${text(LEFT + 20, y, name)}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + 20} ${height}" font-family="sans-serif" font-size="13">
<rect width="100%" height="100%" fill="white"/>
${[text(LEFT, 20, title), ...shapes, ...rows].join("\n")}
</svg>
`;
}
