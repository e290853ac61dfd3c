// Moves in the tree of pages, by keyboard and by dragging. The rule: each test has pages of its own, and compares the tree with the API.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, hasNoViolation, onServer, signIn, tokenOf } from "./setup.js";

/** Pages below one of their own, in the order of their titles; returns the path of that one. */
async function pagesBelow(path, titles, orders = []) {
  const create = "mutation ($input: CreatePageInput!) { createPage(input: $input) { page { id } userErrors { message } } }";
  const all = [[path, `All of ${path}`, null], ...titles.map((title, place) => [`${path}/${title.toLowerCase()}`, title, orders[place] ?? null])];
  for (const [at, title, order] of all) {
    const { userErrors } = (await ask(create, { input: { path: at, title, order, markdown: "", publish: true } })).createPage;
    assert.deepEqual(userErrors, []);
  }
  return path;
}

/** The titles, positions and versions of the pages below one. */
async function below(path) {
  const { pages } = await ask("query ($path: String) { pages(parentPath: $path, first: 100) { nodes { title order version } } }", { path });
  return pages.nodes.map(({ title, order, version }) => [title, order, version]);
}

async function openTree(page, path) {
  await signIn(page);
  await page.goto("/editor/pages");
  await page.getByRole("button", { name: `Show the pages below All of ${path}` }).click();
}

const rows = (page, path) => page.locator(".items > li").filter({ has: page.locator(`:scope > a:text-is("All of ${path}")`) }).locator(".below > .items > li");

