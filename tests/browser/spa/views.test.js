// Accessibility of every view: axe finds no violation, in light and dark; no view is wider than a phone; the keyboard can use it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { onSite } from "./setup.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

// Each address with an element that the loaded view has.
const PUBLIC = [
  ["/", "article"],
  ["/posts/opening-hours", ".prose table"],
  ["/posts/why-we-wash-our-html", ".prose pre"],
  ["/posts/a-year-of-small-skies", ".prose table"],
  ["/tags/moon", "article"],
  ["/categories/field-notes", "article"],
  ["/authors/zoe-angstrom", "article"],
  ["/archive", ".years li"],
  ["/archive/2024/05", "article"],
  ["/filter?tag=moon&tag=deep-sky&match=any", "article"],
  ["/filter?tag=moon&tag=none&match=all", ".empty"],
  ["/search", ".empty"],
  ["/search?q=moon", "article mark"],
  ["/search?q=telescpe", ".suggestion"],
  ["/search?q=qqqqzzzz", ".found ~ .empty"],
  ["/posts/none", ".empty"],
  ["/preview/half", ".failed"],
];

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no violation in any view, ${colorScheme}`, () =>
    onSite(
      async (page) => {
        for (const [address, there] of PUBLIC) {
          await page.goto(address);
          await page.locator(there).first().waitFor();
          await hasNoViolation(page, address);
        }
      },
      { colorScheme },
    ));
}

test("no view is wider than a phone", () =>
  onSite(
    async (page) => {
      for (const [address, there] of PUBLIC) {
        await page.goto(address);
        await page.locator(there).first().waitFor();
        await isNotWider(page, address);
      }
    },
    { viewport: { width: 360, height: 740 } },
  ));

async function hasNoViolation(page, name) {
  await page.addScriptTag({ path: AXE });
  const { violations } = await page.evaluate(() => window.axe.run());
  const found = violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary}`));
  assert.deepEqual(found, [], name);
}

async function isNotWider(page, name) {
  const { content, window: width } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(content <= width, `${name} is ${content} wide, the window ${width}`);
}

test("after a link, the keyboard focus is at the start of the new view, and a link skips to the text", () =>
  onSite(async (page) => {
    await page.goto("/");
    await page.locator("article").first().waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the text");
    const link = page.locator("article h2 a").first();
    await link.focus();
    const outline = await link.evaluate((element) => getComputedStyle(element).outlineStyle);
    assert.equal(outline, "solid");
    await page.keyboard.press("Enter");
    await page.locator(".prose p").first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.keyboard.press("Tab");
    const inMain = await page.evaluate(() => document.activeElement.closest("main") !== null);
    assert.ok(inMain);
  }));
