// Two writers with one text open. The rule: what the other one saves appears at once; it is put together with what is typed elsewhere, and the writer chooses
// about the same part.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER, ask, change, onServer, save, signIn, text, tokenOf, written } from "./setup.js";

const BEFORE = "The lamp is lit at dusk.\n\nThe tower has ninety-eight steps.\n\nThe keeper sleeps by day.";
const graces = () => tokenOf("Grace upstairs", "EDITOR");

/** A post that is open in the window. */
async function open(page, markdown = BEFORE, title = "The lamp") {
  const { id } = await change("createPost", { title, markdown, tagSlugs: ["moon"] });
  await signIn(page);
  await page.goto(`/editor/posts/${id}`);
  await text(page).waitFor();
  return id;
}

async function stored(id) {
  const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { version title body { markdown } } } }", { id });
  return [node.version, node.title, node.body.markdown];
}

const shows = (page, markdown) =>
  page.waitForFunction((wanted) => [...document.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n") === wanted, markdown);

test("what somebody else saves appears at once where nothing is typed, with its writer", () =>
  onServer(async (page) => {
    const id = await open(page);
    const after = BEFORE.replace("dusk", "sunset");
    await change("updatePost", { id, expectedVersion: 1, title: "The great lamp", markdown: after }, await graces());
    await page.getByText(/^Grace upstairs changed the title.*: this is how it is now\.$/).waitFor();
    await shows(page, after);
    assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "The great lamp");
    await page.locator(".preview").getByText("The lamp is lit at sunset.").waitFor();
    await page.getByText("All is saved.").waitFor();
    await page.getByLabel("Title", { exact: true }).fill("The old lamp");
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(await page.getByText("this is how it is now").count(), 0, "what is saved is one's own again");
    assert.deepEqual(await stored(id), [3, "The old lamp", after]);
  }));

test("two windows write in two paragraphs: both texts are in both windows, and the carets stay", () =>
  onServer(async (page, context) => {
    const id = await open(page);
    const others = await context.browser().newContext({ baseURL: SERVER });
    try {
      const other = await others.newPage();
      await signIn(other, await graces());
      await other.goto(`/editor/posts/${id}`);
      await text(page).getByText("The keeper sleeps by day.").click();
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.type(" He reads");
      await text(other).getByText("The lamp is lit at dusk.").click();
      await other.keyboard.press("ControlOrMeta+Home");
      await other.keyboard.type("At last: ");
      await other.keyboard.press("ControlOrMeta+s");
      await other.getByText("Saved.", { exact: true }).waitFor();

      await page.getByText(/^Grace upstairs changed .*: it is put together with what you typed\.$/).waitFor();
      await page.keyboard.type(" at night.");
      const both = `At last: ${BEFORE} He reads at night.`;
      assert.equal(await written(page), both);
      await page.getByText("Not saved yet.").waitFor();
      await save(page).click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      assert.deepEqual(await stored(id), [3, "The lamp", both]);

      await shows(other, both);
      await other.keyboard.type("there! ");
      assert.equal(await written(other), both.replace("At last: ", "At last: there! "));
    } finally {
      await others.close();
    }
  }));

test("the keyboard undoes what was typed here, and nothing of somebody else", () =>
  onServer(async (page) => {
    const id = await open(page);
    await text(page).getByText("The keeper sleeps by day.").click();
    await page.keyboard.press("ControlOrMeta+End");
    // In one event: what is typed with pauses is undone in several steps.
    await page.keyboard.insertText(" Mine.");
    const theirs = BEFORE.replace("dusk", "sunset");
    await change("updatePost", { id, expectedVersion: 1, markdown: theirs }, await graces());
    await shows(page, `${theirs} Mine.`);
    await page.keyboard.press("ControlOrMeta+z");
    await shows(page, theirs);
  }));

test("a change of the same paragraph changes nothing of what is typed, and saving shows both texts", () =>
  onServer(async (page) => {
    const id = await open(page);
    const mine = BEFORE.replace("dusk.", "dusk, by hand.");
    await text(page).fill(mine);
    await change("updatePost", { id, expectedVersion: 1, markdown: BEFORE.replace("dusk", "sunset") }, await graces());
    await page.getByText(/^Grace upstairs changed .*, and you the same part\. When you save, you see both and choose\.$/).waitFor();
    assert.equal(await written(page), mine);
    await save(page).click();
    await page.getByRole("heading", { name: "Somebody else changed this post while you wrote" }).waitFor();
    await page.getByRole("button", { name: "Keep mine" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await stored(id), [3, "The lamp", mine]);
  }));

const CASES = {
  "another field": [BEFORE, `${BEFORE} Mine.`, { title: "Theirs" }, `${BEFORE} Mine.`],
  "a new paragraph after mine": ["A.\n\nB.", "A.\n\nB, mine.", { markdown: "A.\n\nB.\n\nC." }, "A.\n\nB, mine.\n\nC."],
  "a new paragraph before mine": ["A.\n\nB.", "A, mine.\n\nB.", { markdown: "New.\n\nA.\n\nB." }, "New.\n\nA, mine.\n\nB."],
  "a new paragraph between two of mine": ["A.\n\nB.", "A, mine.\n\nB, mine.", { markdown: "A.\n\nNew.\n\nB." }, "A, mine.\n\nNew.\n\nB, mine."],
  "a deleted paragraph beside mine": ["A.\n\nB.\n\nC.", "A, mine.\n\nB.\n\nC.", { markdown: "A.\n\nC." }, "A, mine.\n\nC."],
  "the same change, and another one": ["A.\n\nB.\n\nC.", "A, both.\n\nB.\n\nC, mine.", { markdown: "A, both.\n\nB, theirs.\n\nC." }, "A, both.\n\nB, theirs.\n\nC, mine."],
  "another line of the same paragraph": ["A\nB\nC", "A, mine\nB\nC", { markdown: "A\nB\nC, theirs" }, null],
  "two new paragraphs at one place": ["A.", "A.\n\nMine.", { markdown: "A.\n\nTheirs." }, null],
  "a paragraph that I move is deleted": ["A.\n\nB.", "B.\n\nA.", { markdown: "B." }, null],
  "a paragraph that both move": ["A.\n\nB.\n\nC.", "B.\n\nA.\n\nC.", { markdown: "B.\n\nC.\n\nA." }, null],
  "a paragraph that gets a line of mine is deleted": ["A.\n\nB.", "A.\nMine.\n\nB.", { markdown: "B." }, null],
  "two paragraphs made one": ["A.\n\nB.", "A, mine.\n\nB.", { markdown: "A.\nB." }, null],
  "the same title": [BEFORE, `${BEFORE} Mine.`, { title: "Theirs", markdown: `${BEFORE} Theirs.` }, null],
};

for (const [what, [base, mine, theirs, expected]] of Object.entries(CASES)) {
  test(`a change by somebody else: ${what} is ${expected === null ? "left to the writer" : "merged"}`, () =>
    onServer(async (page) => {
      const id = await open(page, base);
      await text(page).fill(mine);
      await change("updatePost", { id, expectedVersion: 1, ...theirs }, await graces());
      await page.getByText(expected === null ? /you the same part/ : /put together with what you typed/).waitFor();
      assert.equal(await written(page), expected ?? mine);
      assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), expected === null ? "The lamp" : (theirs.title ?? "The lamp"));
    }));
}

