// The view of a post, missing pages, and error messages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, onSite } from "./setup.js";

const POST = `query ($slug: String!) { post(slug: $slug) {
  title body { text readingMinutes } authors { name } categories { name } tags { name } newer { slug title } older { slug title }
} }`;

test("a post has its text, authors, categories, tags, reading time, and the newer and the older post", () =>
  onSite(async (page) => {
    const { post } = await ask(POST, { slug: "copper-moon-at-breakfast" });
    await page.goto("/posts/copper-moon-at-breakfast");
    await page.getByRole("heading", { level: 1, name: post.title }).waitFor();
    assert.equal(await page.title(), `${post.title} · The Lighthouse Log`);
    for (const { name } of [...post.authors, ...post.categories, ...post.tags]) {
      await page.locator(".whole").getByRole("link", { name, exact: true }).waitFor();
    }
    await page.getByText(`${post.body.readingMinutes} minutes to read`).waitFor();
    const words = (text) => text.replace(/\s+/g, " ").trim();
    assert.equal(words(await page.locator(".prose").textContent()), words(post.body.text));

    const nav = page.getByRole("navigation", { name: "Newer and older posts" });
    await nav.getByRole("link", { name: `Newer ${post.newer.title}` }).press("Enter");
    await page.waitForURL(`**/posts/${post.newer.slug}`);
    await nav.getByRole("link", { name: `Older ${post.title}` }).press("Enter");
    await nav.getByRole("link", { name: `Older ${post.older.title}` }).press("Enter");
    await page.getByRole("heading", { level: 1, name: post.older.title }).waitFor();
  }));

test("a post runs no script, because the server has sanitized its HTML", () =>
  onSite(async (page) => {
    page.on("dialog", (dialog) => assert.fail(`the post said ${dialog.message()}`));
    await page.goto("/posts/why-we-wash-our-html");
    await page.locator(".prose kbd").first().waitFor();
    assert.equal(await page.locator(".prose script, .prose [onclick], .prose a[href^='javascript']").count(), 0);
    await page.getByText("ordinary-looking phrase").click();
    await page.locator(".prose").getByText("this link").click();
  }));

test("a post with several headings has a table of contents, whose links go to the headings", () =>
  onSite(async (page) => {
    const { post } = await ask("query ($slug: String!) { post(slug: $slug) { body { headings { text anchor } } } }", {
      slug: "copper-moon-at-breakfast",
    });
    await page.goto("/posts/copper-moon-at-breakfast");
    const contents = page.getByRole("navigation", { name: "On this page" });
    await page.getByText("On this page").click();
    const links = await contents.getByRole("link").all();
    const shown = await Promise.all(links.map(async (link) => ({ text: await link.textContent(), anchor: (await link.getAttribute("href")).slice(1) })));
    assert.deepEqual(shown, post.body.headings);
    const last = post.body.headings.at(-1);
    const isInView = (anchor) => {
      const { top } = document.getElementById(anchor)?.getBoundingClientRect() ?? { top: -1 };
      return top >= 0 && top < window.innerHeight;
    };
    await contents.getByRole("link", { name: last.text }).click();
    await page.waitForURL(`**/copper-moon-at-breakfast#${last.anchor}`);
    await page.waitForFunction(isInView, last.anchor);
    await page.goto("/archive");
    await page.goto(`/posts/copper-moon-at-breakfast#${last.anchor}`);
    await page.waitForFunction(isInView, last.anchor);
    await page.goto("/archive");
    await page.goto("/posts/copper-moon-at-breakfast#%E0%A4%A");
    await page.locator(".prose").getByRole("heading", { name: last.text }).waitFor();
    await page.goto("/posts/first-light");
    await page.locator(".prose").waitFor();
    assert.equal(await page.getByText("On this page").count(), 0, "it has few headings");
  }));

test("the head of a page describes it, for search engines and for links in messages", () =>
  onSite(async (page) => {
    const head = (selector, attribute) => page.evaluate(([of, name]) => document.head.querySelector(of)?.getAttribute(name) ?? null, [selector, attribute]);
    const { post } = await ask("query ($slug: String!) { post(slug: $slug) { title excerpt canonicalUrl } }", { slug: "copper-moon-at-breakfast" });
    await page.goto("/posts/copper-moon-at-breakfast");
    await page.getByRole("heading", { level: 1, name: post.title }).waitFor();
    assert.equal(await head('meta[name="description"]', "content"), post.excerpt);
    assert.equal(await head('meta[property="og:title"]', "content"), post.title);
    assert.equal(await head('meta[property="og:type"]', "content"), "article");
    assert.equal(await head('link[rel="canonical"]', "href"), "https://blog.example/posts/copper-moon-at-breakfast");
    assert.equal(post.canonicalUrl, "https://blog.example/posts/copper-moon-at-breakfast");
    await page.getByRole("link", { name: "Feed" }).waitFor();
    assert.equal(await head('link[rel="alternate"]', "href"), "/feed.xml");
    await page.getByRole("link", { name: "The Lighthouse Log" }).first().click();
    await page.locator("article").first().waitFor();
    assert.equal(await head('meta[property="og:type"]', "content"), "website");
    assert.equal(await page.locator("[hreflang]").count(), 0, "the site has one language");
    assert.equal(await page.locator('head meta[name="description"]').count(), 1);
    assert.equal(await head('link[rel="canonical"]', "href"), null, "it is that of the post");
    const feed = await page.request.get(await page.getByRole("link", { name: "Feed" }).getAttribute("href"));
    assert.match(await feed.text(), /<title>blog\.example<\/title>/);
  }));

