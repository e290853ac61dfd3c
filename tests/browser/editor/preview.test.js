// The preview beside the text. The rule: it is what the server makes of the text as it is typed, and nothing of it is saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, change, onServer, signIn, text } from "./setup.js";

const prose = (page) => page.locator(".preview .prose");

async function countOfDrafts() {
  return (await ask("{ draftPosts { totalCount } }")).draftPosts.totalCount;
}

test("the preview of a new post shows what is typed as the server renders it, before anything is saved", () =>
  onServer(async (page) => {
    const before = await countOfDrafts();
    await signIn(page);
    await page.goto("/editor/new");
    await text(page).fill("# Leek soup\n\nWith ~~much~~ *some* bread.\n\n- [x] boiled");
    await prose(page).locator("del").getByText("much").waitFor();
    const { renderedMarkdown } = await ask('{ renderedMarkdown(markdown: "# Leek soup\\n\\nWith ~~much~~ *some* bread.\\n\\n- [x] boiled") { text } }');
    assert.equal((await prose(page).innerText()).replace(/\s+/g, " ").trim(), renderedMarkdown.text.replace(/\s+/g, " ").trim());
    assert.equal(await countOfDrafts(), before);
  }));

test("while a preview is under way no other is asked for, and the last text wins", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Typed fast", markdown: "Saved." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await prose(page).getByText("Saved.").waitFor();
    const sent = [];
    let [inFlight, most] = [0, 0];
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route("**/graphql", async (route) => {
      const { variables, query } = route.request().postDataJSON();
      if (!query.includes("renderedMarkdown")) return route.fallback();
      sent.push(variables.markdown);
      inFlight += 1;
      most = Math.max(most, inFlight);
      await held;
      const response = await route.fetch();
      inFlight -= 1;
      return route.fulfill({ response });
    });
    await text(page).fill("One.");
    await page.waitForRequest((request) => request.postData()?.includes("renderedMarkdown"));
    for (const more of ["Two.", "Three.", "Four."]) {
      await text(page).fill(more);
      await page.waitForTimeout(400);
    }
    assert.deepEqual(sent, ["One."]);
    release();
    await prose(page).getByText("Four.").waitFor();
    assert.deepEqual([sent, most], [["One.", "Four."], 1]);
    // What is saved needs no request.
    await text(page).fill("Saved.");
    await prose(page).getByText("Saved.").waitFor();
    assert.equal(sent.length, 2);
  }));

test("blocks that are not changed stay in the preview, so that nothing jumps", () =>
  onServer(async (page) => {
    const paragraphs = Array.from({ length: 60 }, (_, number) => `Paragraph ${number}.`);
    const { id } = await change("createPost", { title: "Long", markdown: paragraphs.join("\n\n") });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await prose(page).getByText("Paragraph 59.").waitFor();
    await page.evaluate(() => document.querySelectorAll(".preview .prose > p").forEach((paragraph) => (paragraph.isOld = true)));
    await text(page).getByText("Paragraph 12.").click();
    const scrolled = await page.evaluate(() => window.scrollY);
    await page.keyboard.press("End");
    await page.keyboard.type(" And more.");
    await prose(page).getByText("Paragraph 12. And more.").waitFor();
    const isOld = await prose(page).locator("> p").evaluateAll((found) => found.map((paragraph) => paragraph.isOld === true));
    assert.deepEqual(isOld, paragraphs.map((_, number) => number !== 12));
    assert.equal(await page.evaluate(() => window.scrollY), scrolled);
  }));

test("a text that the server cannot render now keeps the preview of the one before, and says so", () =>
  onServer(
    async (page, context) => {
      const { id } = await change("createPost", { title: "Out of reach", markdown: "Rendered." });
      await signIn(page);
      await page.goto(`/editor/posts/${id}`);
      await prose(page).getByText("Rendered.").waitFor();
      await context.setOffline(true);
      await text(page).fill("Not yet.");
      await page.getByText("This is an earlier text. Check your connection, then try again.").waitFor();
      assert.equal((await prose(page).innerText()).trim(), "Rendered.");
      await context.setOffline(false);
      await text(page).fill("Again.");
      await prose(page).getByText("Again.").waitFor();
      assert.equal(await page.getByText("This is an earlier text.").count(), 0);
    },
    { tolerated: [/ERR_INTERNET_DISCONNECTED/] },
  ));

test("on a phone the preview of what is typed is below a switch", () =>
  onServer(
    async (page) => {
      await signIn(page);
      await page.goto("/editor/new");
      await text(page).fill("On **the phone**.");
      assert.equal(await prose(page).count(), 0);
      await page.getByRole("button", { name: "Preview", exact: true }).click();
      await prose(page).locator("strong").getByText("the phone").waitFor();
      await page.getByRole("button", { name: "Write", exact: true }).click();
      await text(page).getByText("On **the phone**.").waitFor();
    },
    { viewport: { width: 360, height: 740 } },
  ));
