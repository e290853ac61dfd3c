// Answers that come late, not at all, or say no. The rule: nothing typed is lost, and nothing is made twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, change, hearNothing, idOf, onServer, save, signIn, text, tokenOf, written } from "./setup.js";

const LOST = { tolerated: [/ERR_CONNECTION_RESET/, /ERR_FAILED/] };
const title = (page) => page.getByLabel("Title", { exact: true });
const said = (page, message) => page.getByText(message, { exact: true }).waitFor();

async function stored(id) {
  const query = "query ($id: ID!) { node(id: $id) { ... on Post { version status title body { markdown } } ... on Page { version status title body { markdown } } } }";
  const { node } = await ask(query, { id });
  return { version: node.version, status: node.status, title: node.title, markdown: node.body.markdown };
}

/** How many drafts have this title. */
async function countOf(name) {
  const { draftPosts } = await ask("{ draftPosts(first: 100) { nodes { title } } }");
  return draftPosts.nodes.filter((post) => post.title === name).length;
}

/** Lets the server do the first of these mutations, and loses the answer. */
async function loseFirst(page, mutation) {
  let isFirst = true;
  await page.route("**/graphql", async (route) => {
    if (!isFirst || !route.request().postData()?.includes(`${mutation}(`)) return route.fallback();
    isFirst = false;
    await route.fetch();
    return route.abort("connectionreset");
  });
}

for (const [kind, address, mutation] of [["post", "/editor/new", "createPost"], ["page", "/editor/pages/new", "createPage"]]) {
  test(`what is typed while a new ${kind} is saved for the first time stays in the form, which keeps the focus, and survives a reload`, () =>
    onServer(async (page) => {
      await signIn(page);
      await page.goto(address);
      await title(page).fill("Slow");
      if (kind === "page") await page.getByLabel("Path").fill("slow");
      await text(page).fill("First.");
      const isSent = page.waitForRequest((request) => request.postData()?.includes(`${mutation}(`));
      const { promise: mayGo, resolve: go } = Promise.withResolvers?.() ?? deferred();
      await page.route("**/graphql", async (route) => {
        if (route.request().postData()?.includes(`${mutation}(`)) {
          await mayGo;
        }
        return route.continue();
      });
      await page.keyboard.press("Control+s");
      await isSent;
      await page.keyboard.press("Control+End");
      await page.keyboard.type(" Second.");
      go();
      await page.waitForURL(/-[^/]*$/);
      await page.keyboard.type(" Third.");
      assert.equal(await written(page), "First. Second. Third.");
      await said(page, "Not saved yet.");
      const id = idOf(page);
      assert.equal((await stored(id)).markdown, "First.");
      page.on("dialog", (dialog) => dialog.accept());
      await page.reload();
      assert.equal(await written(page), "First. Second. Third.");
      await save(page).click();
      await said(page, "Saved.");
      assert.deepEqual(await stored(id), { version: 2, status: "DRAFT", title: "Slow", markdown: "First. Second. Third." });
      await page.goto("/editor");
      await page.getByRole("link", { name: "Write a post" }).waitFor();
    }));
}

function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve) => {
    parts.resolve = resolve;
  });
  return parts;
}

test("a new post whose first answer was lost is created once, also if its text was changed and the page was reloaded in between", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.goto("/editor/new");
    await title(page).fill("Only once");
    await text(page).fill("Before.");
    await loseFirst(page, "createPost");
    await save(page).click();
    await page.getByRole("heading", { name: "The server is out of reach" }).waitFor();
    assert.equal(await countOf("Only once"), 1);
    await text(page).fill("After.");
    await said(page, "Not saved yet.");
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    assert.equal(await written(page), "After.");
    await save(page).click();
    await said(page, "Saved as a draft.");
    assert.deepEqual(await stored(idOf(page)), { version: 2, status: "DRAFT", title: "Only once", markdown: "After." });
    assert.equal(await countOf("Only once"), 1);
    await page.getByRole("link", { name: "Posts", exact: true }).click();
    await page.getByRole("link", { name: "Write a post" }).click();
    await title(page).waitFor();
    assert.equal(await title(page).inputValue(), "");
  }, LOST));

