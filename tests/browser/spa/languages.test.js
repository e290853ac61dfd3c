// A site in three languages: posts lead to their published translations, are written in their direction, and each language has its list and its feed.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ask, onSite, SITE, slugsOn } from "./setup.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const VIEWS = ["/", "/languages/ar", "/languages/de", "/posts/mawaid-al-shita", "/posts/caferegeln", "/tags/cafe"];

/** What the head names by `hreflang`, by language. */
function alternates(page) {
  return page.evaluate(() => Object.fromEntries([...document.head.querySelectorAll("link[hreflang]")].map((link) => [link.hreflang, link.href])));
}

function languagesOf(page) {
  return page.getByRole("navigation", { name: "Languages", exact: true });
}

test("the switch leads to each translation and back, and the head names all of them", () =>
  onSite(async (page) => {
    const { post } = await ask('{ post(slug: "opening-hours") { canonicalUrl translations { language canonicalUrl } } }');
    const translations = Object.fromEntries(post.translations.map(({ language, canonicalUrl }) => [language, canonicalUrl]));
    const expected = { en: post.canonicalUrl, ...translations, "x-default": post.canonicalUrl };
    assert.equal(Object.keys(expected).length, 4);
    await page.goto("/posts/opening-hours");
    const steps = [["Deutsch", "de", "ltr", "Öffnungszeiten im Winter"], ["العربية", "ar", "rtl", "مواعيد العمل في الشتاء"], ["English", "en", "ltr", "Winter Opening Hours"]];
    for (const [name, language, direction, title] of steps) {
      await languagesOf(page).getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
      await page.locator(`article[lang=${language}][dir=${direction}]`).waitFor();
      assert.deepEqual(await languagesOf(page).locator("[aria-current=page]").allTextContents(), [name]);
      assert.deepEqual(await alternates(page), expected, title);
    }
  }));

test("a translation that is a draft is not named", () =>
  onSite(async (page) => {
    await page.goto("/posts/caferegeln");
    await languagesOf(page).waitFor();
    assert.deepEqual(await languagesOf(page).getByRole("link").allTextContents(), ["English", "Deutsch"]);
  }));

test("each language has a list of its posts and a feed; the home page has those in the language of the site", () =>
  onSite(async (page) => {
    for (const [language, address] of [["en", "/"], ["ar", "/languages/ar"], ["de", "/languages/de"]]) {
      const { posts } = await ask("query ($of: [String!]) { posts(first: 100, filter: { languages: $of }) { nodes { slug } } }", { of: [language] });
      await page.goto(address);
      await page.locator("article").first().waitFor();
      assert.deepEqual(await slugsOn(page), posts.nodes.map(({ slug }) => slug), address);
      assert.deepEqual(await languagesOf(page).getByRole("link").allTextContents(), ["English", "العربية", "Deutsch"]);
      const named = { en: "https://blog.example/", ar: "https://blog.example/languages/ar", de: "https://blog.example/languages/de" };
      assert.deepEqual(await alternates(page), { ...named, "x-default": named.en });
      const feed = await page.getByRole("link", { name: "Feed" }).getAttribute("href");
      assert.equal(feed, `/languages/${language}/feed.xml`);
      const entries = (await (await page.request.get(SITE + feed)).text()).match(/<entry/g);
      assert.equal(entries.length, posts.nodes.length);
    }
    await page.goto("/languages/none");
    await page.getByRole("heading", { level: 1, name: "Not here" }).waitFor();
  }));

test("the neighbours of a post are in its language", () =>
  onSite(async (page) => {
    await page.goto("/posts/caferegeln");
    const links = page.getByRole("navigation", { name: "Neuere und ältere Beiträge" }).getByRole("link");
    await links.getByText("Öffnungszeiten im Winter").waitFor();
    const addresses = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    assert.deepEqual(addresses, ["/posts/oeffnungszeiten", "/posts/leuchtturm-gekauft"]);
  }));

for (const colorScheme of ["light", "dark"]) {
  test(`text that is written from right to left begins on the right, and axe finds no violation, ${colorScheme}`, () =>
    onSite(
      async (page) => {
        for (const address of VIEWS) {
          await page.goto(address);
          await page.locator("article").first().waitFor();
          const { first, width, content } = await page.evaluate(() => {
            const letter = document.createRange();
            letter.setStart(document.querySelector("h1").firstChild, 0);
            letter.setEnd(document.querySelector("h1").firstChild, 1);
            const { clientWidth, scrollWidth } = document.documentElement;
            return { first: letter.getBoundingClientRect().left, width: clientWidth, content: scrollWidth };
          });
          assert.equal(first > width / 2, ["/languages/ar", "/posts/mawaid-al-shita"].includes(address), `${address} begins at ${first}`);
          assert.ok(content <= width, `${address} is ${content} wide, the window ${width}`);
          await page.addScriptTag({ path: AXE });
          const { violations } = await page.evaluate(() => window.axe.run());
          assert.deepEqual(violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}: ${node.failureSummary}`)), [], address);
        }
      },
      { colorScheme, viewport: { width: 360, height: 740 } },
    ));
}
