// Starts the server of a variant. The rule: each as its own documentation starts it in production.

import { join } from "node:path";

import { serve, SERVER_CORE, stop } from "./processes.js";

/** Of at least the length that Tidings requires. */
export const TOKEN = "the-token-of-the-benchmark-0123456789";

const script = (name) => new URL(`../servers/${name}.js`, import.meta.url).pathname;

function command(variant, store, { tidings, program, posts, answers }) {
  switch (variant.server) {
    case "tidings": {
      const env = { TIDINGS_EDITOR_TOKEN: TOKEN, ...variant.settings };
      if (store.connection) env.AZURE_STORAGE_CONNECTION_STRING = store.connection;
      const where = store.connection ? "azure" : `file:${store.path}`;
      return { command: [tidings, "serve", "--store", where, "--listen", "127.0.0.1:0", "--report-storage"], env };
    }
    case "maps": return { command: [program, "--child", "serve-maps", String(posts)] };
    case "bytes": return { command: [program, "--child", "serve-bytes", answers] };
    case "yoga": return { command: [process.execPath, script("yoga"), store.path] };
    case "postgraphile": return { command: [process.execPath, script("postgraphile"), store.path] };
    case "apollo": return { command: [process.execPath, script("apollo"), store.endpoint, String(variant.cacheSeconds)] };
    default: throw new Error(`unknown server ${variant.server}`);
  }
}

export async function startServer(variant, store, context) {
  const log = join(context.runFolder, `${variant.name}.server.log`);
  const server = await serve({ ...command(variant, store, context), core: SERVER_CORE, log });
  return { ...server, path: "/graphql", watched: store.database ? [server.pid, store.database.pid] : [server.pid] };
}

/** Starts a server some times and asks it at once; the last one is left running. The least time is that of an undisturbed start. */
export async function startAndAsk(variant, store, context, request, path) {
  let best = Infinity;
  let server;
  for (let start = 0; start < context.starts; start += 1) {
    if (server) await stop(server, "SIGKILL");
    const began = performance.now();
    server = await startServer(variant, store, context);
    await ask(server, request, path);
    best = Math.min(best, performance.now() - began);
  }
  return { server, startMs: best };
}

/** Sends one request and returns the text of the answer. */
export async function ask(server, body, path = server.path, headers = {}) {
  const response = await fetch(`http://${server.address}${path}`, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
  const text = await response.text();
  if (!response.ok || text.includes('"errors":')) throw new Error(`${server.child.spawnargs.join(" ")} answers ${response.status}: ${text.slice(0, 2000)}`);
  return text;
}
