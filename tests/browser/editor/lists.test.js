// Lists, pages as a tree, and terms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, change, hasNoViolation, idOf, onServer, save, signIn, text, tokenOf } from "./setup.js";

test("a long list is shown in pages, and each post of it once", () =>
  onServer(async (page) => {
    for (let number = 1; number <= 35; number += 1) await change("createPost", { title: `Of many ${number}`, markdown: "" });
    const { draftPosts } = await ask("{ draftPosts(first: 100) { nodes { title } } }");
    await signIn(page);
    await page.getByRole("region", { name: "Drafts" }).getByRole("link", { name: /^All \d+$/ }).click();
    const items = page.locator(".items > li > a");
    await page.getByRole("button", { name: "Show more" }).waitFor();
    assert.equal(await items.count(), 30);
    await page.getByRole("button", { name: "Show more" }).click();
    await items.nth(30).waitFor();
    assert.deepEqual((await items.allTextContents()).slice(0, 60), draftPosts.nodes.map(({ title }) => title).slice(0, 60));
    await page.getByRole("link", { name: "Scheduled", exact: true }).click();
    await page.getByRole("link", { name: "To Whoever Is on the Rota Tonight" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "Scheduled", exact: true }).getAttribute("aria-current"), "page");
  }));

test("chosen posts get a tag, another author or go, all of them or none", () =>
  onServer(async (page) => {
    const made = [];
    for (const name of ["One", "Two", "Three"]) made.push(await change("createPost", { title: `In bulk ${name}`, markdown: "" }));
    const stored = async () => {
      const { nodes } = await ask("query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Post { tags { slug } authors { slug } } } }", { ids: made.map(({ id }) => id) });
      return nodes.map((post) => post && [...post.tags, ...post.authors].map(({ slug }) => slug));
    };
    await signIn(page);
    await page.goto("/editor/posts?list=drafts");
    const choose = async (...names) => {
      for (const name of names) await page.getByRole("checkbox", { name: `Choose In bulk ${name}` }).check();
    };
    const apply = page.getByRole("button", { name: "Apply" });
    const isDone = () => page.locator(".bulk").waitFor({ state: "detached" });
    await choose("One", "Two");
    await apply.click();
    await page.getByText("Which tag?").waitFor();
    await hasNoViolation(page, "a list with chosen posts");
    await page.getByLabel("Tag", { exact: true }).selectOption("moon");
    await apply.click();
    await isDone();
    assert.deepEqual(await stored(), [["moon"], ["moon"], []]);
    await choose("One", "Two", "Three");
    await page.getByLabel("With 3 posts").selectOption("author");
    await page.getByLabel("Author", { exact: true }).selectOption("imelda-quaye");
    await change("updatePost", { id: made[2].id, expectedVersion: 1, title: "In bulk Three", markdown: "Changed." });
    await apply.click();
    await page.locator(".bulk .problem:not(:empty)").waitFor();
    assert.deepEqual(await stored(), [["moon"], ["moon"], []], "all or none");
    await page.reload();
    await choose("One", "Two", "Three");
    await page.getByLabel("With 3 posts").selectOption("author");
    await page.getByLabel("Author", { exact: true }).selectOption("imelda-quaye");
    await apply.click();
    await isDone();
    assert.deepEqual(await stored(), [["moon", "imelda-quaye"], ["moon", "imelda-quaye"], ["imelda-quaye"]]);
    await choose("One", "Three");
    await page.getByLabel("With 2 posts").selectOption("delete");
    page.once("dialog", (dialog) => void dialog.accept());
    await apply.click();
    await isDone();
    assert.deepEqual(await stored(), [null, ["moon", "imelda-quaye"], null]);
    await page.getByRole("link", { name: "In bulk Two" }).waitFor();
    await page.getByRole("link", { name: "In bulk One" }).waitFor({ state: "detached" });
  }));

test("a list shows the cover of each post, or the first letter of its title, and nothing more to a screen reader", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.goto("/editor/posts?list=published");
    const item = page.locator(".items > li").filter({ hasText: "Nine-Tenths of an Evening" });
    const cover = item.locator("img");
    await cover.scrollIntoViewIfNeeded();
    await cover.evaluate((image) => image.decode());
    assert.equal(await cover.getAttribute("alt"), "");
    const letter = page.locator(".no-cover").first();
    assert.equal(await letter.getAttribute("aria-hidden"), "true");
    assert.match((await letter.innerText()).trim(), /^.$/u);
  }));

test("a draft is found by a word of its text, also a misspelt one, and opened; the way back has the results", () =>
  onServer(async (page) => {
    await change("createPost", { title: "Not yet for everyone", markdown: "The **barnacle** on the third step is still there." });
    await signIn(page);
    const field = page.getByRole("searchbox", { name: "Find a post" });
    const found = page.getByRole("region", { name: "Found" });
    await field.fill("barnacle");
    const item = found.locator(".items > li").filter({ hasText: "Not yet for everyone" });
    await item.locator("mark").getByText("barnacle").waitFor();
    await item.getByText("draft", { exact: true }).waitFor();
    await found.getByRole("status").getByText("1 found").waitFor();
    assert.equal(await page.getByRole("region", { name: "Drafts" }).count(), 0, "the results take the place of the lists");
    await field.fill("telescpe");
    await page.getByRole("button", { name: "telescope?" }).click();
    assert.equal(await field.inputValue(), "telescope");
    await field.fill("barnacle");
    await item.getByRole("link", { name: "Not yet for everyone" }).click();
    await text(page).getByText("barnacle").waitFor();
    await page.goBack();
    await item.waitFor();
    assert.equal(await field.inputValue(), "barnacle");
    await field.fill("qqqqzzzz");
    await found.getByRole("status").getByText("Nothing has these words.").waitFor();
    await field.fill("");
    await page.getByRole("region", { name: "Drafts" }).waitFor();

    await page.getByRole("link", { name: "Pages" }).click();
    await page.getByRole("searchbox", { name: "Find a page" }).fill("porridge forty-ninth");
    await found.getByRole("link", { name: "Getting Here" }).waitFor();
  }));

