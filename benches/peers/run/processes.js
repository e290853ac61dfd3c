// Processes on their cores. The rule: everything that is started here is stopped when the program ends, by its own id.

import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

/** The core of the measured server. The load, Azurite and this program have another. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;
const START_MS_MAX = 120_000;
const POLL_MS = 1;

const running = new Set();

/** Starts a command; its output goes to a file. */
export function start({ command, env = {}, core, log }) {
  const file = openSync(log, "w");
  const child = spawn("taskset", ["-c", String(core), ...command], { env: { ...process.env, NODE_ENV: "production", ...env }, stdio: ["pipe", file, file] });
  closeSync(file);
  const started = { child, pid: child.pid, log, ended: new Promise((resolve) => child.on("exit", resolve)) };
  child.on("exit", () => running.delete(started));
  child.stdin.on("error", () => {});
  running.add(started);
  return started;
}

/** Starts a server and waits until it prints where it listens: `on http://HOST:PORT` or `on port PORT`. */
export async function serve(options) {
  const server = start(options);
  const line = await waitFor(server, /(?:on port |at http:\/\/127\.0\.0\.1:|on http:\/\/127\.0\.0\.1:)(\d+)/);
  return { ...server, port: Number(line[1]), address: `127.0.0.1:${line[1]}` };
}

export async function waitFor(server, pattern) {
  const until = Date.now() + START_MS_MAX;
  while (server.child.exitCode === null && Date.now() < until) {
    const found = readFileSync(server.log, "utf8").match(pattern);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`${server.child.spawnargs.join(" ")} does not serve:\n${readFileSync(server.log, "utf8").slice(-2000)}`);
}

export async function stop({ child, ended }, signal = "SIGTERM") {
  child.kill(signal);
  await ended;
}

export async function stopAll() {
  // PostgreSQL stops at once by SIGINT, which the children of a command in the background of a script ignore.
  await Promise.all([...running].map((started) => [stop(started, "SIGINT"), stop(started)]).flat());
}

/** Runs a command to its end and returns what it prints. */
export async function run(command, { core = LOAD_CORE, env = {}, input = "" } = {}) {
  const child = spawn("taskset", ["-c", String(core), ...command], { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const started = { child, ended };
  running.add(started);
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (err += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await ended;
  running.delete(started);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${err.slice(-2000)}`);
  return out;
}