test("the drawings of the example blog are shown, in the post and in a preview of it", () =>
  onSite(async (page) => {
    const { post } = await ask('{ post(slug: "first-light") { id } }');
    const made = await ask("mutation ($id: ID!) { createPreview(input: { contentId: $id }) { preview { token } } }", { id: post.id });
    for (const address of ["/posts/first-light", `/preview/first-light#${made.createPreview.preview.token}`]) {
      await page.goto(address);
      const image = page.locator(".prose img").first();
      await image.scrollIntoViewIfNeeded();
      await page.waitForFunction((drawn) => drawn.complete && drawn.naturalWidth > 0, await image.elementHandle());
    }
  }));

test("an old slug shows the post, and the address becomes the current one", () =>
  onSite(async (page) => {
    await page.goto("/archive");
    await page.getByRole("heading", { name: "Archive" }).waitFor();
    await page.goto("/posts/how-to-find-us");
    await page.getByRole("heading", { level: 1, name: "Winter Opening Hours" }).waitFor();
    await page.waitForURL("**/posts/opening-hours");
    await page.goBack();
    await page.waitForURL("**/archive");
  }));

for (const address of ["/posts/none", "/tags/none", "/categories/none", "/authors/none", "/archive/1999", "/none", "/posts/%E0%A4%A"]) {
  test(`${address} says that the page does not exist`, () =>
    onSite(async (page) => {
      await page.goto(address);
      await page.getByRole("heading", { level: 1, name: "Not here" }).waitFor();
      await page.getByRole("main").getByRole("link", { name: "The latest posts" }).click();
      await page.locator("article").first().waitFor();
    }));
}

test("a failure is described in plain words with its code, and a retry works", () =>
  onSite(
    async (page) => {
      const body = JSON.stringify({ data: null, errors: [{ message: "the storage", extensions: { code: "UNAVAILABLE" } }] });
      await page.route("**/graphql", (route) => route.fulfill({ status: 503, contentType: "application/graphql-response+json", body }));
      await page.goto("/");
      await page.getByRole("alert").getByRole("heading", { name: "The storage is out of reach" }).waitFor();
      await page.getByText("UNAVAILABLE").waitFor();
      await page.unroute("**/graphql");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.locator("article").first().waitFor();

      await page.route("**/graphql", (route) => route.abort());
      await page.getByRole("link", { name: "Archive" }).click();
      await page.getByRole("heading", { name: "The server is out of reach" }).waitFor();
      await page.unroute("**/graphql");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { level: 1, name: "Archive" }).waitFor();
    },
    { tolerated: [/Failed to load resource/] },
  ));

test("a second preview link in the same tab is read with its own token, and the skip link keeps it", () =>
  onSite(
    async (page) => {
      const { post } = await ask('{ post(slug: "first-light") { id title } }');
      const made = await ask("mutation ($id: ID!) { createPreview(input: { contentId: $id }) { preview { token } } }", { id: post.id });
      const shown = page.getByRole("heading", { level: 1, name: post.title });
      await page.goto("/preview/first-light#tdp_invalid");
      await page.getByText("BAD_PREVIEW").waitFor();
      await page.goto(`/preview/first-light#${made.createPreview.preview.token}`);
      await shown.waitFor();
      await page.locator("a.skip").focus();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/preview/first-light#main");
      await shown.waitFor();
      assert.equal(await page.getByText("BAD_PREVIEW").count(), 0);
      await page.goto("/preview/first-light#tdp_invalid");
      await page.getByText("BAD_PREVIEW").waitFor();
    },
    { tolerated: [/status of 401/] },
  ));

test("an incomplete preview link is reported", () =>
  onSite(async (page) => {
    await page.goto("/preview/half");
    await page.getByRole("heading", { name: "This preview link is incomplete" }).waitFor();
    await page.getByText("BAD_PREVIEW").waitFor();
  }));

test("the layout does not shift while a list or a post loads", () =>
  onSite(async (page) => {
    await page.addInitScript(() => {
      window.shifts = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    for (const [address, there] of [["/", "article"], ["/posts/first-light", ".prose p"], ["/tags/moon", "article"]]) {
      await page.goto(address);
      await page.locator(there).first().waitFor();
      await page.evaluate(() => document.fonts.ready);
      await page.waitForTimeout(500);
      const shifts = await page.evaluate(() => window.shifts);
      assert.ok(shifts < 0.02, `${address} moved by ${shifts}`);
    }
  }));
