// Every built file, as a crawler reads it: heads, links, structured data, feeds and the sitemap. The browser only parses the files, and requests nothing.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { withPage } from "../browser.js";
import { addressOf, ask, fileOf, FILES, ORIGIN, sizeOf, text } from "./setup.js";

const PAGES = FILES.filter((file) => file.endsWith(".html"));
const FEEDS = FILES.filter((file) => file.endsWith("/feed.xml"));

/** What each page has, by its file. */
const pages = new Map();
/** The addresses that each XML file names, by its file. */
const addresses = new Map();

before(() =>
  withPage({ origins: [] }, async (page) => {
    for (const file of PAGES) pages.set(file, await page.evaluate(contentOfPage, { source: text(file), address: addressOf(file) }));
    const xml = FILES.filter((file) => file.endsWith(".xml"));
    for (const file of xml) addresses.set(file, await page.evaluate(addressesOfXml, text(file)));
  }));

/** Runs in the browser. */
function contentOfPage({ source, address }) {
  const page = new DOMParser().parseFromString(source, "text/html");
  const all = (selector, attribute) => [...page.querySelectorAll(selector)].map((element) => element.getAttribute(attribute));
  const candidates = all("[srcset]", "srcset").flatMap((list) => list.split(", ").map((candidate) => candidate.split(" ")[0]));
  const absolute = (path) => new URL(path, address).href;
  return {
    language: page.documentElement.lang,
    others: page.querySelectorAll("[hreflang]").length,
    titles: [...page.querySelectorAll("title")].map(({ textContent }) => textContent),
    headings: [...page.querySelectorAll("h1")].map(({ textContent }) => textContent.trim()),
    descriptions: all("meta[name=description]", "content"),
    canonical: all("link[rel=canonical]", "href"),
    openGraph: Object.fromEntries([...page.querySelectorAll("meta[property^='og:']")].map((meta) => [meta.getAttribute("property"), meta.content])),
    feeds: all("link[rel=alternate][type='application/atom+xml']", "href"),
    next: all("a[rel=next]", "href").map(absolute),
    posts: all("article.row h2 a", "href").map(absolute),
    links: all("a[href]", "href").map(absolute),
    parts: [...all("link[href]:not([rel=canonical])", "href"), ...all("[src]", "src"), ...candidates].map(absolute),
    ids: all("[id]", "id"),
    pictures: [...page.querySelectorAll(".prose img[srcset]")].map((image) => ["width", "height", "loading", "sizes"].map((name) => image.getAttribute(name))),
    menu: [...page.querySelectorAll("nav[aria-label=Menu] a")].map((link) => [link.textContent.trim(), link.getAttribute("href"), link.getAttribute("aria-current")]),
    related: all(".related h3 a", "href").map(absolute),
    featured: [...page.querySelectorAll("article.row:has(.featured) h2 a")].map((link) => absolute(link.getAttribute("href"))),
    withoutAlt: page.querySelectorAll("img:not([alt])").length,
    scripts: page.querySelectorAll("script:not([type='application/ld+json'])").length,
    data: [...page.querySelectorAll("script[type='application/ld+json']")].map(({ textContent }) => textContent),
    counts: [...page.querySelectorAll(".byline")].map(({ textContent }) => textContent.trim())[0],
    times: all("time", "datetime"),
  };
}

/** Runs in the browser. */
function addressesOfXml(source) {
  const file = new DOMParser().parseFromString(source, "application/xml");
  if (file.querySelector("parsererror")) return null;
  const links = [...file.querySelectorAll("feed > link, entry > link")].map((link) => link.getAttribute("href"));
  return [...links, ...[...file.querySelectorAll("loc")].map(({ textContent }) => textContent)];
}

/** The addresses of this list that are on the site, but not there. */
function dead(list) {
  return list.filter((address) => {
    const { origin, pathname, hash } = new URL(address);
    if (origin !== ORIGIN) return false;
    const file = fileOf(decodeURIComponent(pathname));
    return !file || (hash !== "" && !pages.get(file)?.ids.includes(decodeURIComponent(hash.slice(1))));
  });
}

