// Hostile files: each is sent to the server, and what it stores is opened by its address, as a picture, an object, a script and a style sheet of a page, and as a part of
// one. The rule: no script runs, and no request leaves, with the headers of the server and without them.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { withPage } from "./browser.js";
import { FILES, svg } from "./hostile.js";

const { ORIGIN, TOKEN } = process.env;
/** The files of one page, in rows of frames. */
const IN_PAGE = 150;
const IN_ROW = 15;
const SIDE = 90;

/** The files without the headers of the server, and the pages with frames, by their paths. */
const plain = new Map();
const PLAIN = await new Promise((listening) => {
  const server = createServer(({ url }, answer) => {
    const { type, body } = plain.get(url) ?? { type: "text/plain", body: "" };
    answer.writeHead(200, { "content-type": type }).end(body);
  }).listen(0, "127.0.0.1", () => listening(`http://127.0.0.1:${server.address().port}`));
  after(() => (server.close(), server.closeAllConnections()));
});

/** Opens a page and clicks on each of its frames, after their animations have begun. Returns what ran and what was requested elsewhere. */
async function watch(context, path, count) {
  const seen = [];
  const page = await context.newPage();
  page.on("console", (message) => seen.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => seen.push(`error: ${error}`));
  page.on("dialog", (dialog) => (seen.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && ![ORIGIN, PLAIN].includes(origin)) seen.push(`request: ${request.url()}`);
  });
  await page.goto(PLAIN + path, { waitUntil: "load" });
  await page.screenshot();
  await page.evaluate(click, SIDE / 2);
  // A frame of the server is of another origin.
  const isOther = (at) => path === "/server" && at < count;
  for (let at = 0; isOther(at); at++) await page.mouse.click(((at % IN_ROW) + 0.5) * SIDE, (Math.floor(at / IN_ROW) + 0.5) * SIDE);
  await page.screenshot();
  await page.close();
  return seen;
}

/** Clicks on the middle of all frames and parts of this page. */
function click(middle) {
  const documents = [...document.querySelectorAll("iframe")].map((frame) => frame.contentDocument);
  const targets = documents.filter(Boolean).map((inner) => inner.elementFromPoint(middle, middle));
  const parts = [...document.querySelectorAll("svg *")];
  for (const target of [...targets, ...parts]) target?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
}

const frame = (content) => `<div style="float:left;width:${SIDE}px;height:${SIDE}px;overflow:hidden">${content}</div>`;
const framed = (address) => frame(`<iframe src="${address}" width="${SIDE}" height="${SIDE}" frameborder="0"></iframe>`);
/** As everything else that a page can make of an address. */
const named = (address) =>
  `<div style="display:none"><img src="${address}"><script src="${address}"></script><link rel="stylesheet" href="${address}"></div>`;

async function send(file, name = "a.svg") {
  const answer = await fetch(`${ORIGIN}/assets?name=${name}`, { method: "POST", body: file, headers: { authorization: `Bearer ${TOKEN}` } });
  return { status: answer.status, ...(await answer.json()) };
}

const drawing = (body) => ({ body, type: "image/svg+xml" });
const html = (body) => ({ body: `<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">${body}`, type: "text/html" });

const visit = (act) =>
  withPage({ origins: [ORIGIN, PLAIN, "http://elsewhere.test"], tolerated: [/./], viewport: { width: IN_ROW * SIDE, height: (IN_PAGE / IN_ROW) * SIDE }, acceptDownloads: false }, (_, context) =>
    act(context),
  );

