// Helpers for the tests of examples/astro: the built files, a server for them, and direct requests to the API for the expected values.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after } from "node:test";

/** Where the files were built. */
export const FOLDER = given("TIDINGS_FILES");
export const SERVER = given("TIDINGS_SERVER");
/** The address of the site, as the server knows it. */
export const ORIGIN = "https://blog.example";

function given(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: these tests are run by scripts/test -E 'test(front::astro)'`);
  return value;
}

/** The data that the API returns to everyone. */
export async function ask(query) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await fetch(`${SERVER}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

/** The paths of all files, such as `/posts/first-light.html`, in alphabetical order. */
export const FILES = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(FOLDER.length))
  .sort();

/** The file that a web server sends for a path, as the README of the example says; undefined for an address without a file. */
export function fileOf(path) {
  const candidates = path.endsWith("/") ? [`${path}index.html`] : [path, `${path}.html`];
  return candidates.find((candidate) => FILES.includes(candidate));
}

/** The address of a page on the site. */
export function addressOf(file) {
  return ORIGIN + file.replace(/\.html$/, "").replace(/\/index$/, "/");
}

export function text(file) {
  return readFileSync(join(FOLDER, file), "utf8");
}

export function sizeOf(file) {
  return statSync(join(FOLDER, file)).size;
}

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".xml": "application/xml",
};

/** Serves the files on a free port until the tests of the file have ended; returns its origin. */
export async function serve() {
  const server = createServer((request, response) => {
    const file = fileOf(decodeURIComponent(new URL(request.url, ORIGIN).pathname));
    response.writeHead(file ? 200 : 404, { "content-type": TYPES[extname(file ?? ".html")] ?? "application/octet-stream" });
    response.end(readFileSync(join(FOLDER, file ?? "/404.html")));
  });
  after(() => server.close());
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${server.address().port}`;
}
