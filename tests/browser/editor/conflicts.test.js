// Two writers edit one post. The rule: the second one to save sees both texts and who saved first, and no typed text is lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, change, hearNothing, onServer, save, signIn, text, tokenOf, written } from "./setup.js";

const BEFORE = "The lamp is lit at dusk.\n\nThe tower has ninety-eight steps.";
const THEIRS = "The lamp is lit at sunset.\n\nThe tower has ninety-eight steps.";
const MINE = "The lamp is lit at dusk, by hand.\n\nThe tower has ninety-eight steps.";

/** Creates a conflict and waits until the page shows both texts: Grace saves first. */
async function meetConflict(page, theirs = { markdown: THEIRS }) {
  const { id } = await change("createPost", { title: "The lamp", markdown: BEFORE, tagSlugs: ["moon"] });
  await signIn(page);
  await page.goto(`/editor/posts/${id}`);
  await text(page).fill(MINE);
  await change("updatePost", { id, expectedVersion: 1, ...theirs }, await tokenOf("Grace's laptop", "EDITOR"));
  await save(page).click();
  await page.getByRole("heading", { name: "Somebody else changed this post while you wrote" }).waitFor();
  return id;
}

async function stored(id) {
  const query = "query ($id: ID!) { node(id: $id) { ... on Post { version title body { markdown } tags { slug } } } }";
  const { version, title, body, tags } = (await ask(query, { id })).node;
  return { version, title, markdown: body.markdown, tags: tags.map(({ slug }) => slug) };
}

test("a conflict names who saved first and what was changed, and shows both texts with their differences marked", () =>
  onServer(async (page) => {
    const id = await meetConflict(page);
    await page.locator(".since").getByText("Grace's laptop").waitFor();
    assert.match(await page.locator(".since").textContent(), /Grace's laptop saved version 2, .*: the excerpt and the text/);
    const clash = page.getByRole("region", { name: "Text" });
    assert.equal(await clash.locator(".theirs").textContent(), THEIRS);
    assert.equal(await clash.locator(".mine").textContent(), MINE);
    const marked = async (side) => (await clash.locator(`.${side} mark`).allTextContents()).join("");
    assert.match(await marked("theirs"), /sunset/);
    assert.match(await marked("mine"), /by hand/);
    assert.equal((await stored(id)).version, 2, "nothing is saved before the writer chooses");
    assert.ok(await page.evaluate(() => document.activeElement.matches("h1")), "the heading has the focus, so that it is read aloud");
  }));

test("keep mine saves mine on their version", () =>
  onServer(async (page) => {
    const id = await meetConflict(page);
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await stored(id), { version: 3, title: "The lamp", markdown: MINE, tags: ["moon"] });
    assert.equal(await written(page), MINE);
  }));

test("keep mine keeps the fields that only they have changed", () =>
  onServer(async (page) => {
    await hearNothing(page);
    const id = await meetConflict(page, { title: "The great lamp", tagSlugs: ["moon", "brass-glass"] });
    await page.getByText("You and they changed different things.").waitFor();
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await stored(id), { version: 3, title: "The great lamp", markdown: MINE, tags: ["moon", "brass-glass"] });
    assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "The great lamp");
  }));

test("keep mine shows the next conflict if a third writer saved first", () =>
  onServer(async (page) => {
    const id = await meetConflict(page);
    await change("updatePost", { id, expectedVersion: 2, markdown: "Third." }, await tokenOf("Ada", "EDITOR"));
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.locator(".since").getByText("Ada").waitFor();
    assert.equal(await page.locator(".clash .theirs").textContent(), "Third.");
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal((await stored(id)).markdown, MINE);
  }));

test("take theirs shows their text and saves nothing, and my text can be restored even after a reload", () =>
  onServer(async (page) => {
    const id = await meetConflict(page);
    await page.getByRole("button", { name: "Take theirs" }).click();
    await text(page).waitFor();
    assert.equal(await written(page), THEIRS);
    assert.equal((await stored(id)).version, 2);
    await page.reload();
    await page.getByRole("button", { name: "Bring my text back" }).click();
    assert.equal(await written(page), MINE);
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await stored(id), { version: 3, title: "The lamp", markdown: MINE, tags: ["moon"] });
  }));

test("a text that was put aside stays through a save and a second take theirs, until it is discarded", () =>
  onServer(async (page) => {
    const id = await meetConflict(page);
    await page.getByRole("button", { name: "Take theirs" }).click();
    await text(page).fill("A second text.");
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Bring my text back" }).waitFor();
    await text(page).fill("A third text.");
    await change("updatePost", { id, expectedVersion: 3, markdown: "Theirs again." }, await tokenOf("Grace's laptop", "EDITOR"));
    await save(page).click();
    await page.getByRole("button", { name: "Take theirs" }).click();
    await page.getByText("2 texts are put aside").waitFor();
    await page.getByRole("button", { name: "Bring my text back" }).click();
    assert.equal(await written(page), "A third text.");
    await page.getByRole("button", { name: "Bring my text back" }).click();
    assert.equal(await written(page), MINE);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Discard what was put aside" }).click();
    await page.getByRole("button", { name: "Bring my text back" }).waitFor({ state: "detached" });
    assert.equal(await written(page), MINE);
  }));

test("merge by hand shows their text beside mine, removes its marks as the text is merged, and saves the result", () =>
  onServer(async (page) => {
    const id = await meetConflict(page);
    await page.getByRole("button", { name: "Merge by hand" }).click();
    const beside = page.getByRole("region", { name: "Their text" });
    await beside.waitFor();
    assert.equal(await written(page), MINE);
    assert.ok((await beside.locator("mark").count()) > 0);
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await beside.waitFor();
    assert.equal(await written(page), MINE, "a reload keeps the merge");
    const merged = "The lamp is lit at sunset.\n\nBy hand.\n\nThe tower has ninety-eight steps.";
    await text(page).fill(merged);
    await page.waitForFunction(() => document.querySelectorAll(".beside mark").length === 0);
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await stored(id), { version: 3, title: "The lamp", markdown: merged, tags: ["moon"] });
    assert.equal(await beside.count(), 0);
  }));

test("a reload keeps the text of a conflict, and saving shows the conflict again", () =>
  onServer(async (page) => {
    const id = await meetConflict(page);
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await text(page).waitFor();
    assert.equal(await written(page), MINE);
    await save(page).click();
    await page.getByRole("heading", { name: "Somebody else changed this post while you wrote" }).waitFor();
    assert.equal((await stored(id)).version, 2);
  }));

test("publishing a post that somebody else has changed shows their text and publishes nothing", () =>
  onServer(async (page) => {
    await hearNothing(page);
    const { id } = await change("createPost", { title: "Not so fast", markdown: BEFORE });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).waitFor();
    await change("updatePost", { id, expectedVersion: 1, markdown: THEIRS }, await tokenOf("Grace's laptop", "EDITOR"));
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Grace's laptop changed this post meanwhile.").waitFor();
    assert.equal(await written(page), THEIRS);
    const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { status } } }", { id });
    assert.equal(node.status, "DRAFT");
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Published.", { exact: true }).waitFor();
  }));
