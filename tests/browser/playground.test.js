// The playground of the example blog.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { withPage } from "./browser.js";
import { ORIGIN, TOKEN, enterToken, giveToken, hasNoHorizontalScroll, isOf, open, planPanel, runTab, selectTab, seriousFaults, tab, tokenDialog } from "./graphiql.js";

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const PICTURES = process.env.TIDINGS_SCREENSHOTS; // the folder for screenshots, if it is set

const visit = (options, act) => withPage({ origins: [ORIGIN], viewport: DESKTOP, reducedMotion: "reduce", ...options }, act);

async function picture(page, name) {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

const SIGNED_IN = "You are signed in as TIDINGS_EDITOR_TOKEN, with the role ADMIN.";

const lineOf = (page) => page.locator(".answer-line").textContent();

// Violations in GraphiQL's own components.
const THEIRS = {
  "nested-interactive": "GraphiQL gives each tab the role tab and puts two buttons in it, one of which closes it",
};

test("the landing view says what this is and shows an answer without a click", () =>
  visit({}, async (page) => {
    await open(page);
    assert.equal(await page.title(), "Tidings playground");
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
    assert.match(await page.locator('meta[name="description"]').getAttribute("content"), /GraphQL/);
    await page.getByText("Ask this server for its content in GraphQL").waitFor();
    await page.getByText(/^Answered in \d+ ms\.$/).waitFor();
    await page.locator(".result-window", { hasText: "publishedAt" }).waitFor();
    await picture(page, "playground");
  }));

test("the titles of the icons name what they show", () =>
  visit({}, async (page) => {
    await open(page);
    const titles = new Set();
    const collect = async () => {
      for (const title of await page.locator("svg title").allTextContents()) titles.add(title);
    };
    await collect();
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByRole("link", { name: "Query", exact: true }).click();
    await collect();
    await page.getByRole("button", { name: "Show History" }).click();
    await collect();
    // The minifier would shorten the names.
    assert.deepEqual([...titles].filter((title) => /^\S{1,2} icon$/.test(title)), []);
    for (const name of ["docs", "docs filled", "history", "settings", "keyboard shortcut", "play", "prettify", "merge", "copy", "field", "trash"]) {
      assert.ok(titles.has(`${name} icon`), `${name}: ${[...titles]}`);
    }
  }));

test("each example runs without an error, those that need a token with one", () =>
  visit({}, async (page) => {
    await open(page);
    const names = await page.locator(".graphiql-tab-button").allTextContents();
    assert.deepEqual(names, ["Latest", "Post", "Tag", "Filter", "Search", "Archive", "Backward", "Cost", "Drafts", "Create", "Changes"]);
    const data = {};
    for (const name of names.slice(0, -1)) {
      if (name === "Drafts") assert.equal(await giveToken(page, TOKEN), SIGNED_IN);
      const { answer } = await runTab(page, name);
      assert.equal(answer.errors, undefined, `${name}: ${JSON.stringify(answer.errors)}`);
      data[name] = answer.data;
      assert.match(await page.locator(".graphiql-query-editor .view-lines").textContent(), /^#/, `${name} opens with a comment`);
    }
    assert.equal(data.Latest.posts.nodes.length, 5);
    assert.ok(data.Post.post.body.wordCount > 0);
    assert.ok(data.Tag.tag.posts.totalCount > 0);
    assert.ok(data.Filter.posts.totalCount > 0);
    assert.ok(data.Search.search.edges.some(({ highlights }) => highlights.some(({ html }) => html.includes("<mark>"))));
    assert.ok(data.Archive.archive.length > 1 && data.Archive.oneYear.length > 0);
    assert.equal(data.Backward.posts.pageInfo.hasPreviousPage, true);
    assert.ok(data.Drafts.draftPosts.totalCount > 0);
    assert.deepEqual(data.Create.createPost.userErrors, []);
    assert.equal(data.Create.createPost.post.status, "DRAFT");
  }));

test("a subscription shows each event until it is stopped", () =>
  visit({}, async (page) => {
    await open(page);
    await giveToken(page, TOKEN);
    await selectTab(page, "Changes");
    // The server sends the head of its answer when it has noted the position after which it sends events.
    const begun = page.waitForResponse(isOf("Changes"));
    await page.getByRole("button", { name: /^Execute query/ }).click();
    await begun;
    for (const title of ["First of a subscription", "Second of a subscription"]) {
      const query = `mutation { createPost(input: { title: "${title}", markdown: "Text." }) { post { slug } } }`;
      const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
      const created = await fetch(`${ORIGIN}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) });
      const { slug } = (await created.json()).data.createPost.post;
      await page.locator(".result-window .view-lines", { hasText: slug }).waitFor();
    }
    await page.getByText("The last event.").waitFor();
    await page.getByRole("button", { name: /^Stop query/ }).click();
    await page.getByRole("button", { name: /^Execute query/ }).waitFor();
    await picture(page, "playground-subscription");
  }));

test("drafts are shown with a token, and without one the playground says how to enter it", () =>
  visit({}, async (page) => {
    await open(page);
    const refused = await runTab(page, "Drafts");
    assert.equal(refused.answer.errors[0].extensions.code, "UNAUTHENTICATED");
    assert.equal(await refused.request.headerValue("authorization"), null);
    await page.getByText("This needs a token.").waitFor();
    await page.getByRole("button", { name: "Enter a token" }).click();
    await page.getByText("You have given no token").waitFor();
    await page.keyboard.press("Escape");
    await giveToken(page, TOKEN);
    await page.getByRole("button", { name: "Token: TIDINGS_EDITOR_TOKEN" }).waitFor();
    await page.getByText("This was asked before you entered your token: run it again.").waitFor();
    assert.equal(await page.getByText("The server does not accept your token.").count(), 0);
    const { request, answer } = await runTab(page, "Drafts");
    assert.equal(await request.headerValue("authorization"), `Bearer ${TOKEN}`);
    assert.ok(answer.data.draftPosts.nodes.length > 0);
    assert.ok(!page.url().includes(TOKEN));
    assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes(TOKEN), "the token is in localStorage");
    await page.reload();
    await page.getByRole("button", { name: "Token: TIDINGS_EDITOR_TOKEN" }).click();
    await page.locator("#token-state", { hasText: SIGNED_IN }).waitFor();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByText("You have given no token").waitFor();
    assert.equal(await page.evaluate((token) => JSON.stringify({ ...sessionStorage }).includes(token), TOKEN), false);
  }));

test("the token dialog closes when the token is accepted, and stays open with the reason when it is refused", () =>
  visit({}, async (page) => {
    await open(page);
    await runTab(page, "Drafts");
    await page.getByRole("button", { name: "Enter a token" }).click();
    await enterToken(page, "a-token-that-nobody-has-made");
    assert.ok(await tokenDialog(page).isVisible());
    assert.match(await tokenDialog(page).getByRole("status").textContent(), /^The server does not accept it: the token is not known/);
    assert.equal(await page.locator("#token-announced").textContent(), "");
    await enterToken(page, TOKEN);
    assert.ok(await tokenDialog(page).isHidden());
    await page.getByRole("status").filter({ hasText: SIGNED_IN }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Token: TIDINGS_EDITOR_TOKEN");
  }));

test("an invalid token is reported and not kept", () =>
  visit({}, async (page) => {
    await open(page);
    assert.match(await giveToken(page, " "), /no token in the field/);
    assert.match(await giveToken(page, "two words"), /no spaces/);
    assert.match(await giveToken(page, "a-token-that-nobody-has-made"), /^The server does not accept it: the token is not known/);
    await page.getByRole("button", { name: "Token: none" }).waitFor();
    assert.equal(await giveToken(page, `Bearer ${TOKEN}`), SIGNED_IN);
  }));

test("a kept token that is no longer valid is reported until another one is entered", () =>
  visit({}, async (page) => {
    await open(page);
    await page.evaluate(() => sessionStorage.setItem("tidings:token", "a-token-that-nobody-has-made"));
    await page.reload();
    // GraphiQL ignores a click on a tab until its editors are ready.
    await page.locator(".result-window .view-lines", { hasText: '"errors"' }).waitFor();
    await runTab(page, "Create");
    await page.getByText("The server does not accept your token.").waitFor();
    await page.getByRole("button", { name: "Token: not accepted" }).waitFor();
    await page.getByRole("button", { name: "Enter another" }).click();
    await page.locator("#token-state", { hasText: "The server does not accept it: the token is not known" }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await giveToken(page, TOKEN), SIGNED_IN);
    await page.getByText("This was asked before you entered your token: run it again.").waitFor();
    assert.equal(await page.getByText("The server does not accept your token.").count(), 0);
    await runTab(page, "Create");
    await page.getByText(/^Answered in \d+ ms\.$/).waitFor();
  }));

test("if the server cannot be reached, the playground says so and shows no plan", () =>
  visit({ tolerated: [/ERR_CONNECTION_REFUSED/] }, async (page) => {
    await open(page);
    await page.route(`${ORIGIN}/graphql`, (route) => route.abort("connectionrefused"));
    await page.getByRole("button", { name: /^Execute query/ }).click();
    await page.locator(".result-window .view-lines", { hasText: "cannot be reached" }).waitFor();
    assert.equal(await lineOf(page), "There was no answer: the server cannot be reached.");
    await planPanel(page).getByText("There is no plan", { exact: true }).waitFor();
  }));

test("an answer without data has no plan", () =>
  visit({}, async (page) => {
    await open(page);
    const body = JSON.stringify({ errors: [{ message: "too deep" }] });
    await page.route(`${ORIGIN}/graphql`, (route) => route.fulfill({ contentType: "application/json", body }));
    await page.getByRole("button", { name: /^Execute query/ }).click();
    await page.locator(".result-window .view-lines", { hasText: "deep" }).waitFor();
    assert.match(await lineOf(page), /^Answered in \d+ ms\.$/);
    await planPanel(page).getByText("There is no plan", { exact: true }).waitFor();
  }));

test("each tab keeps the status line of its answer", () =>
  visit({}, async (page) => {
    await open(page);
    const first = await lineOf(page);
    assert.match(first, /^Answered in \d+ ms\.$/);
    await tab(page, "Drafts").click();
    await page.getByText("Run the query to see its answer here.").waitFor();
    await runTab(page, "Drafts");
    await page.getByText("This needs a token.").waitFor();
    await tab(page, "Latest").click();
    await page.locator(".result-window", { hasText: "publishedAt" }).waitFor();
    assert.equal(await lineOf(page), first);
    await tab(page, "Drafts").click();
    await page.getByText("This needs a token.").waitFor();
  }));

test("the documentation explorer shows the schema", () =>
  visit({}, async (page) => {
    await open(page);
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByRole("link", { name: "Query", exact: true }).click();
    await page.getByText("Published posts, newest first unless").first().waitFor();
    await page.getByRole("link", { name: "PostConnection", exact: true }).first().click();
    await page.getByText("The number of items in the whole list").waitFor();
  }));

test("the editor completes and checks queries by the schema, and the keyboard runs them", () =>
  visit({}, async (page) => {
    await open(page);
    await page.getByRole("button", { name: "New tab" }).click();
    const editor = page.locator(".graphiql-query-editor .graphiql-editor");
    await editor.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText("query Mine { posts(first: 1) { nodes { tit");
    await page.keyboard.press("Control+Space");
    await page.locator(".suggest-widget .monaco-list-row", { hasText: "title" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.insertText(" } } nonsense }");
    await page.locator(".graphiql-query-editor .squiggly-error").first().waitFor();
    for (const _ of "nonsense }") await page.keyboard.press("Backspace");
    await page.keyboard.insertText("}");
    const coming = page.waitForResponse((response) => response.request().postDataJSON()?.operationName === "Mine");
    await page.keyboard.press("ControlOrMeta+Enter");
    assert.equal((await (await coming).json()).data.posts.nodes.length, 1);
    await page.getByRole("button", { name: /^Prettify/ }).click();
    await page.locator(".graphiql-query-editor .view-line", { hasText: /^query\sMine\s\{$/ }).waitFor();
  }));

test("variables are prettified as JSON with their comments", () =>
  visit({}, async (page) => {
    await open(page);
    await tab(page, "Post").click();
    await page.locator(".graphiql-editor-tool .view-lines", { hasText: "slug" }).click();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.insertText('{"slug":"a", // mine\n"b":[1,2]}');
    await page.getByRole("button", { name: /^Prettify/ }).click();
    const line = page.locator(".graphiql-editor-tool .view-line", { hasText: /^\s+"slug":\s"a",\s\/\/\smine$/ });
    await line.waitFor();
  }));

for (const system of ["light", "dark"]) {
  test(`colours follow the ${system} colour scheme of the system and can be switched`, () =>
    visit({ colorScheme: system }, async (page) => {
      await open(page);
      const brightness = () =>
        page.evaluate(() => {
          const ground = (element) => getComputedStyle(element).backgroundColor.match(/\d+/g).slice(0, 3).map(Number);
          const all = [document.body, document.querySelector(".graphiql-container")].flatMap(ground);
          return Math.max(...all) < 100 ? "dark" : Math.min(...all) > 200 ? "light" : `neither: ${all}`;
        });
      assert.equal(await brightness(), system);
      const other = system === "light" ? "dark" : "light";
      await page.getByLabel("Colours").selectOption(other);
      assert.equal(await brightness(), other);
      assert.deepEqual(await seriousFaults(page, "body", THEIRS), [], other);
      if (other === "dark") await picture(page, "playground-dark");
    }));
}

test("on a phone the page fits the width, and every control is at least 40 px high", () =>
  visit({ viewport: PHONE, hasTouch: true, isMobile: true }, async (page) => {
    await open(page);
    await hasNoHorizontalScroll(page);
    await picture(page, "playground-phone");
    const small = await page.locator("button:visible, select:visible, #controls label:visible").evaluateAll((all) =>
      all.filter((one) => one.getBoundingClientRect().height < 40 && one.getBoundingClientRect().left >= 0).map((one) => one.outerHTML.slice(0, 120)),
    );
    assert.deepEqual(small, []);
    for (const part of [".graphiql-query-editor .view-lines", ".result-window .view-lines"]) {
      await page.locator(part).scrollIntoViewIfNeeded();
      const { x, width } = await page.locator(part).locator("..").boundingBox();
      assert.ok(x >= 0 && width > 150 && x + 150 < PHONE.width, `${part}: ${x}, ${width}`);
    }
    const { answer } = await runTab(page, "Archive");
    assert.equal(answer.errors, undefined);
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByRole("link", { name: "Query", exact: true }).click();
    await hasNoHorizontalScroll(page);
    await page.getByRole("button", { name: "Hide Documentation Explorer" }).click();
    assert.equal(await giveToken(page, TOKEN), SIGNED_IN);
    await hasNoHorizontalScroll(page);
  }));

test("axe-core finds no serious violation, also with the token dialog open", () =>
  visit({}, async (page) => {
    await open(page);
    assert.deepEqual(await seriousFaults(page, "body", THEIRS), []);
    await page.getByRole("button", { name: /^Token:/ }).click();
    await page.getByRole("button", { name: "Use it" }).click();
    await page.getByText("There is no token in the field.").waitFor();
    assert.deepEqual(await seriousFaults(page, "#token-dialog"), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByRole("link", { name: "Query", exact: true }).click();
    assert.deepEqual(await seriousFaults(page, ".graphiql-plugin", THEIRS), []);
  }));

test("the tab key visits the controls in their visual order", () =>
  visit({}, async (page) => {
    await open(page);
    await page.getByRole("link", { name: "Write in the editor" }).waitFor();
    await page.locator("h1").click();
    const names = [];
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press("Tab");
      names.push(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.closest("label, button, a")?.textContent));
    }
    assert.deepEqual(names.map((name) => name.slice(0, 12)), ["Write in the", "Token: none", "ColoursAutoL", "Show Documen"]);
  }));
