// A site in three languages: each page names its published translations, is written in its direction, and each language has its list and its feed.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { withPage } from "../browser.js";
import { addressOf, ask, FILES, ORIGIN, serve, text } from "./setup.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const VIEWS = ["/", "/languages/ar", "/languages/de", "/posts/mawaid-al-shita", "/dalil/al-tariq", "/tags/cafe"];
const RIGHT_TO_LEFT = ["ar"];

const site = await serve();
/** What each page has, by its address. */
const pages = new Map();
/** The posts and pages of the API. */
let contents;

before(async () => {
  const fields = "title language canonicalUrl translations { language canonicalUrl }";
  const data = await ask(`{ posts(first: 100) { nodes { slug ${fields} } } pages(first: 10) { nodes { ${fields} children(first: 10) { nodes { ${fields} } } } } }`);
  contents = [...data.posts.nodes, ...data.pages.nodes.flatMap(({ children, ...page }) => [page, ...children.nodes])];
  await withPage({ origins: [] }, async (page) => {
    for (const file of FILES.filter((name) => name.endsWith(".html"))) pages.set(addressOf(file), await page.evaluate(contentOfPage, { source: text(file), origin: ORIGIN }));
  });
});

/** Runs in the browser. */
function contentOfPage({ source, origin }) {
  const page = new DOMParser().parseFromString(source, "text/html");
  const links = (selector) => [...page.querySelectorAll(selector)].map((link) => [link.getAttribute("hreflang"), new URL(link.getAttribute("href"), origin).href]);
  return {
    language: page.documentElement.lang,
    direction: page.documentElement.dir,
    alternates: links("link[hreflang]"),
    languages: links("nav.languages a"),
    current: links("nav.languages [aria-current=page]"),
    posts: links("article.row h2 a").map(([, address]) => address),
    neighbours: links(".neighbours a").map(([, address]) => address),
    feed: links("link[type='application/atom+xml']")[0][1],
  };
}

test("a post and a page name each published translation of theirs, and the version for all other readers", () => {
  assert.ok(contents.length >= 14);
  for (const { language, canonicalUrl, translations } of contents) {
    const expected = [[language, canonicalUrl], ...translations.map((one) => [one.language, one.canonicalUrl])].toSorted();
    const { alternates, languages, current } = pages.get(canonicalUrl);
    assert.deepEqual(languages.toSorted(), expected, canonicalUrl);
    assert.deepEqual(current, [[language, canonicalUrl]]);
    assert.deepEqual(alternates, [...languages, ["x-default", languages.find(([tag]) => tag === "en")[1]]], canonicalUrl);
    for (const [, other] of languages) assert.deepEqual(pages.get(other)?.alternates, alternates, `${canonicalUrl} and ${other}`);
  }
});

test("without a server that browsers may ask, there is no search page, and no page has a script", () => {
  assert.ok(!FILES.includes("/search.html"));
  assert.deepEqual(FILES.filter((file) => file.endsWith(".html") && /<script(?! type="application\/ld\+json")/.test(text(file))), []);
});

test("a translation that is a draft is not named", () => {
  const { languages } = pages.get(`${ORIGIN}/posts/caferegeln`);
  assert.deepEqual(languages.map(([tag]) => tag), ["en", "de"]);
});

test("a page has its language, its direction and neighbours in its language", () => {
  for (const { language, canonicalUrl } of contents) {
    const page = pages.get(canonicalUrl);
    assert.deepEqual([page.language, page.direction], [language, RIGHT_TO_LEFT.includes(language) ? "rtl" : "ltr"], canonicalUrl);
    assert.ok(page.neighbours.length > 0, canonicalUrl);
    assert.deepEqual(page.neighbours.filter((other) => pages.get(other).language !== language), [], canonicalUrl);
  }
});

test("each language has a list of its posts and a feed", async () => {
  const lists = [["en", "/"], ["ar", "/languages/ar"], ["de", "/languages/de"]].map(([language, path]) => [language, ORIGIN + path]);
  for (const [language, address] of lists) {
    const { posts } = await ask(`{ posts(first: 100, filter: { languages: ["${language}"] }) { nodes { canonicalUrl } } }`);
    const expected = posts.nodes.map(({ canonicalUrl }) => canonicalUrl);
    const page = pages.get(address);
    assert.deepEqual(page.posts, expected, address);
    assert.deepEqual(page.languages, lists, address);
    assert.deepEqual(page.alternates, [...lists, ["x-default", `${ORIGIN}/`]], address);
    assert.equal(page.feed, `${ORIGIN}/languages/${language}/feed.xml`);
    const feed = text(new URL(page.feed).pathname);
    assert.deepEqual([...feed.matchAll(/<entry[^>]*>.*?<link [^>]*href="([^"]+)"/gs)].map(([, entry]) => entry), expected, page.feed);
  }
});

for (const colorScheme of ["light", "dark"]) {
  test(`text that is written from right to left begins on the right, and axe finds no violation, ${colorScheme}`, () =>
    withPage({ origins: [site], baseURL: site, colorScheme, viewport: { width: 360, height: 740 } }, async (page) => {
      for (const address of VIEWS) {
        await page.goto(address);
        const { direction, first, width, content } = await page.evaluate(() => {
          const letter = document.createRange();
          letter.setStart(document.querySelector("h1").firstChild, 0);
          letter.setEnd(document.querySelector("h1").firstChild, 1);
          const { clientWidth, scrollWidth, dir } = document.documentElement;
          return { direction: dir, first: letter.getBoundingClientRect().left, width: clientWidth, content: scrollWidth };
        });
        assert.equal(first > width / 2, direction === "rtl", `${address} begins at ${first}`);
        assert.ok(content <= width, `${address} is ${content} wide, the window ${width}`);
        await page.addScriptTag({ path: AXE });
        const { violations } = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}: ${node.failureSummary}`)), [], address);
      }
    }));
}

test("the switch leads to the translation and back", () =>
  withPage({ origins: [site], baseURL: site }, async (page) => {
    await page.goto("/posts/opening-hours");
    for (const [name, title] of [["Deutsch", "Öffnungszeiten im Winter"], ["العربية", "مواعيد العمل في الشتاء"], ["English", "Winter Opening Hours"]]) {
      await page.getByRole("main").getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    }
  }));
