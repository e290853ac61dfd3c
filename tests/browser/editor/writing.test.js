// The tasks of a writer: sign in, write, preview, schedule and publish.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER, TOKEN, ask, change, idOf, onServer, signIn, slugsOfAll, text, tokenOf, written } from "./setup.js";

test("a missing or wrong token is reported, and a valid one opens the desk until the writer signs out", () =>
  onServer(
    async (page, context) => {
      await page.goto("/editor");
      const problem = page.locator("#token-problem");
      await page.getByRole("button", { name: "Sign in" }).click();
      await problem.getByText("The field is empty").waitFor();
      await page.getByLabel("Token").fill("tdg_wrong_wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await problem.getByText("The server does not accept this token").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement.id), "token");
      assert.deepEqual(await context.cookies(), []);

      const token = await tokenOf("Ada's laptop", "EDITOR");
      await signIn(page, token);
      await page.getByText("Signed in as Ada's laptop, editor.").waitFor();
      await page.getByRole("link", { name: "The Ghost in the Lamp Room" }).waitFor();
      await page.getByRole("link", { name: "To Whoever Is on the Rota Tonight" }).waitFor();
      const [cookie] = await context.cookies();
      assert.deepEqual([cookie.value, cookie.httpOnly, cookie.sameSite, cookie.secure], [token, true, "Strict", false]);
      const readable = await page.evaluate(() => JSON.stringify([document.cookie, { ...window.localStorage }, { ...window.sessionStorage }]));
      assert.ok(!readable.includes(token), "a script can read the token");
      await page.reload();
      await page.getByText("Signed in as Ada's laptop, editor.").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Token").waitFor();
      assert.deepEqual(await context.cookies(), []);
    },
    { tolerated: [/status of 401/] },
  ));

test("a token that is revoked during writing is reported, and the text is kept", () =>
  onServer(
    async (page) => {
      const token = await tokenOf("Soon gone", "EDITOR");
      await signIn(page, token);
      await page.getByRole("link", { name: "Write a post" }).click();
      await page.getByLabel("Title", { exact: true }).fill("Not lost");
      await ask("mutation ($id: ID!) { revokeToken(input: { id: $id }) { token { id } } }", { id: `token-${token.split("_")[1]}` });
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
      assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "Not lost");
      await page.getByText("UNAUTHENTICATED").waitFor();

      await page.getByRole("button", { name: "Sign in again" }).click();
      await page.getByText("You are not signed in any more").waitFor();
      await page.getByLabel("Token").fill(TOKEN);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByLabel("Title", { exact: true }).waitFor();
      assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "Not lost");
      await page.goto("/editor");
      await page.getByRole("link", { name: "Go on with the new post" }).waitFor();

      // Signing out would discard the text, so the page asks for a confirmation.
      page.once("dialog", (dialog) => dialog.dismiss());
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("link", { name: "Go on with the new post" }).waitFor();
    },
    { tolerated: [/status of 401/] },
  ));

test("a reader's token opens the desk, but without a link to write a post", () =>
  onServer(async (page) => {
    await signIn(page, await tokenOf("A reader", "READER"));
    await page.getByText("Signed in as A reader").waitFor();
    assert.equal(await page.getByRole("link", { name: "Write a post" }).count(), 0);
  }));

