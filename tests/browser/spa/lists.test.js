// Lists of posts: each shows the posts of the API once and in order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, assertLoaded, change, onSite, scrollToEnd, slugsOf, slugsOn } from "./setup.js";

test("scrolling down shows all 24 published posts of the example blog once, in order, and then the end", () =>
  onSite(async (page) => {
    const expected = await slugsOf("LIST");
    assert.equal(expected.length, 24);
    await page.goto("/");
    await page.locator("article").first().waitFor();
    assert.ok((await slugsOn(page)).length < expected.length, "the first page is not all of it");
    await scrollToEnd(page);
    assert.deepEqual(await slugsOn(page), expected);
    assert.equal(await page.locator(".end").textContent(), "That is all of it: 24 posts.");
  }));

test("the posts that have a cover show it, in the list and on their own page", () =>
  onSite(async (page) => {
    const { posts } = await ask("{ posts(first: 100) { nodes { slug cover { alt } } } }");
    const expected = posts.nodes.flatMap(({ slug, cover }) => (cover ? [[slug, cover.alt]] : []));
    assert.ok(expected.length >= 5, "the example blog has covers");
    await page.goto("/");
    await page.locator("article").first().waitFor();
    await scrollToEnd(page);
    const shown = await page.locator("article").evaluateAll((cards) =>
      cards.flatMap((card) => {
        const cover = card.querySelector("img.cover");
        return cover ? [[card.querySelector("h2 a").getAttribute("href").replace("/posts/", ""), cover.alt]] : [];
      }),
    );
    assert.deepEqual(shown, expected);
    const [slug, alt] = expected[0];
    await page.goto(`/posts/${slug}`);
    await assertLoaded(page.getByRole("img", { name: alt }));
    await page.goto("/");
    await assertLoaded(page.getByRole("img", { name: alt }));
  }));

test("the menu of the server is in the foot, and marks the link to the shown page", () =>
  onSite(async (page) => {
    const { site } = await ask("{ site { navigation { label url children { label url } } } }");
    const links = site.navigation.flatMap(({ children, ...item }) => [item, ...children]);
    assert.equal(links.length, 3);
    await page.goto("/authors/zoe-angstrom");
    const menu = page.getByRole("navigation", { name: "Menu" });
    await menu.waitFor();
    const found = (all) => all.map((link) => ({ label: link.textContent, url: link.getAttribute("href") }));
    assert.deepEqual(await menu.getByRole("link").evaluateAll(found), links);
    const current = menu.locator("[aria-current=page]");
    assert.deepEqual(await current.allTextContents(), ["Crew list"]);
    // The foot moves while the list above it is loaded, and a click would miss it.
    await menu.getByRole("link", { name: "Contributions" }).press("Enter");
    await page.waitForURL("**/categories/field-notes");
    await current.and(page.getByText("Contributions")).waitFor();
    assert.equal(await current.count(), 1);
  }));

test("without IntersectionObserver a button loads the next page, and the keyboard focus continues there", () =>
  onSite(async (page) => {
    await page.addInitScript(() => delete window.IntersectionObserver);
    const expected = await slugsOf("LIST");
    await page.goto("/");
    const more = page.getByRole("button", { name: "More posts" });
    await more.waitFor();
    assert.deepEqual(await slugsOn(page), expected.slice(0, 8));
    await more.press("Enter");
    await page.locator("article").nth(15).waitFor();
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement.getAttribute("href"));
    assert.equal(focused, `/posts/${expected[8]}`);
    await more.press("Enter");
    await page.locator(".end").waitFor();
    assert.deepEqual(await slugsOn(page), expected);
  }));

test("the back button and a reload keep the scroll position of the list", () =>
  onSite(async (page) => {
    await page.goto("/");
    await page.locator("article").first().waitFor();
    await scrollToEnd(page);
    const link = page.locator("article h2 a").nth(15);
    await link.scrollIntoViewIfNeeded();
    await page.waitForTimeout(300);
    const place = await page.evaluate(() => window.scrollY);
    assert.ok(place > 1000, `only at ${place}`);
    await link.click();
    await page.locator(".prose p").first().waitFor();
    assert.equal(await page.evaluate(() => window.scrollY), 0);
    await page.goBack();
    await isAt(page, place);
    assert.equal((await slugsOn(page)).length, 24);
    await page.reload();
    await isAt(page, place);
  }));

/** Waits for a scroll position. The browser keeps whole pixels, and a long list needs some time to load. */
function isAt(page, place) {
  return page.waitForFunction((expected) => Math.abs(window.scrollY - expected) <= 2, place);
}

