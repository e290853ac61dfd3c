// The search: its results while one types, its suggestion, its pages, and the posts that are related to one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, onSite, slugsOn } from "./setup.js";

const field = (page) => page.getByRole("searchbox", { name: "Search the posts" });
const found = (page, text) => page.getByRole("status").getByText(text, { exact: true });

test("what is typed is found and marked, a misspelt word is corrected by its suggestion, and a result opens its article", () =>
  onSite(async (page) => {
    await page.goto("/archive");
    await page.locator(".years li").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("copper mo");
    await page.locator("article h2 mark").getByText("Copper").waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.name), "q", "one can go on typing");
    await field(page).fill("telescpe miror");
    const suggestion = page.getByText("Did you mean").getByRole("link", { name: "telescope mirror" });
    await suggestion.click();
    await page.waitForURL("**/search?q=telescope+mirror");
    await suggestion.waitFor({ state: "detached" });
    assert.equal(await field(page).inputValue(), "telescope mirror");
    await page.locator("article .excerpt mark").getByText("telescope").first().waitFor();
    await page.getByRole("link", { name: "How to Wash a Mirror" }).click();
    await page.getByRole("heading", { level: 1, name: "How to Wash a Mirror" }).waitFor();
    assert.equal(await field(page).inputValue(), "");
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "“telescope mirror”" }).waitFor();
    await page.goBack();
    await page.waitForURL("**/search?q=telescpe+miror");
    await page.goBack();
    await page.waitForURL("**/archive");
  }));

test("an answer for an earlier text does not replace that for the present one", () =>
  onSite(async (page) => {
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route("**/graphql", async (route) => {
      if (route.request().postDataJSON().variables.text === "comet") await released;
      // A request that was aborted cannot be continued.
      await route.continue().catch(() => {});
    });
    await page.goto("/search");
    const asked = page.waitForRequest((request) => request.postDataJSON()?.variables.text === "comet");
    const aborted = page.waitForEvent("requestfailed");
    await field(page).fill("comet");
    await asked;
    await field(page).fill("porridge");
    await aborted;
    await page.locator("article mark").getByText("porridge").first().waitFor();
    release();
    await field(page).press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    assert.equal(await page.locator("mark").getByText("comet").count(), 0);
  }));

test("more results follow the first ones, each once, and the way back shows them again", () =>
  onSite(async (page) => {
    const { search } = await ask('{ search(query: "night", types: [POST], first: 100) { nodes { ... on Post { slug status } } } }');
    // The token of the test finds drafts too.
    const expected = search.nodes.filter(({ status }) => status === "PUBLISHED").map(({ slug }) => slug);
    assert.ok(expected.length > 10 && expected.length <= 20, String(expected.length));
    await page.goto("/search?q=night");
    await found(page, "The best 10 results").waitFor();
    await page.getByRole("button", { name: "More results" }).press("Enter");
    await page.getByText(`That is all of it: ${expected.length} results.`).waitFor();
    assert.deepEqual(await slugsOn(page), expected);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("href")), `/posts/${expected[10]}`);
    await page.keyboard.press("Enter");
    await page.locator(".prose").waitFor();
    await page.goBack();
    await page.getByText(`That is all of it: ${expected.length} results.`).waitFor();
  }));

test("a search without results says so, and one whose index is being built asks again", () =>
  onSite(async (page) => {
    await page.goto("/search?q=qqqqzzzz");
    await found(page, "No results").waitFor();
    const extensions = { code: "SEARCH_NOT_READY", retryable: true, retryAfterMs: 10 };
    const json = { data: null, errors: [{ message: "The search index is being built.", extensions }] };
    await page.route("**/graphql", (route) => route.fulfill({ json }), { times: 2 });
    await field(page).fill("porridge");
    await page.locator("article mark").getByText("porridge").first().waitFor();
    await page.route("**/graphql", (route) => route.fulfill({ json }));
    await field(page).fill("comet");
    await page.getByRole("status").getByText("The search is being prepared.").waitFor();
    await page.unroute("**/graphql");
    await page.locator("article mark").getByText("Comet").first().waitFor();
  }));

test("related posts are below an article", () =>
  onSite(async (page) => {
    const { post } = await ask('{ post(slug: "how-to-wash-a-mirror") { related(first: 3) { slug title } } }');
    assert.equal(post.related.length, 3);
    await page.goto("/posts/how-to-wash-a-mirror");
    const links = page.getByRole("region", { name: "Related posts" }).getByRole("link");
    await links.first().waitFor();
    assert.deepEqual(await links.allTextContents(), post.related.map(({ title }) => title));
    await links.first().click();
    await page.waitForURL(`**/posts/${post.related[0].slug}`);
  }));