/** What is stored, each once, with the numbers of the files from which it was made; nothing of one that is refused. */
async function sendAll() {
  const stored = new Map();
  const waiting = FILES.entries();
  // The server receives four files of one token at once.
  const worker = async () => {
    for (const [number, { what, name, body }] of waiting) {
      const { status, asset, errors } = await send(body, name);
      assert.ok([200, 201, 415, 422].includes(status), `${what}: ${JSON.stringify(errors)}`);
      if (status < 300) stored.set(asset.url, { ...asset, numbers: [...(stored.get(asset.url)?.numbers ?? []), number] });
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return Promise.all([...stored.values()].map(async (file) => ({ ...file, address: ORIGIN + file.url, text: await (await fetch(ORIGIN + file.url)).text() })));
}

const pagesOf = (files) => Array.from({ length: Math.ceil(files.length / IN_PAGE) }, (_, at) => files.slice(at * IN_PAGE, (at + 1) * IN_PAGE));

/** The numbers of the files that have run or requested something. */
const acted = (seen) => seen.map((event) => /ran (\d+)|elsewhere\.test\/(\d+)/.exec(event)).filter(Boolean).map(([, ran, away]) => Number(ran ?? away));

/** Every third one, because they take longer than what is stored of all. */
test("many of the files run or load something as they are", () =>
  visit(async (context) => {
    assert.equal(new Set(FILES.map(({ what }) => what)).size, FILES.length);
    assert.ok(FILES.length >= 400, `${FILES.length}`);
    const drawings = [...FILES.entries()].filter(([number, { what, name }]) => number % 3 === 0 && name === "a.svg" && !what.startsWith("a bomb"));
    const all = new Set();
    for (const part of pagesOf(drawings)) {
      for (const [number, { body }] of part) plain.set(`/raw/${number}`, drawing(body));
      plain.set("/raw", html(part.map(([number]) => framed(`/raw/${number}`)).join("")));
      // Their errors are not ours.
      const own = await context.browser().newContext();
      for (const number of acted(await watch(own, "/raw", part.length))) all.add(number);
      await own.close();
    }
    console.log(`${all.size} of ${drawings.length} drawings act as they are`);
    assert.ok(all.size >= 40, `${all.size}`);
  }));

test("what is stored of them runs and loads nothing", () =>
  visit(async (context) => {
    const stored = await sendAll();
    console.log(`${stored.length} different files are stored`);
    for (const part of pagesOf(stored)) {
      const drawings = part.filter(({ contentType }) => contentType === "image/svg+xml");
      for (const { url, text } of drawings) plain.set(url, drawing(text));
      plain.set("/server", html(part.map(({ address }) => framed(address) + named(address)).join("")));
      plain.set("/plain", html(drawings.map(({ url }) => framed(url) + named(url)).join("")));
      plain.set("/inline", html(drawings.map(({ text }) => frame(text)).join("")));
      for (const path of ["/server", "/plain", "/inline"]) {
        const seen = await watch(context, path, part.length);
        const faults = acted(seen).map((number) => `${FILES[number].what}: ${stored.find(({ numbers }) => numbers.includes(number))?.text}`);
        assert.deepEqual([...faults, ...seen.filter((event) => !event.startsWith("console:"))], [], path);
      }
    }
  }));

test("a stored drawing is shown in an img, an object and an iframe", () =>
  visit(async (context) => {
    const { asset } = await send(svg('<rect width="90" height="90" fill="#f00"/>'));
    const address = ORIGIN + asset.url;
    plain.set("/three", html(`<div style="display:flex"><img src="${address}"><object data="${address}"></object>${framed(address)}</div>`));
    const page = await context.newPage();
    await page.goto(`${PLAIN}/three`, { waitUntil: "load" });
    assert.equal(await page.evaluate(() => document.images[0].naturalWidth), 90);
    for (const name of ["img", "object", "iframe"]) {
      const picture = (await page.locator(name).screenshot()).toString("base64");
      const pixel = await page.evaluate(async (source) => {
        const canvas = new OffscreenCanvas(1, 1).getContext("2d");
        canvas.drawImage(await createImageBitmap(await (await fetch(source)).blob()), -45, -45);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      }, `data:image/png;base64,${picture}`);
      assert.deepEqual(pixel, [255, 0, 0, 255], name);
    }
  }));