for (const [kind, address, name] of [
  ["tag", "/tags/moon", "Moon"],
  ["category", "/categories/field-notes", "Field Notes"],
  ["author", "/authors/zoe-angstrom", "Zoë Ångström"],
]) {
  test(`a ${kind}'s view has its name and its posts`, () =>
    onSite(async (page) => {
      const slug = address.split("/").at(-1);
      const expected = await slugsOf(`${kind}(slug: "${slug}") { LIST }`);
      assert.ok(expected.length > 2);
      await page.goto(address);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await scrollToEnd(page);
      assert.deepEqual(await slugsOn(page), expected);
    }));
}

test("the archive shows each month with its count and links to the posts of a year and of a month", () =>
  onSite(async (page) => {
    const { archive } = await ask("{ archive { year month postCount } }");
    await page.goto("/archive");
    await page.locator(".years li").first().waitFor();
    const counts = await page.locator(".years li").evaluateAll((items) =>
      items.map((item) => [item.querySelector("a").getAttribute("href"), Number.parseInt(item.querySelector(".count").textContent, 10)]),
    );
    const address = ({ year, month }) => `/archive/${year}/${String(month).padStart(2, "0")}`;
    assert.deepEqual(counts, archive.map((month) => [address(month), month.postCount]));

    await page.getByRole("link", { name: "2024" }).click();
    await page.getByRole("heading", { level: 1, name: "Archive of 2024" }).waitFor();
    assert.equal(await page.locator(".years li").count(), archive.filter(({ year }) => year === 2024).length);
    await page.getByRole("link", { name: "May" }).click();
    await page.getByRole("heading", { level: 1, name: "May 2024" }).waitFor();
    await page.locator(".end").waitFor();
    assert.deepEqual(await slugsOn(page), await slugsOf("archive(year: 2024, month: 5) { LIST }"));
  }));

test("only the tags of published posts can be chosen", () =>
  onSite(async (page) => {
    await change("createPost", { title: "Still a draft", markdown: "It has a tag of its own.", tagSlugs: ["only-in-a-draft"], createMissingTags: true });
    const { tags } = await ask("{ tags(first: 50) { nodes { slug name posts(first: 0) { totalCount } } pageInfo { hasNextPage } } }");
    assert.equal(tags.pageInfo.hasNextPage, false);
    assert.ok(tags.nodes.some(({ slug, posts }) => slug === "only-in-a-draft" && posts.totalCount === 0));
    await page.goto("/filter");
    await page.getByLabel("Moon").waitFor();
    const offered = await page.getByRole("group", { name: "Tags" }).getByRole("checkbox").evaluateAll((found) =>
      found.map((box) => box.labels[0].textContent),
    );
    assert.deepEqual(offered, tags.nodes.filter(({ posts }) => posts.totalCount > 0).map(({ name }) => name));

    await page.goto("/filter?tag=only-in-a-draft&match=all");
    await page.getByRole("checkbox", { name: "only-in-a-draft" }).click();
    await page.getByText("Choose a tag to see its posts.").waitFor();
    assert.equal(await page.getByRole("checkbox", { name: "only-in-a-draft" }).count(), 0);
  }));

test("a filter by two tags gives the posts of the API, for all and for any, and the address contains it", () =>
  onSite(async (page) => {
    const all = await slugsOf('posts(first: 100, filter: { tags: { all: ["deep-sky", "moon"] } }) { nodes { slug } }');
    const any = await slugsOf('posts(first: 100, filter: { tags: { any: ["deep-sky", "moon"] } }) { nodes { slug } }');
    assert.ok(all.length > 0 && any.length > all.length);
    await page.goto("/filter");
    await page.getByText("Choose a tag").waitFor();
    await page.getByLabel("Deep Sky").check();
    await page.getByLabel("Moon").check();
    await page.waitForURL("**/filter?tag=deep-sky&tag=moon&match=all");
    await page.getByText(`That is all of it: ${all.length} posts.`).waitFor();
    assert.deepEqual(await slugsOn(page), all);

    await page.getByLabel("any of them").check();
    await page.waitForURL("**/filter?tag=deep-sky&tag=moon&match=any");
    await scrollToEnd(page);
    assert.deepEqual(await slugsOn(page), any);

    await page.reload();
    await page.locator("article").first().waitFor();
    await scrollToEnd(page);
    assert.deepEqual(await slugsOn(page), any);
    assert.ok(await page.getByLabel("Moon").isChecked());
  }));
