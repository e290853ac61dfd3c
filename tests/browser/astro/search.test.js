// The search page: the only one with a script, which asks the server.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { withPage } from "../browser.js";
import { FILES, SERVER, serve, text } from "./setup.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const site = await serve();

function onSite(check, options) {
  return withPage({ origins: [site, SERVER], baseURL: site, ...options }, check);
}

test("a link leads to it from every page", () => {
  const pages = FILES.filter((file) => file.endsWith(".html"));
  assert.deepEqual(pages.filter((file) => !text(file).includes('<a href="/search"')), []);
});

test("what is typed is found and marked, a misspelt word is corrected by its suggestion, and results open posts and pages", () =>
  onSite(async (page) => {
    await page.goto("/");
    await page.getByRole("link", { name: "Search" }).click();
    const field = page.getByRole("searchbox");
    const status = (said) => page.getByRole("status").getByText(said, { exact: true });
    await field.pressSequentially("porridge");
    await page.locator("mark").getByText("porridge").first().waitFor();
    await field.fill("telescpe");
    await page.getByRole("link", { name: "telescope", exact: true }).click();
    await page.waitForURL("**/search?q=telescope");
    await page.getByRole("link", { name: "The Telescopes" }).click();
    await page.getByRole("heading", { level: 1, name: "The Telescopes" }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "First Light, and a Herring Gull" }).click();
    await page.getByRole("heading", { level: 1, name: "First Light, and a Herring Gull" }).waitFor();
    await page.goto("/search?q=night");
    await status("The best 10 results").waitFor();
    await page.getByRole("button", { name: "More results" }).press("Enter");
    await page.locator("article").nth(10).waitFor();
    assert.equal(await page.locator("article").nth(10).locator("a").evaluate((link) => link === document.activeElement), true);
    await field.fill("qqqqzzzz");
    await status("Nothing has these words.").waitFor();
    assert.equal(await page.locator("article").count(), 0);
  }));

test("without its server it says so, and while the index is built it asks again", () =>
  onSite(
    async (page) => {
      await page.route("**/graphql", (route) => route.abort());
      await page.goto("/search?q=moon");
      await page.getByText("The server does not answer. Try again later.").waitFor();
      await page.unroute("**/graphql");
      const json = { errors: [{ message: "It is being built.", extensions: { code: "SEARCH_NOT_READY", retryAfterMs: 10 } }] };
      await page.route("**/graphql", (route) => route.fulfill({ json, headers: { "access-control-allow-origin": "*" } }), { times: 2 });
      await page.getByRole("searchbox").press("Enter");
      await page.locator("mark").getByText("Moon").first().waitFor();
    },
    { tolerated: [/Failed to load resource/] },
  ));

for (const [name, options] of Object.entries({ light: {}, dark: { colorScheme: "dark" }, "on a phone": { viewport: { width: 360, height: 740 } } })) {
  test(`axe finds no violation, and nothing is wider than the window, ${name}`, () =>
    onSite(async (page) => {
      for (const address of ["/search", "/search?q=telescpe"]) {
        await page.goto(address);
        if (address !== "/search") await page.locator("mark").first().waitFor();
        await page.addScriptTag({ path: AXE });
        const { violations } = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], address);
        const { scrollWidth, clientWidth } = await page.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth }));
        assert.ok(scrollWidth <= clientWidth, address);
      }
    }, options));
}
