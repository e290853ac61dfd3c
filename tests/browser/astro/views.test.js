// The main pages in a browser: axe finds no violation, in light and dark; no page is wider than a phone; covers are shown in a width that fits.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { withPage } from "../browser.js";
import { serve } from "./setup.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PICTURES = process.env.TIDINGS_SCREENSHOTS;

const VIEWS = [
  "/",
  "/page/2",
  "/posts/galaxy-at-the-end-of-the-car-park",
  "/posts/why-we-wash-our-html",
  "/posts/a-year-of-small-skies",
  "/handbook",
  "/handbook/a-night-on-duty",
  "/tags/moon",
  "/authors/zoe-angstrom",
  "/authors",
  "/404",
];

const site = await serve();

function onSite(check, options) {
  return withPage({ origins: [site], baseURL: site, ...options }, check);
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no violation in the main pages, ${colorScheme}`, () =>
    onSite(
      async (page) => {
        for (const address of VIEWS) {
          await page.goto(address);
          await page.addScriptTag({ path: AXE });
          const { violations } = await page.evaluate(() => window.axe.run());
          const found = violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary}`));
          assert.deepEqual(found, [], address);
        }
      },
      { colorScheme },
    ));
}

test("no page is wider than a phone", () =>
  onSite(
    async (page) => {
      for (const address of VIEWS) {
        await page.goto(address);
        const { scrollWidth, clientWidth } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return { scrollWidth, clientWidth };
        });
        assert.ok(scrollWidth <= clientWidth, `${address} is ${scrollWidth} wide, the window ${clientWidth}`);
      }
    },
    { viewport: { width: 360, height: 740 } },
  ));

test("the cover of a post is loaded in the width that it is shown in", () =>
  onSite(
    async (page) => {
      await page.goto("/posts/galaxy-at-the-end-of-the-car-park");
      const cover = page.locator("article > .cover");
      const { current, ratio } = await cover.evaluate(async (image) => {
        await image.decode();
        return { current: image.currentSrc, ratio: image.width / image.height };
      });
      assert.match(current, /-960\.jpg$/);
      assert.ok(Math.abs(ratio - 1200 / 630) < 0.02, String(ratio));
    },
    { viewport: { width: 1280, height: 900 } },
  ));

test("a screenshot for the README", { skip: PICTURES ? false : "TIDINGS_SCREENSHOTS names no folder" }, () =>
  onSite(
    async (page) => {
      await page.goto("/");
      await page.locator(".lead .cover").evaluate((image) => image.decode());
      await page.screenshot({ path: join(PICTURES, "astro-home-light.png") });
    },
    { viewport: { width: 1280, height: 860 } },
  ));