test("a post is written, saved, previewed, scheduled, appears at its instant, is unpublished and published", () =>
  onServer(async (page, context) => {
    await signIn(page);
    await page.getByRole("link", { name: "Write a post" }).click();
    await page.getByLabel("Title", { exact: true }).fill("Soup at midnight");
    await text(page).fill("It was *leek*.\n\nWith bread.");
    await tagsLoaded(page);
    await page.getByLabel("Tags").fill("Moon");
    await page.keyboard.press("Enter");
    await page.getByLabel("Tags").fill("Midnight Soup");
    await page.getByRole("button", { name: "Create the tag “Midnight Soup”" }).click();
    await page.getByLabel("Galley").check();
    await page.getByLabel("Imelda Quaye").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved as a draft.").waitFor();
    const id = idOf(page);

    const { node } = await ask(`query ($id: ID!) { node(id: $id) { ... on Post {
      title status slug body { markdown } tags { slug } categories { slug } authors { slug } } } }`, { id });
    assert.deepEqual(node, {
      title: "Soup at midnight",
      status: "DRAFT",
      slug: "soup-at-midnight",
      body: { markdown: "It was *leek*.\n\nWith bread." },
      tags: [{ slug: "moon" }, { slug: "midnight-soup" }],
      categories: [{ slug: "galley" }],
      authors: [{ slug: "imelda-quaye" }],
    });

    // The link shows the same as the preview in the editor.
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    assert.equal(await page.locator(".preview em").textContent(), "leek");
    await page.getByRole("button", { name: "Make a preview link" }).click();
    const link = await page.getByRole("link", { name: "/editor/preview" }).getAttribute("href");
    await asEveryone(context, async (reader) => {
      await reader.goto(link);
      await reader.getByRole("heading", { level: 1, name: "Soup at midnight" }).waitFor();
      assert.equal(await reader.locator(".prose em").textContent(), "leek");
      await reader.goto(`${SERVER}/editor/posts/${id}`);
      await reader.getByLabel("Token").waitFor();
    });
    assert.equal(await forEveryone("soup-at-midnight"), null);

    const field = page.getByLabel("Publish at");
    await field.fill("2020-01-01T12:00");
    await page.getByRole("button", { name: "Schedule" }).click();
    await page.getByText("That time has passed.").waitFor();
    const at = Math.ceil(Date.now() / 1000 + 15) * 1000;
    await field.fill(localTime(at));
    await page.getByRole("button", { name: "Schedule" }).click();
    await page.locator(".state").getByText("Scheduled").waitFor();
    const scheduled = await ask("query ($id: ID!) { node(id: $id) { ... on Post { status publishedAt } } }", { id });
    assert.equal(scheduled.node.status, "SCHEDULED");
    assert.equal(Date.parse(scheduled.node.publishedAt), at);
    assert.equal(await forEveryone("soup-at-midnight"), null, "the post is public before its time");
    assert.ok(Date.now() < at, "the test was too slow to see it before its time");
    await page.waitForTimeout(at - Date.now() + 100);
    assert.deepEqual(await forEveryone("soup-at-midnight"), { title: "Soup at midnight" });
    // The open editor shows the new state too.
    await page.locator(".state").getByText("Published").waitFor();

    await page.getByRole("button", { name: "Unpublish" }).click();
    await page.getByText("It is a draft again.").waitFor();
    assert.ok(!(await slugsOfAll()).includes("soup-at-midnight"));
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Published.", { exact: true }).waitFor();
    assert.equal((await slugsOfAll())[0], "soup-at-midnight");
  }, { timezoneId: "America/St_Johns" }));

/** The post, if everyone can read it. */
async function forEveryone(slug) {
  return (await ask("query ($slug: String!) { post(slug: $slug) { title } }", { slug }, null)).post;
}

/** A separate browser context, without the session. */
async function asEveryone(context, look) {
  const other = await context.browser().newContext();
  try {
    await look(await other.newPage());
  } finally {
    await other.close();
  }
}

/** The value of a `datetime-local` field in Newfoundland, whose offset has half an hour. */
function localTime(at) {
  const options = { timeZone: "America/St_Johns", dateStyle: "short", timeStyle: "medium" };
  return new Intl.DateTimeFormat("sv-SE", options).format(new Date(at)).replace(" ", "T");
}

test("an invalid value is reported at its field, and the text is kept", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.getByRole("link", { name: "Write a post" }).click();
    await text(page).fill("Kept.");
    await page.getByLabel("Address").fill("A B");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText(/^See (Title, Address|Address, Title) below\.$/).waitFor();
    const address = page.getByLabel("Address");
    assert.equal(await address.getAttribute("aria-invalid"), "true");
    const problem = page.locator(`[id="${(await address.getAttribute("aria-describedby")).split(" ")[1]}"]`);
    assert.match(await problem.textContent(), /"A B" is not a slug/);
    // All errors are shown at once.
    await page.getByText("A title must not be empty.").waitFor();
    await address.fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("See Title below.").waitFor();
    assert.equal(await address.getAttribute("aria-invalid"), "false");
    assert.equal(await page.getByLabel("Title", { exact: true }).getAttribute("aria-invalid"), "true");
    assert.equal(await written(page), "Kept.");
    await page.getByLabel("Title", { exact: true }).fill("N");
    await page.getByText("A title must not be empty.").waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("Title", { exact: true }).getAttribute("aria-invalid"), "false");
    assert.equal(await page.getByRole("heading", { name: "It was not saved" }).count(), 0);
  }));

