// Accessibility of every view: axe finds no violation, in light and dark; no view is wider than a phone; the keyboard can use it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { ask, change, tokenOf, onSite, signIn } from "./setup.js";

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
  ["/posts/none", ".empty"],
  ["/preview/half", ".failed"],
  ["/editor", "#token"],
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
        await eachOfWriters(page, (name) => hasNoViolation(page, name));
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
      await eachOfWriters(page, (name) => isNotWider(page, name));
    },
    { viewport: { width: 360, height: 740 } },
  ));

/** Visits the views of a writer, including a conflict and its merge. */
async function eachOfWriters(page, look) {
  const another = await tokenOf("Another writer", "EDITOR");
  const { id } = await change("createPost", { title: "Two pens", markdown: "One line.\n\nAnother line.", tagSlugs: ["moon"] });
  await signIn(page);
  await page.locator(".post-group li").first().waitFor();
  await look("the desk");
  await page.getByRole("link", { name: "Write a post" }).click();
  await page.getByLabel("Title", { exact: true }).waitFor();
  await page.getByText("Workshop").waitFor();
  await look("a new post");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator(".failed").waitFor();
  await look("a post that was refused");

  await page.goto(`/editor/posts/${id}`);
  await page.getByLabel("Title", { exact: true }).waitFor();
  await page.getByText("Workshop").waitFor();
  await page.getByText("Versions").click();
  await look("the editor");
  await page.getByRole("button", { name: "Make a preview link" }).click();
  await page.getByRole("link", { name: "/preview/" }).waitFor();
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await page.locator(".preview .prose").waitFor();
  await look("the preview in the editor");
  await page.getByRole("button", { name: "Write", exact: true }).click();
  await change("updatePost", { id, expectedVersion: 1, markdown: "One line of theirs.\n\nAnother line." }, another);
  await page.getByLabel("Text", { exact: true }).fill("One line of mine.\n\nAnother line.");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: /Somebody else changed this post/ }).waitFor();
  await look("a conflict");
  await page.getByRole("button", { name: "Merge by hand" }).click();
  await page.getByRole("region", { name: "Their text" }).waitFor();
  await look("a merge by hand");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  await ask("mutation ($id: ID!) { deletePost(input: { id: $id, expectedVersion: 3 }) { deletedId } }", { id });
}

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