test("a page and one below it are written, found in the tree, published and deleted", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.getByRole("link", { name: "Pages" }).click();
    await page.getByRole("link", { name: "Write a page" }).click();
    await page.getByLabel("Title", { exact: true }).fill("About the tower");
    await page.getByLabel("Path").fill("tower");
    await page.getByLabel("Position").fill("soon");
    await text(page).fill("It is *tall*.");
    await save(page).click();
    await page.getByText("A position is a whole number.").waitFor();
    await page.getByLabel("Position").fill("3");
    await save(page).click();
    await page.getByText("Saved as a draft.").waitFor();
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByRole("status").getByText("Published.").waitFor();
    const tower = idOf(page);

    await page.getByRole("link", { name: "Pages" }).click();
    await page.getByRole("button", { name: "Show the pages below About the tower" }).click();
    await page.getByRole("link", { name: "Add a page below About the tower" }).click();
    assert.equal(await page.getByLabel("Path").inputValue(), "tower/");
    await page.getByLabel("Path").fill("tower/stairs");
    await page.getByLabel("Title", { exact: true }).fill("The stairs");
    await save(page).click();
    await page.getByText("Saved as a draft.").waitFor();
    const stairs = idOf(page);
    const query = "query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Page { path order status body { markdown } } } }";
    const { nodes } = await ask(query, { ids: [tower, stairs] });
    assert.deepEqual(nodes, [
      { path: "tower", order: 3, status: "PUBLISHED", body: { markdown: "It is *tall*." } },
      { path: "tower/stairs", order: null, status: "DRAFT", body: { markdown: "" } },
    ]);

    await page.getByRole("link", { name: "Pages" }).click();
    await page.getByRole("button", { name: "Show the pages below About the tower" }).click();
    await page.getByRole("link", { name: "The stairs" }).click();
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Delete this page" }).click();
    await page.getByRole("heading", { name: "Pages" }).waitFor();
    assert.deepEqual((await ask(query, { ids: [stairs] })).nodes, [null]);
  }));

test("what a post has besides its text is saved: metadata, language, series, and the end of its publication", () =>
  onServer(async (page) => {
    await ask('mutation { createSeries(input: { name: "Night by night" }) { series { id } } }');
    const { id } = await change("createPost", { title: "In full", markdown: "Text.", publish: true });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await page.getByLabel("Language").fill("de");
    await page.getByLabel("Series").selectOption({ label: "Night by night" });
    await page.getByText("More fields").click();
    await page.getByLabel("Metadata").fill("{ mood");
    await page.getByRole("button", { name: "Save and show to all" }).click();
    await page.getByText('This is not a JSON object, such as {"mood": "calm"}.').waitFor();
    await page.getByLabel("Metadata").fill('{ "mood": "calm" }');
    await page.getByRole("button", { name: "Save and show to all" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.getByText("End of the publication").click();
    await page.getByLabel("Unpublish at").fill("2099-01-01T12:00");
    await page.getByRole("button", { name: "Set the end" }).click();
    await page.getByText("The end is set.").waitFor();
    await page.getByText("Another date").click();
    await page.getByLabel("Published at").fill("2020-02-03T04:05");
    await page.getByRole("button", { name: "Change the date" }).click();
    await page.getByText("The date is changed.").waitFor();
    const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { language metadata publishedAt unpublishAt series { series { name } } } } }", { id });
    assert.deepEqual(node, {
      language: "de",
      metadata: { mood: "calm" },
      publishedAt: "2020-02-03T04:05:00.000Z",
      unpublishAt: "2099-01-01T12:00:00.000Z",
      series: { series: { name: "Night by night" } },
    });
  }, { timezoneId: "UTC" }));

test("a term is created, renamed and deleted, and a refusal says why", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.getByRole("link", { name: "Terms" }).click();
    await page.getByLabel("Name").fill("Quiet nights");
    await page.getByRole("button", { name: "Create the tag" }).click();
    await page.getByText("Quiet nights is created.").waitFor();
    await page.getByRole("button", { name: "Edit Quiet nights" }).click();
    const item = page.locator(".items > li").filter({ hasText: "Quiet nights" });
    await item.getByLabel("Name").fill("Still nights");
    await item.getByRole("button", { name: "Save" }).click();
    await page.getByText("Still nights is saved.").waitFor();
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Delete Still nights" }).click();
    await page.getByText("Still nights is deleted.").waitFor();
    await page.getByRole("button", { name: "Delete Moon", exact: true }).click();
    await page.locator(".items > li").filter({ hasText: "Moon" }).locator(".problem").getByText(/\w/).first().waitFor();
  }));

test("a reader's token opens a draft, and offers nothing that it cannot do", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Read only", markdown: "Text." });
    await signIn(page, await tokenOf("Another reader", "READER"));
    assert.deepEqual(await page.getByRole("navigation", { name: "Editor" }).getByRole("link").allTextContents(), ["Posts", "Pages"]);
    await page.goto(`/editor/posts/${id}`);
    await page.getByText("Your token can read this, but not change it.").waitFor();
    assert.ok(await save(page).isDisabled());
    assert.equal(await page.getByRole("button", { name: "Publish now" }).count(), 0);
  }));
