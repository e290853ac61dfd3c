// Accessibility of every view: axe finds no violation, in light and dark; no view is wider than a phone; the keyboard can use it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RED, ask, change, hasNoViolation, isNotWider, onServer, save, signIn, text, tokenOf, written } from "./setup.js";

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no violation in any view, ${colorScheme}`, () =>
    onServer((page) => eachView(page, (name) => hasNoViolation(page, name)), { colorScheme, reducedMotion: "reduce" }));
}

test("no view is wider than a phone", () =>
  onServer((page) => eachView(page, (name) => isNotWider(page, name)), { viewport: { width: 360, height: 740 } }));

/** Visits every view, including a conflict and its merge. */
async function eachView(page, look) {
  const another = await tokenOf("Another writer", "EDITOR");
  const { id } = await change("createPost", { title: "Two pens", markdown: "One line.\n\nAnother line.", tagSlugs: ["moon"] });
  await page.goto("/editor");
  await page.locator("#token").waitFor();
  await look("the sign-in");
  await page.goto("/editor/preview#half");
  await page.locator(".failed").waitFor();
  await look("an incomplete preview link");
  await signIn(page);
  await page.locator(".post-group li").first().waitFor();
  await look("the desk");
  for (const [address, there] of [
    ["/editor/posts?list=published", ".items li"],
    ["/editor/pages", ".items li"],
    ["/editor/media", ".library img"],
    ["/editor/terms/categories", ".items li"],
    ["/editor/admin/tokens", ".items li"],
    ["/editor/admin/webhooks", ".empty"],
    ["/editor/admin/audit-log", ".log li"],
    ["/editor/none", ".empty"],
    ["/editor/pages/new", ".cm-line"],
  ]) {
    await page.goto(address);
    await page.locator(there).first().waitFor();
    await look(address);
  }
  await page.goto("/editor/posts?list=published");
  await page.getByRole("searchbox").fill("telescpe");
  await page.locator(".part mark").first().waitFor();
  await look("a search with a suggestion");
  await page.getByRole("searchbox").fill("qqqqzzzz");
  await page.getByText("Nothing has these words.").waitFor();
  await look("a search without results");

  await page.goto("/editor/new");
  await text(page).waitFor();
  await page.getByText("Workshop").waitFor();
  await look("a new post");
  await page.getByRole("button", { name: "Picture or file" }).click();
  await page.locator("dialog .library img").first().waitFor();
  await look("the library in a dialog");
  await page.locator("dialog input[type=file]").setInputFiles(RED);
  await page.getByLabel("What the picture shows").waitFor();
  await look("a picture to upload");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await save(page).click();
  await page.locator(".failed").waitFor();
  await look("a post that was refused");

  await page.goto(`/editor/posts/${id}`);
  await text(page).waitFor();
  await page.getByText("Workshop").waitFor();
  await page.getByText("Versions").click();
  await look("a draft");
  await page.getByRole("button", { name: "Make a preview link" }).click();
  await page.getByRole("link", { name: "/editor/preview" }).waitFor();
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await page.locator(".preview .prose").waitFor();
  await look("its preview");
  await page.getByRole("button", { name: "Write", exact: true }).click();
  await text(page).fill("One line of mine.\n\nAnother line.");
  await change("updatePost", { id, expectedVersion: 1, markdown: "One line of theirs.\n\nAnother line." }, another);
  await save(page).click();
  await page.getByRole("heading", { name: /Somebody else changed this post/ }).waitFor();
  await look("a conflict");
  await page.getByRole("button", { name: "Merge by hand" }).click();
  await page.getByRole("region", { name: "Their text" }).waitFor();
  await look("a merge by hand");
  await save(page).click();
  await page.getByText("Saved.").waitFor();
  await page.getByText("Versions").click();
  await page.getByRole("button", { name: "Compare version 1" }).click();
  await page.locator(".marked.all del, .marked.all ins").first().waitFor();
  await look("a comparison of versions");
  await ask("mutation ($id: ID!) { deletePost(input: { id: $id, expectedVersion: 3 }) { deletedId } }", { id });
}

test("on a phone, a draft is saved and published by buttons that are always in the window", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Out of a pocket", markdown: "A line.\n\n".repeat(200) });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).waitFor();
    for (const y of [0, 2000]) {
      await page.evaluate((to) => window.scrollTo(0, to), y);
      for (const button of [save(page), page.getByRole("button", { name: "Publish now" })]) {
        const { x, y: top, width, height } = await button.boundingBox();
        assert.ok(x >= 0 && x + width <= 360 && top >= 0 && top + height <= 740, JSON.stringify({ x, top, width, height }));
      }
    }
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Published.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish now" }).waitFor({ state: "detached" });
  }, { viewport: { width: 360, height: 740 } }));

test("a post is written and saved with the keyboard alone", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Write a post" }).press("Enter");
    await page.getByLabel("Title", { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.id), "main", "the focus is at the start of the new view");
    await page.keyboard.press("Tab");
    await page.keyboard.type("By key");
    await text(page).waitFor();
    await text(page).focus();
    await page.keyboard.type("A ");
    await page.keyboard.press("ControlOrMeta+b");
    await page.keyboard.type("bold");
    await page.keyboard.press("ControlOrMeta+ArrowRight");
    await page.keyboard.press("End");
    await page.keyboard.type(" word");
    assert.equal(await written(page), "A **bold** word");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.closest(".markdown")), null, "Tab leaves the field");
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByText("Saved as a draft.").waitFor();
  }));

test("the first view loads less than 150 kB of scripts, and not the field for Markdown", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.locator(".post-group li").first().waitFor();
    const scripts = () =>
      page.evaluate(() => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js")).map(({ name, encodedBodySize }) => [name, encodedBodySize]));
    const first = await scripts();
    assert.ok(first.length > 0);
    assert.ok(first.every(([, size]) => size > 0) && first.reduce((sum, [, size]) => sum + size, 0) < 150_000, JSON.stringify(first));
    await page.getByRole("link", { name: "Write a post" }).click();
    await text(page).waitFor();
    const later = (await scripts()).map(([name]) => name).filter((name) => !first.some(([other]) => other === name));
    assert.ok(later.some((name) => name.includes("markdown-editor")), JSON.stringify(later));
  }));
