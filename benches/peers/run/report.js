// The tables that a run prints. The rule: a figure from a disturbed run has a mark, and what was not measured is named.

import { QUERIES } from "../queries.js";
import { VARIANTS } from "../variants.js";
import { figure, table } from "./tables.js";

const MARK = "~";

export function report(result) {
  const { machine, versions, posts, rounds, seconds, at, minutes, leftOut, missing } = result;
  const parts = [
    `${at.slice(0, 10)}, ${machine}.\n${versions}.`,
    `${posts.toLocaleString("en")} posts; ${rounds} rounds of ${seconds} s; the server has one core, the load the other; ${minutes.toFixed(1)} minutes.`,
    ...callersOf(result).flatMap((callers) => reads(result, callers)),
    servers(result),
    storage(result),
    writes(result),
    [...missing, leftOut].filter(Boolean).join("\n"),
    disturbance(result),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

const titleOf = (name) => VARIANTS.find((variant) => variant.name === name).title;
const callersOf = ({ cells }) => [...new Set(cells.map(({ callers }) => callers))];
const withCallers = (callers) => (callers === 1 ? "1 caller" : `${callers} callers`);

/** Not every query is measured on every server. */
const textOr = (cell, text) => (cell ? text(cell) : "");

function reads({ cells }, callers) {
  const of = cells.filter((cell) => cell.callers === callers);
  const queries = QUERIES.filter(({ name }) => of.some(({ query }) => query === name));
  const variants = VARIANTS.filter(({ name }) => of.some(({ variant }) => variant === name));
  const cellOf = (variant, query) => of.find((cell) => cell.variant === variant.name && cell.query === query.name);
  const grid = (title, text) =>
    table([[title, ...queries.map(({ title }) => title)], ...variants.map((variant) => [variant.title, ...queries.map((query) => textOr(cellOf(variant, query), text))])]);
  return [
    grid(`requests a second, ${withCallers(callers)}`, (cell) => `${cell.isDisturbed ? MARK : ""}${figure(cell.rate)}`),
    ratios(variants, queries, cellOf),
    grid(`ms, p50 and p99, ${withCallers(callers)}`, ({ p50Ms, p99Ms }) => `${figure(p50Ms)}, ${figure(p99Ms)}`),
    grid(`CPU µs of the server for a request, ${withCallers(callers)}`, ({ cpuUs }) => figure(cpuUs)),
  ].filter(Boolean);
}

/** Tidings as a multiple of the others. */
function ratios(variants, queries, cellOf) {
  const pairs = variants.flatMap((variant) => variants.filter(({ name }) => variant.comparedWith?.includes(name)).map((other) => [variant, other]));
  const ratio = (one, other) => (one && other ? `${one.isDisturbed || other.isDisturbed ? MARK : ""}${(one.rate / other.rate).toFixed(2)}` : "");
  const rows = pairs.map(([one, other]) => [`${one.title} ÷ ${other.title}`, ...queries.map((query) => ratio(cellOf(one, query), cellOf(other, query)))]);
  return rows.length ? table([["ratio of the rates", ...queries.map(({ title }) => title)], ...rows]) : "";
}

function servers(result) {
  const rows = result.servers.map(({ variant, startMs, memoryMiB }) => [titleOf(variant), figure(startMs), figure(memoryMiB)]);
  return rows.length ? table([["server", "start to first answer, ms", "memory after the load, MiB"], ...rows]) : "";
}

function storage({ storage }) {
  const variants = Object.keys(storage);
  if (!variants.length) return "";
  const queries = QUERIES.filter(({ name }) => name in storage[variants[0]]);
  const row = (variant, title, text) => [`${titleOf(variant)}, ${title}`, ...queries.map(({ name }) => text(storage[variant][name]))];
  const rows = variants.flatMap((variant) => [
    row(variant, "first request of a process", ({ cold }) => String(cold.requests)),
    row(variant, "its ms", ({ cold }) => figure(cold.ms)),
    row(variant, "sent again", ({ warm }) => String(warm.requests)),
    ...(storage[variant][queries[0].name].cold.own ? [row(variant, "first request, its own count in round trips", ({ cold: { own } }) => `${own.reads} in ${own.roundTrips}`)] : []),
  ]);
  return table([["storage requests in Azurite's log", ...queries.map(({ title }) => title)], ...rows]);
}

function writes({ writes }) {
  if (!writes) return "";
  const columns = [...new Map(writes.figures.map((one) => [`${one.work}, ${withCallers(one.callers)}`, one])).entries()];
  const variants = [...new Set(writes.figures.map(({ variant }) => variant))];
  const text = (variant, { work, callers }) => {
    const cell = writes.figures.find((one) => one.variant === variant && one.work === work && one.callers === callers);
    return `${cell.isDisturbed ? MARK : ""}${figure(cell.rate)} (${figure(cell.p50Ms)}, ${figure(cell.p99Ms)} ms)`;
  };
  const rates = table([["changes a second (p50, p99)", ...columns.map(([title]) => title)], ...variants.map((variant) => [titleOf(variant), ...columns.map(([, one]) => text(variant, one))])]);
  const requests = Object.entries(writes.storage).map(
    ([variant, { first, next }]) => `${titleOf(variant)}: the first createPost takes ${first.requests} storage requests and ${figure(first.ms)} ms, the next one ${next.requests} and ${figure(next.ms)} ms.`,
  );
  return [rates, "", `The disk alone: ${writes.syncs.map(figure).join(" and ")} fdatasync a second, before and after.`, ...requests].join("\n");
}

function disturbance({ cells, writes }) {
  const all = [...cells, ...(writes?.figures ?? [])];
  const disturbed = all.filter(({ isDisturbed }) => isDisturbed).length;
  const most = Math.max(0, ...all.map(({ otherCpu }) => otherCpu));
  if (!disturbed) return `Not disturbed: other processes used at the most ${(most * 100).toFixed(0)} % of a core in any run that counts.`;
  return `DISTURBED: ${disturbed} of ${all.length} figures (marked ${MARK}); other processes used up to ${(most * 100).toFixed(0)} % of a core, or runs differed by more than 15 %.`;
}
