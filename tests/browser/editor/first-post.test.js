// The first post of an empty store, on a phone, by somebody who has read only what the page says. The browser reaches nothing but the server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RED, TOKEN, ask, isNotWider, onServer, save, text } from "./setup.js";

test("a newcomer writes and publishes a first post with a picture on a phone", () =>
  onServer(
    async (page) => {
      await page.goto("/editor");
      await page.getByText("tidings token create --role editor").waitFor();
      await page.getByLabel("Token").fill(TOKEN);
      await page.getByRole("button", { name: "Sign in" }).tap();
      await page.getByText("Nothing has been published yet.").waitFor();
      await page.getByRole("link", { name: "Write a post" }).tap();
      await page.getByLabel("Title", { exact: true }).fill("Hello from a phone");
      await text(page).tap();
      await page.keyboard.type("The first words.");
      await page.getByRole("button", { name: "Picture or file" }).tap();
      await page.getByText("There are no pictures or files yet.").waitFor();
      await page.locator("dialog input[type=file]").setInputFiles(RED);
      await page.getByLabel("What the picture shows").fill("A red dot");
      await isNotWider(page, "the dialog");
      await page.getByRole("button", { name: "Upload red.png" }).tap();
      await page.locator("dialog").waitFor({ state: "detached" });
      await save(page).tap();
      await page.getByText("Saved as a draft.").waitFor();
      await page.getByRole("button", { name: "Preview", exact: true }).tap();
      await page.locator(".preview img").waitFor();
      await isNotWider(page, "the preview");
      await page.getByRole("button", { name: "Publish now" }).tap();
      await page.getByText("Published.", { exact: true }).waitFor();
      const { posts } = await ask("{ posts(first: 5) { nodes { title body { text html } } } }", {}, null);
      const [{ title, body }] = posts.nodes;
      assert.deepEqual([posts.nodes.length, title], [1, "Hello from a phone"]);
      assert.match(body.text, /^The first words\./);
      assert.match(body.html, /<img[^>]* alt="A red dot"/);
      await page.getByRole("link", { name: "Posts" }).tap();
      await page.getByRole("region", { name: "Published last" }).getByRole("link", { name: "Hello from a phone" }).waitFor();
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  ));
