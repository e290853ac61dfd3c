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
