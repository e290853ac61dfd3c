// The views of a published post beside it: as a sentence and as bars; without counting, nothing is shown (the other tests).
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, change, hasNoViolation, onServer, signIn, text } from "./setup.js";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

test("the views of a post are shown beside it", () =>
  onServer(async (page) => {
    const { id, slug } = await change("createPost", { title: "Read by two", markdown: "A line.", publish: true });
    for (const agent of [BROWSER, `${BROWSER} another`]) {
      const headers = { "content-type": "text/plain", "user-agent": agent };
      const { status } = await fetch(new URL("/views", process.env.TIDINGS_SERVER), { method: "POST", headers, body: slug });
      assert.equal(status, 204);
    }
    const query = "query ($id: ID!) { node(id: $id) { ... on Post { views } } }";
    // The server writes them within 10 s.
    while ((await ask(query, { id })).node.views < 2) await new Promise((resolve) => setTimeout(resolve, 200));
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).waitFor();
    await page.getByText("2 views in 30 days, 2 today, most on").waitFor();
    assert.equal(await page.locator(".view-plot rect").count(), 30);
    await hasNoViolation(page, "the views");
  }));
