// Hostile SVGs: each is sent to the server, and what it stores is opened by its address, in an `img`, an `object` and an `iframe`, and as a part of a page. The rule: no
// script runs, and no request leaves, with the headers of the server and without them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./browser.js";

const { ORIGIN, TOKEN } = process.env;
/** Where the pages of the tests are, and the same files without the headers of the server. */
const PLAIN = `${ORIGIN}/plain`;
const RUN = "console.log(`ran`)";
const ELSEWHERE = "http://elsewhere.test/x";
const HTML = "http://www.w3.org/1999/xhtml";
const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

const svg = (content, attributes = "") => `<svg ${NAMESPACES} width="90" height="90" ${attributes}>${content}</svg>`;
const data = (type, text) => `data:${type};base64,${Buffer.from(text).toString("base64")}`;
const rect = '<rect width="90" height="90" fill="green"/>';

/** Those that run or load something in Chromium as they are, if they are opened by their address. */
const RUNNING = {
  "a script": svg(`<script>${RUN}</script>`),
  "a script in a section": svg(`<script><![CDATA[${RUN}]]></script>`),
  "a script of another address": svg(`<script href="${data("text/javascript", RUN)}"/>`),
  "a script with a prefix": svg(`<s:script>${RUN}</s:script>`, 'xmlns:s="http://www.w3.org/2000/svg"'),
  "a script of HTML": svg(`<h:script>${RUN}</h:script>`, `xmlns:h="${HTML}"`),
  "a script in a title": svg(`<title><script>${RUN}</script></title>`),
  "a script in metadata": svg(`<metadata><script>${RUN}</script></metadata>`),
  "a script in definitions": svg(`<defs><g><script>${RUN}</script></g></defs>`),
  "the root when it is loaded": svg("", `onload="${RUN}"`),
  "a part when it is loaded": svg(`<svg onload="${RUN}"/>`),
  "a picture that does not load": svg(`<image href="x:y" onerror="${RUN}" width="9" height="9"/>`),
  "a picture of HTML": svg(`<h:img src="x:y" onerror="${RUN}"/>`, `xmlns:h="${HTML}"`),
  "an animation that begins": svg(`<rect><animate onbegin="${RUN}" attributeName="x" dur="1s"/></rect>`),
  "a click": svg(`<g onclick="${RUN}">${rect}</g>`),
  "foreign content": svg(`<foreignObject width="90" height="90"><h:img src="x:y" onerror="${RUN}"/></foreignObject>`, `xmlns:h="${HTML}"`),
  "a frame in foreign content": svg(`<foreignObject width="90" height="90"><h:iframe src="${data("text/html", `<script>${RUN}</script>`)}"/></foreignObject>`, `xmlns:h="${HTML}"`),
  "a link that runs": svg(`<a href="javascript:${RUN}">${rect}</a>`),
  "a link that runs, of XLink": svg(`<a xlink:href="&#106;ava&#10;script:${RUN}">${rect}</a>`),
  "a link that is set": svg(`<a><set attributeName="href" to="javascript:${RUN}"/>${rect}</a>`),
  "a link that is animated": svg(`<a><animate attributeName="xlink:href" values="javascript:${RUN};x" dur="99s"/>${rect}</a>`),
  "an entity": `<!DOCTYPE svg [<!ENTITY run "<script xmlns='http://www.w3.org/2000/svg'>${RUN}</script>">]>${svg("&run;")}`,
  "an attribute that the document type sets": `<!DOCTYPE svg [<!ATTLIST svg onload CDATA "${RUN}">]>${svg(rect)}`,
  "a picture elsewhere": svg(`<image href="${ELSEWHERE}" width="9" height="9"/>`),
  "a picture of a filter": svg(`<filter id="f"><feImage href="${ELSEWHERE}"/></filter><rect width="9" height="9" filter="url(#f)"/>`),
  "a style sheet elsewhere": `<?xml-stylesheet href="${ELSEWHERE}"?>${svg(rect)}`,
  "an imported style sheet": svg(`<style>@import "${ELSEWHERE}";</style>`),
  "an imported style sheet with an escape": svg(`<style>@\\69mport "${ELSEWHERE}";</style>`),
  "a font": svg(`<style>@font-face{font-family:a;src:url(${ELSEWHERE})}text{font-family:a}</style><text y="20">a</text>`),
  "a font of HTML": svg(`<h:link rel="stylesheet" href="${ELSEWHERE}"/>`, `xmlns:h="${HTML}"`),
  "a mask with an escape": svg(`<rect width="9" height="9" style="mask:u\\72l(${ELSEWHERE})"/>`),
  "a background": svg("", `style="background:url(${ELSEWHERE})"`),
  "a set of backgrounds": svg(`<style>svg{background:image-set("${ELSEWHERE}" 1x)}</style>`),
  "a base for fragments": svg(`<g xml:base="${ELSEWHERE}"><use href="${ELSEWHERE}#a"/></g>${rect}`, `onload="${RUN}"`),
};