test("pages are put in order by keyboard, each move changes as few pages as possible, and the focus stays", () =>
  onServer(async (page) => {
    const path = await pagesBelow("ordered", ["Apple", "Birch", "Cedar", "Dogwood"], [1, 2, 50]);
    await openTree(page, path);
    await page.getByRole("button", { name: "Move Cedar" }).focus();
    await page.keyboard.press("Enter");
    const buttons = page.getByRole("group", { name: "Move Cedar" });
    await buttons.getByRole("button", { name: "Up" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("status").getByText("“Cedar” is number 2 of 4 now.").waitFor();
    const moved = [["Apple", 1, 1], ["Cedar", 101, 2], ["Birch", 201, 2], ["Dogwood", null, 1]];
    assert.deepEqual(await below(path), moved);
    await rows(page, path).nth(1).getByRole("link", { name: "Cedar" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "up");
    await hasNoViolation(page, "a page that is moved");
    await buttons.getByRole("button", { name: "Down" }).click();
    await page.getByRole("status").getByText("“Cedar” is number 3 of 4 now.").waitFor();
    assert.deepEqual(await below(path), [moved[0], moved[2], ["Cedar", 301, 3], moved[3]], "with gaps, one page changes");
    await buttons.getByRole("button", { name: "Down" }).click();
    await page.getByRole("status").getByText("“Cedar” is number 4 of 4 now.").waitFor();
    await buttons.getByRole("button", { name: "Down" }).click();
    await page.getByRole("status").getByText("“Cedar” cannot go further.").waitFor();
    assert.deepEqual((await below(path)).map(([title]) => title), ["Apple", "Birch", "Dogwood", "Cedar"]);
  }));

test("a move that changes two pages is shown, even if the list was read between its changes", () =>
  onServer(async (page) => {
    const path = await pagesBelow("slow", ["Apple", "Birch", "Cedar"], [1, 2, 50]);
    await openTree(page, path);
    const said = page.getByRole("status").getByText("“Cedar” is number 2 of 3 now.");
    let changes = 0;
    let reads = 0;
    let read;
    const isRead = new Promise((resolve) => (read = resolve));
    await page.route("**/graphql", async (route) => {
      const { query, variables } = route.request().postDataJSON();
      if (query.includes("updatePage") && ++changes === 2) await isRead;
      const answer = await route.fetch();
      if (changes > 0 && query.includes("PublishedPages") && variables.parent === path && ++reads === 1) {
        read();
        await said.waitFor();
      }
      await route.fulfill({ response: answer });
    });
    await page.getByRole("button", { name: "Move Cedar" }).click();
    await page.getByRole("button", { name: "Up" }).click();
    await rows(page, path).nth(1).getByRole("link", { name: "Cedar" }).waitFor();
    assert.deepEqual([changes, reads], [2, 2]);
  }));

test("a page is moved below another one and out again by keyboard, and its group of buttons goes with it", () =>
  onServer(async (page) => {
    const path = await pagesBelow("nested", ["Attic", "Cellar"]);
    await openTree(page, path);
    await page.getByRole("button", { name: "Move Attic" }).click();
    await page.getByRole("button", { name: "Below the one before" }).click();
    await page.getByRole("status").getByText("No page is before “Attic”.").waitFor();
    await page.getByRole("button", { name: "Move Cellar" }).click();
    await page.getByRole("button", { name: "Below the one before" }).click();
    await page.getByRole("status").getByText("“Cellar” is at /nested/attic/cellar now.").waitFor();
    await rows(page, path).locator(".below").getByRole("link", { name: "Cellar" }).waitFor();
    // Until the level above is read again, it has the page too.
    await rows(page, path).locator(".below").getByRole("button", { name: "Out of the one above" }).click();
    await page.getByRole("status").getByText("“Cellar” is at /nested/cellar now.").waitFor();
    assert.deepEqual((await below(path)).map(([title]) => title), ["Attic", "Cellar"]);
  }));

test("pages are dragged beside and below each other, and never below themselves", () =>
  onServer(async (page) => {
    const path = await pagesBelow("dragged", ["Elm", "Fir", "Gorse"]);
    await openTree(page, path);
    const row = (title) => rows(page, path).filter({ has: page.locator(`:scope > a:text-is("${title}")`) });
    const drag = async (title, to, part) => {
      const { height } = await row(to).boundingBox();
      await row(title).dragTo(row(to), { sourcePosition: { x: 8, y: 8 }, targetPosition: { x: 8, y: height * part } });
    };
    await row("Gorse").waitFor();
    await drag("Gorse", "Elm", 0.1);
    await page.getByRole("status").getByText("“Gorse” is number 1 of 3 now.").waitFor();
    assert.deepEqual((await below(path)).map(([title]) => title), ["Gorse", "Elm", "Fir"]);
    await row("Fir").and(rows(page, path).nth(2)).waitFor();
    await drag("Gorse", "Elm", 0.9);
    await page.getByRole("status").getByText("“Gorse” is number 2 of 3 now.").waitFor();
    await drag("Fir", "Elm", 0.5);
    await page.getByRole("status").getByText("“Fir” is at /dragged/elm/fir now.").waitFor();
    await row("Elm").getByRole("button", { name: "Show the pages below Elm" }).click();
    await row("Elm").locator(".below").getByRole("link", { name: "Fir" }).waitFor();
    await row("Elm").dragTo(row("Elm").locator(".below > .items > li"), { sourcePosition: { x: 8, y: 8 } });
    assert.deepEqual((await below(path)).map(([title]) => title), ["Elm", "Gorse"]);
    assert.deepEqual((await below(`${path}/elm`)).map(([title]) => title), ["Fir"]);
  }));

test("a page that somebody else changes in the same moment is not moved, and the tree is read again", () =>
  onServer(async (page) => {
    const path = await pagesBelow("busy", ["Heath", "Ivy"]);
    const grace = await tokenOf("Grace in the tree", "EDITOR");
    const find = async () => (await ask("query ($path: String!) { page(path: $path) { id version } }", { path: `${path}/ivy` })).page;
    await openTree(page, path);
    await page.getByRole("button", { name: "Move Ivy" }).click();
    let isMet = false;
    await page.route("**/graphql", async (route) => {
      if (!isMet && route.request().postData()?.includes("mutation UpdatePage")) {
        isMet = true;
        const { id, version } = await find();
        await ask("mutation ($input: UpdatePageInput!) { updatePage(input: $input) { userErrors { message } } }", { input: { id, expectedVersion: version, title: "Old ivy" } }, grace);
      }
      await route.fallback();
    });
    await page.getByRole("button", { name: "Up", exact: true }).click();
    await page.locator(".page > .problem").getByText(/\w/).waitFor();
    await rows(page, path).getByRole("link", { name: "Old ivy" }).waitFor();
    assert.deepEqual((await below(path)).map(([title]) => title), ["Heath", "Old ivy"]);
    await page.getByRole("button", { name: "Up", exact: true }).click();
    await page.getByRole("status").getByText("“Old ivy” is number 1 of 2 now.").waitFor();
    assert.deepEqual((await below(path)).map(([title]) => title), ["Old ivy", "Heath"]);
  }));