test("every page has one title, heading, description and canonical address, and only the search page has a script", () => {
  const titles = new Set();
  for (const [file, page] of pages) {
    assert.equal(page.language, "en-GB", file);
    assert.equal(page.others, 0, `${file} offers other languages`);
    for (const list of [page.titles, page.headings, page.descriptions]) {
      assert.equal(list.length, 1, `${file}: ${JSON.stringify(list)}`);
      assert.notEqual(list[0], "", file);
    }
    assert.deepEqual(page.canonical, [addressOf(file)], file);
    assert.equal(page.openGraph["og:url"], addressOf(file), file);
    assert.ok(page.openGraph["og:title"] && page.openGraph["og:description"], file);
    assert.equal(page.withoutAlt, 0, `${file} has pictures without an alternative text`);
    assert.equal(page.scripts, file === "/search.html" ? 1 : 0, file);
    assert.ok(!titles.has(page.titles[0]), `${file} has the title of another page: ${page.titles[0]}`);
    titles.add(page.titles[0]);
  }
});

test("every page has the menu of the server, which marks the link to the page itself", async () => {
  const { site } = await ask("{ site { navigation { label url children { label url } } } }");
  const links = site.navigation.flatMap(({ children, ...item }) => [item, ...children]);
  assert.equal(links.length, 3);
  for (const [file, { menu }] of pages) {
    const isHere = (url) => (addressOf(file) === new URL(url, ORIGIN).href ? "page" : null);
    assert.deepEqual(menu, links.map(({ label, url }) => [label, url, isHere(url)]), file);
  }
  assert.equal([...pages.values()].filter(({ menu }) => menu.some(([, , current]) => current === "page")).length, 2);
});

test("the lists mark the featured posts", async () => {
  const { posts } = await ask("{ posts(first: 100, filter: { featured: true }) { nodes { canonicalUrl } } }");
  const marked = new Set([...pages.values()].flatMap(({ featured }) => featured));
  assert.ok(marked.size > 0);
  assert.deepEqual([...marked].toSorted(), posts.nodes.map(({ canonicalUrl }) => canonicalUrl).toSorted());
});

test("every link, picture and style of the site exists", () => {
  for (const [file, { links, parts, openGraph }] of pages) {
    const image = openGraph["og:image"];
    assert.deepEqual(dead([...links, ...parts, ...(image ? [image] : [])]), [], file);
  }
  assert.deepEqual(FILES.filter((file) => sizeOf(file) === 0), []);
});

test("a crawler reaches every page from the home page", () => {
  const seen = new Set();
  const left = ["/index.html"];
  while (left.length > 0) {
    const file = left.pop();
    if (seen.has(file)) continue;
    seen.add(file);
    const own = (pages.get(file)?.links ?? []).filter((address) => address.startsWith(ORIGIN));
    left.push(...own.map((address) => fileOf(decodeURIComponent(new URL(address).pathname))));
  }
  assert.deepEqual(PAGES.filter((file) => !seen.has(file)), ["/404.html"]);
});

test("the numbered pages have every post once, newest first", async () => {
  const { posts } = await ask("{ posts(first: 100) { nodes { slug } } }");
  const expected = posts.nodes.map(({ slug }) => `${ORIGIN}/posts/${slug}`);
  assert.deepEqual(chain("/index.html"), expected);
  const files = FILES.filter((file) => file.startsWith("/posts/")).map(addressOf);
  assert.deepEqual(files, expected.toSorted());
});

/** The posts of a list, page by page. */
function chain(first) {
  const found = [];
  for (let file = first; file; ) {
    const { posts, next } = pages.get(file);
    found.push(...posts);
    file = next[0] && fileOf(new URL(next[0]).pathname);
  }
  return found;
}

test("the page of each category, tag and author has its posts, and their number", async () => {
  const fields = "nodes { slug postCount posts(first: 100) { nodes { slug } } }";
  const data = await ask(`{ categories(first: 100) { ${fields} } tags(first: 100) { ${fields} } authors(first: 100) { ${fields} } }`);
  for (const [kind, { nodes }] of Object.entries(data)) {
    for (const { slug, postCount, posts } of nodes.filter((term) => term.postCount > 0)) {
      const file = `/${kind}/${slug}.html`;
      assert.match(pages.get(file).counts, new RegExp(`^${postCount} posts?\\b`), file);
      assert.deepEqual(chain(file), posts.nodes.map((post) => `${ORIGIN}/posts/${post.slug}`), file);
      assert.deepEqual(pages.get(file).feeds, ["/feed.xml", `/${kind}/${slug}/feed.xml`], file);
    }
  }
});