test("a new post that was refused is created after its correction, although the connection broke in between", () =>
  onServer(async (page, context) => {
    await signIn(page);
    await page.goto("/editor/new");
    await title(page).fill("Corrected");
    await page.getByLabel("Address").fill("Not an address");
    await context.setOffline(true);
    await save(page).click();
    await page.getByRole("heading", { name: "The server is out of reach" }).waitFor();
    await context.setOffline(false);
    await page.getByLabel("Address").fill("corrected-at-last");
    await save(page).click();
    await said(page, "Saved as a draft.");
    assert.equal(await countOf("Corrected"), 1);
  }, { tolerated: [/ERR_INTERNET_DISCONNECTED/] }));

test("an update whose answer was lost is no conflict with oneself", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Myself", markdown: "Before." });
    await hearNothing(page);
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).fill("After.");
    await loseFirst(page, "updatePost");
    await save(page).click();
    await page.getByRole("heading", { name: "The server is out of reach" }).waitFor();
    await page.getByRole("button", { name: "Publish now" }).click();
    await said(page, "Published.");
    assert.deepEqual(await stored(id), { version: 3, status: "PUBLISHED", title: "Myself", markdown: "After." });
  }, LOST));

test("an update whose answer was lost is seen as saved at once", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Found out", markdown: "Before." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).fill("After.");
    await loseFirst(page, "updatePost");
    await save(page).click();
    await said(page, "All is saved.");
    assert.equal(await page.getByRole("heading", { name: "The server is out of reach" }).count(), 0);
    assert.deepEqual(await stored(id), { version: 2, status: "DRAFT", title: "Found out", markdown: "After." });
  }, LOST));

test("a publication whose answer was lost is reported as done at the second attempt", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Out already", markdown: "Text." });
    await hearNothing(page);
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).waitFor();
    await loseFirst(page, "updatePost");
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByRole("heading", { name: "The server is out of reach" }).waitFor();
    await page.getByRole("button", { name: "Publish now" }).click();
    await said(page, "Published.");
    assert.equal((await stored(id)).version, 2);
  }, LOST));

test("keep mine does also what was asked for besides saving", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Asked", markdown: "Before." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).fill("Mine.");
    await change("updatePost", { id, expectedVersion: 1, markdown: "Theirs." }, await tokenOf("Grace's tablet", "EDITOR"));
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Saves your changes over theirs, and publishes it.").waitFor();
    await page.getByRole("button", { name: "Keep mine" }).click();
    await said(page, "Published.");
    assert.deepEqual(await stored(id), { version: 3, status: "PUBLISHED", title: "Asked", markdown: "Mine." });
  }));

test("signing out that the server does not answer, or refuses, is reported and deletes nothing", () =>
  onServer(
    async (page) => {
      await signIn(page);
      await page.goto("/editor/new");
      await title(page).fill("Still here");
      await said(page, "Not saved yet.");
      page.on("dialog", (dialog) => dialog.accept());
      for (const [answer, message] of [
        [(route) => route.fulfill({ status: 503, body: "" }), "You are still signed in. The server answered with 503."],
        [(route) => route.abort("connectionreset"), "You are still signed in. The server is out of reach."],
      ]) {
        await page.route("**/editor/session", answer);
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByText(message).waitFor();
        await page.unroute("**/editor/session");
        assert.equal(await page.evaluate(() => Object.keys(window.localStorage).filter((name) => name.startsWith("tidings.text.")).length), 1);
      }
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Token").waitFor();
      assert.deepEqual(await page.evaluate(() => Object.keys(window.localStorage)), []);
    },
    { tolerated: [/ERR_CONNECTION_RESET/, /ERR_FAILED/, /status of 503/] },
  ));

test("a session that is gone asks for a token again, and shows no draft as deleted", () =>
  onServer(
    async (page, context) => {
      await change("createPost", { title: "Hidden draft", markdown: "Text." });
      await signIn(page);
      await context.clearCookies();
      await page.getByRole("link", { name: "Hidden draft" }).first().click();
      await page.getByText("You are not signed in any more").waitFor();
      await page.reload();
      await page.getByText("You are not signed in any more").waitFor();
    },
    { tolerated: [/status of 401/] },
  ));