/** Those that a parser of HTML could read differently: they do nothing by their address. */
const TEXTS = {
  "a style that ends in HTML": svg(`<style>&lt;/style>&lt;img src="x:y" onerror="${RUN}"></style>`),
  "a style with a section": svg(`<style><![CDATA[</style><img src="x:y" onerror="${RUN}">]]></style>`),
  "a title with a section": svg(`<title><![CDATA[</title><img src="x:y" onerror="${RUN}">]]></title>`),
  "a description with a tag as text": svg(`<desc>&lt;img src="x:y" onerror="${RUN}"></desc>`),
  "a text with a section": svg(`<text y="20"><![CDATA[</svg><img src="x:y" onerror="${RUN}">]]></text>`),
  "an attribute that ends": svg(`<g id="&quot;>&lt;img src=x:y onerror=${RUN}>"/>`),
  "a comment that ends early in HTML": svg(`<!--><img src="x:y" onerror="${RUN}">-->${rect}`),
  "a comment in a text": svg(`<text y="20">&lt;!--</text><text><![CDATA[--><img src="x:y" onerror="${RUN}">]]></text>`),
  "elements that end a drawing in HTML": svg(`<g><p xmlns=""/><font color="x"/><br/><title><svg onload="${RUN}"/></title></g>`),
  "UTF-7": svg(`<text y="20">+ADw-script+AD4-${RUN}+ADw-/script+AD4-</text>`),
  "a drawing with all that stays": svg(
    `<style>.a{fill:url(#g)}@media (min-width:1px){.b{stroke:red}}</style><defs><linearGradient id="g"><stop offset="1" stop-color="red"/></linearGradient></defs>` +
      `<a href="https://example.org/"><circle class="a b" r="5" cx="80" cy="80"/></a><use href="#g"/><text y="20">a &amp; b</text>` +
      `<image width="9" height="9" href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mO4IyICAALUAQVnjQBuAAAAAElFTkSuQmCC"/>` +
      `<rect width="9" height="9"><animate attributeName="x" values="0;9" dur="1s"/></rect>`,
  ),
};

/** Opens a page in which scripts of all origins would be seen; returns what ran and what was requested. */
async function watched(context, files, act) {
  const seen = [];
  const page = await context.newPage();
  page.on("console", (message) => seen.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => seen.push(`error: ${error}`));
  page.on("dialog", (dialog) => (seen.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  await page.route("**", (route) => {
    const url = new URL(route.request().url());
    const file = files.get(url.href.slice(PLAIN.length));
    if (url.href.startsWith(PLAIN)) return file ? route.fulfill(file) : route.fulfill({ status: 404 });
    if (url.origin === ORIGIN) return route.continue();
    if (url.protocol.startsWith("http")) seen.push(`request: ${url}`);
    return route.abort();
  });
  await act(page);
  await page.close();
  return seen;
}

/** Opens an address, clicks on what it shows, and again after its animations have begun. */
async function open(page, address) {
  await page.goto(address, { waitUntil: "load" });
  for (let frame = 0; frame < 2; frame++) {
    for (const x of [45, 135, 225]) await page.mouse.click(x, 45);
    await page.screenshot();
  }
}

/** Three pictures of 90 × 90, side by side. */
const inPage = (address) =>
  `<div style="display:flex"><img src="${address}"><object data="${address}"></object><iframe src="${address}" width="90" height="90" frameborder="0"></iframe></div>`;

async function send(file) {
  const answer = await fetch(`${ORIGIN}/assets`, { method: "POST", body: file, headers: { authorization: `Bearer ${TOKEN}` } });
  return { status: answer.status, ...(await answer.json()) };
}

const drawing = (body) => ({ body, contentType: "image/svg+xml" });
const html = (body) => ({ body: `<!DOCTYPE html><body style="margin:0">${body}`, contentType: "text/html" });

const visit = (act) => withPage({ origins: [ORIGIN, "http://elsewhere.test"], tolerated: [/./] }, (_, context) => act(context));

test("the files run or load something as they are", () =>
  visit(async (context) => {
    for (const [name, file] of Object.entries(RUNNING)) {
      const seen = await watched(context, new Map([["/a.svg", drawing(file)]]), (page) => open(page, `${PLAIN}/a.svg`));
      assert.ok(seen.some((event) => event === "console: ran" || event === `request: ${ELSEWHERE}`), `${name}: ${seen}`);
    }
  }));

test("what is stored of them runs and loads nothing", () =>
  visit(async (context) => {
    for (const [name, file] of Object.entries({ ...RUNNING, ...TEXTS })) {
      const sent = await send(file);
      if (name === "an entity") {
        assert.equal(sent.errors[0].extensions.code, "UNSUPPORTED_MEDIA_TYPE");
        continue;
      }
      assert.ok([200, 201].includes(sent.status), `${name}: ${JSON.stringify(sent)}`);
      const address = `${ORIGIN}${sent.asset.url}`;
      const stored = await (await fetch(address)).text();
      const files = new Map([["/a.svg", drawing(stored)], ["/inline", html(stored)]]);
      for (const [where, source] of [["server", address], ["plain", `${PLAIN}/a.svg`]]) {
        files.set(`/page/${where}`, html(inPage(source)));
      }
      const seen = await watched(context, files, async (page) => {
        const addresses = [address, ...[...files.keys()].map((path) => PLAIN + path)];
        for (const at of addresses) await open(page, at);
      });
      assert.deepEqual(seen, [], `${name}: ${stored}`);
    }
  }));

test("a stored drawing is shown in an img, an object and an iframe", () =>
  visit(async (context) => {
    const { asset } = await send(svg('<rect width="90" height="90" fill="#f00"/>'));
    const address = `${ORIGIN}${asset.url}`;
    const page = await context.newPage();
    await page.route(`${PLAIN}/**`, (route) => route.fulfill(html(inPage(address))));
    await page.goto(`${PLAIN}/page`, { waitUntil: "load" });
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
