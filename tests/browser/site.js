// Serves the built files of a front end on a free port. The rule: a path without a file gets index.html, as a history router needs it.
//
//   node site.js FOLDER [SERVER]
//
// It prints its address, forwards /graphql, the editor, pictures and the feeds to SERVER if that is given, and ends when its standard input ends.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer, request } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const FORWARDED = /^\/graphql$|^\/editor|^\/assets\/[0-9a-f]{40}[-.]|\/(feed\.xml|rss\.xml|feed\.json)$|^\/sitemap/;

const [folder, server] = process.argv.slice(2);

const site = createServer((asked, answer) => {
  const { pathname } = new URL(asked.url, "http://site");
  if (server && FORWARDED.test(pathname)) return forward(asked, answer);
  return sendFile(decoded(pathname), answer).catch(() => answer.writeHead(500).end());
});

function forward(asked, answer) {
  const to = request(new URL(asked.url, server), { method: asked.method, headers: asked.headers }, (answered) => {
    answer.writeHead(answered.statusCode, answered.headers);
    answered.pipe(answer);
  });
  to.on("error", () => answer.writeHead(502).end());
  asked.pipe(to);
}

function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function sendFile(path, answer) {
  const file = join(folder, normalize(path));
  if ((await isFile(file)) && file.startsWith(folder)) return send(file, answer);
  // A missing picture or script is not a view of the site.
  if (extname(path) in TYPES) return answer.writeHead(404).end();
  return send(join(folder, "index.html"), answer);
}

function send(file, answer) {
  answer.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
  createReadStream(file).pipe(answer);
}

function isFile(path) {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

site.listen(0, "127.0.0.1", () => console.log(`Listening on http://127.0.0.1:${site.address().port}`));
process.stdin.resume().on("end", () => process.exit());
