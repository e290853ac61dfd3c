// What was typed is not lost: without a connection, after a crash, and with two windows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, change, onServer, save, signIn, text, written } from "./setup.js";

const OFFLINE = { tolerated: [/ERR_INTERNET_DISCONNECTED/] };

async function stored(id) {
  const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { version body { markdown } } } }", { id });
  return [node.version, node.body.markdown];
}

test("text that is typed without a connection is kept, survives a reload, and is saved when the connection is back", () =>
  onServer(async (page, context) => {
    const { id } = await change("createPost", { title: "On the ferry", markdown: "Ashore." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).waitFor();
    await context.setOffline(true);
    await text(page).fill("At sea.");
    await save(page).click();
    await page.getByRole("heading", { name: "The server is out of reach" }).waitFor();
    assert.equal(await written(page), "At sea.");
    assert.deepEqual(await stored(id), [1, "Ashore."]);
    await context.setOffline(false);
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    assert.equal(await written(page), "At sea.");
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await stored(id), [2, "At sea."]);
  }, OFFLINE));

test("text of a window that has crashed is in the next window", () =>
  onServer(async (page, context) => {
    await signIn(page);
    await page.goto("/editor/new");
    await page.getByLabel("Title", { exact: true }).fill("Before the crash");
    await text(page).fill("All of it.");
    await page.getByText("Not saved yet.").waitFor();
    // Without the events of a page that is left.
    await page.close({ runBeforeUnload: false });
    const next = await context.newPage();
    await next.goto("/editor");
    await next.getByRole("link", { name: "Go on with the new post" }).click();
    assert.equal(await written(next), "All of it.");
    assert.equal(await next.getByLabel("Title", { exact: true }).inputValue(), "Before the crash");
    await save(next).click();
    await next.getByText("Saved as a draft.").waitFor();
    await next.goto("/editor");
    await next.getByRole("link", { name: "Write a post" }).waitFor();
  }));

test("the second of two windows that saves gets the conflict, and both texts are shown", () =>
  onServer(async (page, context) => {
    const { id } = await change("createPost", { title: "Two windows", markdown: "Start." });
    await signIn(page);
    const other = await context.newPage();
    for (const window of [page, other]) {
      await window.goto(`/editor/posts/${id}`);
      await text(window).waitFor();
    }
    await text(page).fill("Of the first window.");
    await text(other).fill("Of the second window.");
    await save(other).click();
    await other.getByText("Saved.", { exact: true }).waitFor();
    await save(page).click();
    await page.getByRole("heading", { name: "Somebody else changed this post while you wrote" }).waitFor();
    assert.equal(await page.locator(".clash .theirs").textContent(), "Of the second window.");
    assert.equal(await page.locator(".clash .mine").textContent(), "Of the first window.");
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await stored(id), [3, "Of the first window."]);
  }));

test("a duplicated window has a text of its own, and the first one keeps its", () =>
  onServer(async (page, context) => {
    const { id } = await change("createPost", { title: "Duplicated", markdown: "Start." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).fill("Of the first window.");
    await page.getByText("Not saved yet.").waitFor();
    // The new window gets a copy of sessionStorage, as a duplicated one does.
    const [other] = await Promise.all([context.waitForEvent("page"), page.evaluate(() => void window.open(window.location.href))]);
    assert.equal(await written(other), "Of the first window.");
    await page.waitForFunction(() => Object.keys(window.localStorage).filter((name) => name.startsWith("tidings.text.")).length === 2);
    await text(other).fill("Of the second window.");
    await save(other).click();
    await other.getByText("Saved.", { exact: true }).waitFor();
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    assert.equal(await written(page), "Of the first window.");
  }));

test("a kept text that is damaged is ignored, and one of an earlier editor is read", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Kept long ago", markdown: "Stored." });
    await signIn(page);
    page.on("dialog", (dialog) => dialog.accept());
    for (const [kept, shown] of [
      ["{", "Stored."],
      ["null", "Stored."],
      ['{"values": 1}', "Stored."],
      ['{"version": 1, "values": {"title": "Kept long ago", "markdown": "Kept.", "tagSlugs": "x", "metadata": 5}, "aside": null}', "Kept."],
    ]) {
      await page.evaluate(([name, value]) => window.localStorage.setItem(name, value), [`tidings.text.${id}\nof another window`, kept]);
      await page.goto(`/editor/posts/${id}`);
      assert.equal(await written(page), shown, kept);
      await page.goto("/editor");
      await page.evaluate(() => Object.keys(window.localStorage).forEach((name) => name.startsWith("tidings.text.") && window.localStorage.removeItem(name)));
    }
  }));

test("the editor works on an address that the browser does not take for secure", () =>
  onServer(async (page) => {
    // What browsers lack there.
    await page.addInitScript(() => {
      for (const [owner, name] of [[Crypto.prototype, "randomUUID"], [Navigator.prototype, "clipboard"], [Navigator.prototype, "locks"]]) delete owner[name];
    });
    await signIn(page);
    assert.equal(await page.evaluate(() => typeof crypto.randomUUID), "undefined");
    await page.getByRole("link", { name: "Write a post" }).click();
    await page.getByLabel("Title", { exact: true }).fill("By plain http");
    await save(page).click();
    await page.getByText("Saved as a draft.").waitFor();
  }));