test("a typed tag that exists is added when the writer leaves the field, and when the writer saves", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.getByText("Signed in as admin.").waitFor();
    await page.getByRole("link", { name: "Write a post" }).click();
    await tagsLoaded(page);
    const tags = page.getByLabel("Tags");
    await tags.fill("moon");
    await page.getByLabel("Title", { exact: true }).fill("Tags in passing");
    await page.getByRole("button", { name: "Remove Moon" }).waitFor();
    assert.equal(await tags.inputValue(), "");
    await tags.fill("Telescopes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved as a draft.").waitFor();
    const id = idOf(page);
    assert.deepEqual(await tagsOf(id), ["moon", "telescopes"]);

    // On a touch screen, pressing the button does not take the focus from the field.
    await tagsLoaded(page);
    await tags.fill("Volunteers");
    await page.getByText("Not saved yet.").waitFor();
    await page.evaluate(() => document.querySelector("form.editor").requestSubmit());
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await tagsOf(id), ["moon", "telescopes", "volunteers"]);
    await page.getByRole("button", { name: "Remove Volunteers" }).waitFor();
    assert.equal(await tags.inputValue(), "");

    await tags.fill("!?");
    await page.getByText("The address of a new tag is made of").waitFor();
    await page.getByLabel("Title", { exact: true }).click();
    assert.equal(await tags.inputValue(), "!?", "the text is kept");
  }));

test("a typed tag that does not exist is created only if the writer says so, also after a reload", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "A tag of its own", markdown: "Text." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await tagsLoaded(page);
    const tags = page.getByLabel("Tags");
    const problem = page.getByText("There is no tag “Mooon” yet: choose one from the list, or create it.");
    for (const tryToAdd of [
      () => page.keyboard.press("Enter"),
      () => page.getByLabel("Title", { exact: true }).click(),
      () => page.getByRole("button", { name: "Save", exact: true }).click(),
    ]) {
      await tags.fill("");
      await problem.waitFor({ state: "detached" });
      await tags.fill("Mooon");
      await tryToAdd();
      await problem.waitFor();
      assert.equal(await tags.inputValue(), "Mooon", "the text is kept");
    }
    assert.deepEqual(await tagsOf(id), []);
    const exists = async (slug) => (await ask("query ($slug: String!) { tag(slug: $slug) { slug } }", { slug })).tag !== null;
    assert.equal(await exists("mooon"), false);

    await tags.fill("Moonshine");
    await page.getByRole("button", { name: "Create the tag “Moonshine”" }).click();
    await page.getByRole("button", { name: "Remove moonshine" }).waitFor();
    assert.equal(await exists("moonshine"), false, "it is created when the post is saved");
    page.on("dialog", (dialog) => dialog.accept());
    await page.reload();
    await page.getByRole("button", { name: "Remove moonshine" }).waitFor();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.deepEqual(await tagsOf(id), ["moonshine"]);
  }));

/** Waits until the field for tags knows the tags of the site. */
async function tagsLoaded(page) {
  await page.locator("datalist option").first().waitFor({ state: "attached" });
}

async function tagsOf(id) {
  const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { tags { slug } } } }", { id });
  return node.tags.map(({ slug }) => slug);
}

test("typed text survives a reload and leaving the page, and closing the page warns", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "To be kept", markdown: "Old." });
    await signIn(page);
    await page.getByRole("link", { name: "To be kept" }).click();
    await text(page).click();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.type("New and ");
    await page.getByText("Not saved yet.").waitFor();

    const warnings = [];
    page.on("dialog", (dialog) => {
      warnings.push(dialog.type());
      return dialog.accept();
    });
    await page.reload();
    assert.deepEqual(warnings, ["beforeunload"]);
    await text(page).waitFor();
    assert.match(await written(page), /New and /);

    await page.goto("/editor");
    await page.locator("li").filter({ hasText: "To be kept" }).getByText("not saved").waitFor();
    await page.getByRole("link", { name: "To be kept" }).click();
    await text(page).waitFor();
    assert.match(await written(page), /New and /);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.reload();
    await text(page).waitFor();
    assert.deepEqual(warnings, ["beforeunload", "beforeunload"], "a saved text needs no warning");
    const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { body { markdown } } } }", { id });
    assert.match(node.body.markdown, /New and /);
  }));

test("a checkbox features a post, and shows the saved state again", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "First of all", markdown: "Text." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    const featured = page.getByRole("checkbox", { name: "Featured" });
    assert.equal(await featured.isChecked(), false);
    await featured.check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { featured } } }", { id });
    assert.equal(node.featured, true);
    await page.reload();
    assert.ok(await featured.isChecked());
  }));

test("an earlier version is listed with its author and can be restored", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "First thought", markdown: "One." });
    await change("updatePost", { id, expectedVersion: 1, title: "Second thought" }, await tokenOf("Grace", "EDITOR"));
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await page.getByText("Versions").click();
    const newest = page.locator(".history li").first();
    assert.match(await newest.textContent(), /Grace.*the title/s);
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByText("Version 1 is its text again.").waitFor();
    assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "First thought");
  }));
