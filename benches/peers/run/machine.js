// The machine, the versions and the memory of processes. The rule: read from /proc and from the packages themselves.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";

import { postgresPrograms } from "../sites/postgres.js";

export function machine() {
  return `${os.cpus()[0].model.trim()}, ${os.cpus().length} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Linux ${os.release()}`;
}

const MANIFEST = new URL("../package.json", import.meta.url);

export function versions() {
  const packages = Object.entries(JSON.parse(readFileSync(MANIFEST, "utf8")).dependencies).filter(([name]) => name !== "node");
  const postgres = postgresPrograms() && execFileSync(join(postgresPrograms(), "postgres"), ["--version"]).toString().match(/[\d.]+/)[0];
  return [`Node.js ${process.version.slice(1)}`, ...packages.map((one) => one.join(" ")), ...(postgres ? [`PostgreSQL ${postgres}`] : [])].join(", ");
}

/** MiB of processes and those that they started; pages that several share count once. */
export function memoryMiB(pids) {
  const parents = new Map();
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const fields = readOr(`/proc/${name}/stat`).split(") ").at(-1).split(" ");
    parents.set(Number(name), Number(fields[1]));
  }
  const isOurs = (pid) => pids.includes(pid) || (parents.has(pid) && isOurs(parents.get(pid)));
  const kib = (pid) => Number(readOr(`/proc/${pid}/smaps_rollup`).match(/^Pss: +(\d+)/m)?.[1] ?? 0);
  return [...parents.keys()].filter(isOurs).reduce((sum, pid) => sum + kib(pid), 0) / 1024;
}

/** A process can end while this reads. */
function readOr(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
