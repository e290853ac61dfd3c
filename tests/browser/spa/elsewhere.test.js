// The site on one origin, and the server on another one that allows it with --cors-origin.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER, SITE, ask, assertLoaded, change, onSite, scrollToEnd, signIn, slugsOf, slugsOn } from "./setup.js";

test("a site on another origin reads and writes by CORS", () =>
  onSite(async (page) => {
    assert.notEqual(SITE, SERVER);
    const asked = new Set();
    page.on("request", (request) => {
      if (request.url().endsWith("/graphql")) asked.add(new URL(request.url()).origin);
    });
    await page.goto("/");
    await page.locator("article").first().waitFor();
    await scrollToEnd(page);
    assert.deepEqual(await slugsOn(page), await slugsOf("LIST"));
    await assertLoaded(page.locator("article img.cover").last());
    await page.goto(await pathOfPicture());
    await assertLoaded(page.locator(".prose img").first());
    await signIn(page);
    await page.getByRole("link", { name: "Write a post" }).click();
    await page.getByLabel("Title", { exact: true }).fill("From afar");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved as a draft.").waitFor();
    assert.deepEqual([...asked], [SERVER]);
  }));

/** The path of a post whose text has a picture of the server. */
async function pathOfPicture() {
  const { posts } = await ask("{ posts(first: 100) { nodes { cover { url } } } }");
  const { url } = posts.nodes.find(({ cover }) => cover).cover;
  const post = await change("createPost", { title: "A picture", markdown: `![A picture](${url})`, publishAt: "2020-01-01T00:00:00Z" });
  return `/posts/${post.slug}`;
}
