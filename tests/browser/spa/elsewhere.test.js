// The site on one origin, and the server on another one that allows it with --cors-origin.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER, SITE, TOKEN, ask, assertLoaded, change, onSite, scrollToEnd, slugsOf, slugsOn } from "./setup.js";

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
    // A page of this origin may also write, with a token.
    const written = await page.evaluate(
      async ([server, token]) => {
        const query = 'mutation { createPost(input: { title: "From afar", markdown: "" }) { post { title status } } }';
        const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
        return (await fetch(`${server}/graphql`, { method: "POST", headers, body: JSON.stringify({ query }) })).json();
      },
      [SERVER, TOKEN],
    );
    assert.deepEqual(written.data.createPost.post, { title: "From afar", status: "DRAFT" });
    assert.equal(await page.getByRole("link", { name: "For writers" }).getAttribute("href"), `${SERVER}/editor`);
    assert.deepEqual([...asked], [SERVER]);
  }));

/** The path of a post whose text has a picture of the server. */
async function pathOfPicture() {
  const { posts } = await ask("{ posts(first: 100) { nodes { cover { url } } } }");
  const { url } = posts.nodes.find(({ cover }) => cover).cover;
  const post = await change("createPost", { title: "A picture", markdown: `![A picture](${url})`, publishAt: "2020-01-01T00:00:00Z" });
  return `/posts/${post.slug}`;
}