test("when nothing of mine is left, their text is shown", () =>
  onServer(async (page) => {
    const id = await open(page, "A.");
    await text(page).fill("Mine.");
    await change("updatePost", { id, expectedVersion: 1, markdown: "Theirs." }, await graces());
    await page.getByText(/you the same part/).waitFor();
    await page.getByRole("button", { name: "Undo all changes" }).click();
    await shows(page, "Theirs.");
    await page.getByText(/this is how it is now/).waitFor();
  }));

test("the open text says that it was deleted, and keeps what was typed", () =>
  onServer(async (page) => {
    const id = await open(page);
    await text(page).fill("Typed.");
    await ask("mutation ($input: DeleteInput!) { deletePost(input: $input) { deletedId } }", { input: { id, expectedVersion: 1 } });
    await page.getByText("This post was deleted, or is not yours any more. Copy what you want to keep.").waitFor();
    assert.equal(await written(page), "Typed.");
  }));

test("a window that is not shown keeps no connection, and shows what it missed", () =>
  onServer(async (page) => {
    const isLive = (request) => request.postData()?.includes("@live") ?? false;
    const begun = page.waitForResponse((response) => isLive(response.request()));
    const id = await open(page);
    await begun;
    const show = (isHidden) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, isHidden);
    const ended = page.waitForEvent("requestfailed", isLive);
    await show(true);
    await ended;
    await change("updatePost", { id, expectedVersion: 1, markdown: "Meanwhile." }, await graces());
    await show(false);
    await shows(page, "Meanwhile.");
  }));

test("a lost connection begins again", () =>
  onServer(
    async (page) => {
      let isFirst = true;
      await page.route("**/graphql", (route) => {
        if (!isFirst || !route.request().postData()?.includes("@live")) return route.continue();
        isFirst = false;
        return route.abort("connectionreset");
      });
      const id = await open(page);
      await change("updatePost", { id, expectedVersion: 1, markdown: "Heard of late." }, await graces());
      await shows(page, "Heard of late.");
      assert.equal(isFirst, false);
    },
    { tolerated: [/ERR_CONNECTION_RESET/] },
  ));

test("who has the same text open sees the names of the others, and nobody in another text", () =>
  onServer(async (page, context) => {
    const id = await open(page);
    const others = [await context.browser().newContext({ baseURL: SERVER }), await context.browser().newContext({ baseURL: SERVER })];
    try {
      const windows = [];
      for (const [place, token] of [await graces(), await tokenOf("Ada downstairs", "EDITOR")].entries()) {
        const other = await others[place].newPage();
        await signIn(other, token);
        await other.goto(`/editor/posts/${id}`);
        await text(other).waitFor();
        windows.push(other);
      }
      const line = page.locator("[aria-live=polite]").getByText("this open too");
      await line.getByText(/^(Grace upstairs and Ada downstairs|Ada downstairs and Grace upstairs) have this open too\.$/).waitFor();
      await windows[1].getByText(/^(Admin and Grace upstairs|Grace upstairs and Admin) have this open too\.$/).waitFor();
      await windows[0].goto("/editor/pages");
      await page.getByText("Ada downstairs has this open too.", { exact: true }).waitFor();
      await windows[1].close();
      await line.waitFor({ state: "detached" });
    } finally {
      await Promise.all(others.map((other) => other.close()));
    }
  }));