test("a post says what it is, with the times and the cover of the API", async () => {
  const { posts } = await ask("{ posts(first: 100) { nodes { slug title canonicalUrl publishedAt authors { name } cover { openGraphImage { width height alt } } } } }");
  for (const { slug, title, canonicalUrl, publishedAt, authors, cover } of posts.nodes) {
    const page = pages.get(`/posts/${slug}.html`);
    const [data] = page.data.map((source) => JSON.parse(source));
    assert.equal(data["@type"], "BlogPosting", slug);
    assert.deepEqual([data.headline, data.url, data.datePublished], [title, canonicalUrl, publishedAt], slug);
    assert.deepEqual(data.author.map(({ name }) => name), authors.map(({ name }) => name), slug);
    assert.deepEqual(page.headings, [title], slug);
    assert.ok(page.times.includes(publishedAt), slug);
    assert.equal("og:image" in page.openGraph, cover !== null, slug);
    if (!cover) continue;
    assert.equal(data.image.length, 1, slug);
    assert.deepEqual(dead(data.image), [], slug);
    const { width, height, alt } = cover.openGraphImage;
    const image = ["type", "width", "height", "alt"].map((part) => page.openGraph[`og:image:${part}`]);
    assert.deepEqual(image, ["image/jpeg", `${width}`, `${height}`, alt ?? ""], slug);
    assert.match(page.openGraph["og:image"], /\/assets\/[0-9a-f]{40}-\d+x\d+-link-\d+\.jpg$/, slug);
  }
  for (const { data } of pages.values()) data.forEach((source) => assert.equal(JSON.parse(source)["@context"], "https://schema.org"));
});

test("a post of a series links to those before and after it", async () => {
  const { allSeries } = await ask("{ allSeries(first: 100) { nodes { name posts(first: 100) { nodes { slug } } } } }");
  assert.ok(allSeries.nodes.some(({ posts }) => posts.nodes.length > 2));
  for (const { posts } of allSeries.nodes) {
    posts.nodes.forEach(({ slug }, place) => {
      const page = pages.get(`/posts/${slug}.html`);
      const beside = [posts.nodes[place - 1], posts.nodes[place + 1]].filter(Boolean);
      for (const other of beside) assert.ok(page.links.includes(`${ORIGIN}/posts/${other.slug}`), `${slug} to ${other.slug}`);
    });
  }
});

test("the posts that are related to a post are below it", async () => {
  const { posts } = await ask("{ posts(first: 100) { nodes { slug related(first: 3) { canonicalUrl } } } }");
  assert.ok(posts.nodes.some(({ related }) => related.length === 3));
  for (const { slug, related } of posts.nodes) {
    assert.deepEqual(pages.get(`/posts/${slug}.html`).related, related.map(({ canonicalUrl }) => canonicalUrl), slug);
  }
});

test("a picture in a body has its size and its widths", () => {
  const [picture, ...others] = pages.get("/handbook/telescopes/agnes.html").pictures;
  assert.deepEqual(others, []);
  assert.deepEqual(picture, ["1200", "630", "lazy", "(min-width: 46rem) 42rem, 100vw"]);
});

test("the handbook is a tree with breadcrumbs", () => {
  const page = pages.get("/handbook/telescopes/agnes.html");
  const [data] = page.data.map((source) => JSON.parse(source));
  const trail = data.itemListElement.map(({ item }) => item);
  assert.deepEqual(trail, ["handbook", "handbook/telescopes", "handbook/telescopes/agnes"].map((path) => `${ORIGIN}/${path}`));
  assert.deepEqual(trail.filter((address) => !page.links.includes(address)), []);
});

test("the feeds name only pages of the site, each the posts of its page", () => {
  assert.ok(FEEDS.includes("/feed.xml") && FEEDS.length > 20, FEEDS.join(" "));
  for (const file of FEEDS) {
    assert.ok(addresses.get(file)?.length > 2, `${file} is not XML, or has no entry`);
    assert.deepEqual(dead(addresses.get(file)), [], file);
  }
});

test("the sitemap names every page but those of lists and of the search, and nothing else", () => {
  const parts = addresses.get("/sitemap.xml");
  assert.deepEqual(dead(parts), []);
  const listed = parts.flatMap((address) => addresses.get(new URL(address).pathname));
  assert.deepEqual(dead(listed), []);
  const isLeftOut = (file) => /\/page\/\d+\.html$|^\/(404|categories|tags|authors|search)\.html$/.test(file);
  assert.deepEqual(listed.toSorted(), PAGES.filter((file) => !isLeftOut(file)).map(addressOf).toSorted());
  assert.match(text("/robots.txt"), new RegExp(`^Sitemap: ${ORIGIN}/sitemap.xml$`, "m"));
});
