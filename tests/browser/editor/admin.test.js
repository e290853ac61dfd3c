// What admins manage: tokens, webhooks and the audit log, each with what a role may see of it.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { ask, change, hasNoViolation, isNotWider, onServer, signIn, tokenOf } from "./setup.js";

const nav = (page) => page.getByRole("navigation", { name: "Editor" });

async function openAdmin(page, section) {
  await signIn(page);
  await nav(page).getByRole("link", { name: "Admin" }).click();
  await page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name: section }).click();
  await page.getByRole("heading", { name: section, level: 1 }).waitFor();
}

const roleOf = (token) => ask("{ viewer { role author { slug } } }", {}, token).then(({ viewer }) => viewer);

test("a token is created by keyboard, its secret is shown once, and revoking it ends its access", () =>
  onServer(async (page) => {
    await openAdmin(page, "Tokens");
    const form = page.getByRole("form", { name: "New token" });
    await form.getByLabel("Name").focus();
    await page.keyboard.type("A guest of the tower");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Author");
    await form.getByLabel("Author", { exact: true }).selectOption({ label: "Zoë Ångström" });
    await form.getByLabel("Last day").fill("2001-01-01");
    await form.getByLabel("Last day").press("Enter");
    await form.getByText("Choose a day that has not passed.").waitFor();
    await form.getByLabel("Last day").fill("2099-12-31");
    await form.getByLabel("Last day").press("Enter");
    const shown = page.getByRole("region", { name: "The token “A guest of the tower”" });
    const secret = await shown.locator("code").innerText();
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "H2", "the focus is at the secret");
    assert.deepEqual(await roleOf(secret), { role: "AUTHOR", author: { slug: "zoe-angstrom" } });
    await hasNoViolation(page, "a new token");
    await shown.getByRole("button", { name: "I have kept it" }).click();
    await shown.waitFor({ state: "detached" });
    await page.reload();
    const item = page.locator(".items > li").filter({ hasText: "A guest of the tower" });
    await item.getByText("author: Zoë Ångström").waitFor();
    assert.equal(await page.getByText(secret).count(), 0);

    page.on("dialog", (dialog) => dialog.accept());
    await item.getByRole("button", { name: "Revoke A guest of the tower" }).click();
    await item.getByText(/^revoked/).waitFor();
    await assert.rejects(() => roleOf(secret), /UNAUTHENTICATED/);

    await form.getByLabel("Name").fill(" ");
    await form.getByRole("button", { name: "Create the token" }).click();
    await form.getByRole("alert").getByText(/\w/).waitFor();
  }));

/** A receiver on this machine; `answer.status` is what it answers. */
async function receiver() {
  const got = [];
  const answer = { status: 204 };
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      got.push({ id: request.headers["webhook-id"], signature: request.headers["webhook-signature"], body: JSON.parse(Buffer.concat(parts).toString()) });
      response.writeHead(answer.status).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { got, answer, url: `http://127.0.0.1:${server.address().port}/hook`, close: () => server.close() };
}

test("a webhook is created with filters, tested, changed, disabled, given another secret, replayed and deleted", async () => {
  const { got, answer, url, close } = await receiver();
  try {
    await onServer(async (page) => {
      page.on("dialog", (dialog) => dialog.accept());
      await openAdmin(page, "Webhooks");
      await page.getByText("There are none yet.").waitFor();
      await page.getByRole("button", { name: "New webhook" }).click();
      const form = page.getByRole("form", { name: "New webhook" });
      await form.getByLabel("Address").fill("nowhere");
      await form.getByRole("button", { name: "Create the webhook" }).click();
      await form.getByRole("alert").getByText(/\w/).waitFor();
      await form.getByLabel("Address").fill(url);
      await form.getByLabel("Messages", { exact: true }).selectOption("digest");
      await form.getByLabel("Seconds between two messages").fill("5");
      await form.getByLabel("Posts").check();
      await form.getByText("Only of some terms and languages").click();
      await form.getByLabel("Of these tags").fill("moon, comets-meteors");
      await hasNoViolation(page, "a new webhook");
      await form.getByRole("button", { name: "Create the webhook" }).click();
      const secret = page.getByRole("region", { name: `The secret of ${url}` });
      assert.match(await secret.locator("code").innerText(), /^whsec_/);
      await secret.getByRole("button", { name: "I have kept it" }).click();
      const query = "{ webhooks { id url state digestSeconds types tagSlugs } }";
      const [{ id, ...made }, ...others] = (await ask(query)).webhooks;
      assert.deepEqual([made, others], [{ url, state: "ACTIVE", digestSeconds: 5, types: ["POST"], tagSlugs: ["moon", "comets-meteors"] }, []]);

      await page.getByRole("link", { name: url }).click();
      await page.getByText("Nothing has been sent yet.").waitFor();
      await page.getByRole("button", { name: "Send a test" }).click();
      const deliveries = page.getByRole("region", { name: "Deliveries" });
      await deliveries.getByText("delivered").waitFor();
      assert.equal(got[0].body.type, "webhook.test");
      assert.ok(got[0].signature.startsWith("v1,"));
      await deliveries.getByRole("cell", { name: got[0].id }).waitFor();
      await hasNoViolation(page, "a webhook with a delivery");

      await page.getByText("Change what it gets").click();
      const edit = page.getByRole("form", { name: "Change the webhook" });
      await edit.getByLabel("Messages", { exact: true }).selectOption("each");
      await edit.getByLabel("Of these tags").fill("");
      await edit.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      assert.deepEqual((await ask(query)).webhooks[0], { id, url, state: "ACTIVE", digestSeconds: null, types: ["POST"], tagSlugs: [] });

      answer.status = 500;
      await page.getByRole("button", { name: "Send a test" }).click();
      await deliveries.getByText("refused").first().waitFor();
      await deliveries.getByRole("cell", { name: "500" }).first().waitFor();
      answer.status = 204;

      await page.getByRole("button", { name: "Rotate the secret" }).click();
      await page.getByRole("region", { name: "The new secret" }).getByText(/^whsec_/).waitFor();
      await page.getByRole("button", { name: "I have kept it" }).click();

      await page.getByRole("button", { name: "Disable" }).click();
      await page.getByText("It is disabled.").waitFor();
      assert.equal((await ask(query)).webhooks[0].state, "DISABLED");
      await page.getByRole("button", { name: "Enable" }).click();
      await page.getByText("It is enabled, and gets what it has missed.").waitFor();

      const { id: postId } = await change("createPost", { title: "Sent again", markdown: "", publish: true });
      const isOfPost = ({ body }) => body.data?.events?.some(({ nodeId }) => nodeId === postId);
      await page.getByText("Send changes again").click();
      await page.getByLabel("Since").fill(new Date(Date.now() - 3_600_000).toISOString().slice(0, 16));
      await page.getByRole("button", { name: "Send them again" }).click();
      await page.getByText("They are sent again, then those that follow.").waitFor();
      while (!got.some(isOfPost)) await new Promise((resolve) => setTimeout(resolve, 100));

      await page.setViewportSize({ width: 360, height: 740 });
      await isNotWider(page, "a webhook");
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByText("There are none yet.").waitFor();
      assert.deepEqual((await ask(query)).webhooks, []);
    }, { timezoneId: "UTC" });
  } finally {
    close();
  }
});

test("the audit log names who changed what, filters what is loaded, and continues", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Seen in the log", markdown: "" });
    await change("publishPost", { id, expectedVersion: 1 });
    await openAdmin(page, "Audit log");
    const entries = page.locator(".log > li");
    await entries.first().waitFor();
    await page.getByLabel("With the words").fill("seen in the log published");
    await page.getByText(/None of these \d+ entries matches/).waitFor();
    await page.getByLabel("With the words").fill("seen in the log");
    await entries.nth(2).waitFor({ state: "detached" });
    const texts = await entries.allInnerTexts();
    assert.equal(texts.length, 2);
    assert.match(texts[0].replaceAll("\n", " "), /^Seen in the log post published by Admin, /);
    await page.getByLabel("Of", { exact: true }).selectOption("Terms");
    await page.getByText(/None of these \d+ entries matches/).waitFor();
    await page.getByLabel("With the words").fill("");
    await page.getByLabel("Of", { exact: true }).selectOption("Everything");
    const count = await entries.count();
    await page.getByRole("button", { name: "Show more" }).click();
    await entries.nth(count).waitFor();
    await page.getByLabel("With the words").fill("seen in the log");
    await page.getByRole("link", { name: "Seen in the log" }).first().click();
    await page.getByRole("heading", { name: "Edit a post" }).waitFor();
  }));

test("a role sees only what the API allows to it", () =>
  onServer(async (page, context) => {
    for (const [role, links] of [
      ["READER", []],
      ["EDITOR", ["Audit log"]],
      ["ADMIN", ["Admin"]],
    ]) {
      await context.clearCookies();
      await page.goto("/editor");
      await page.evaluate(() => window.localStorage.clear());
      await signIn(page, await tokenOf(`Sees as ${role}`, role));
      const names = await nav(page).getByRole("link").allTextContents();
      assert.deepEqual(names.filter((name) => ["Admin", "Audit log"].includes(name)), links, role);
      await page.goto("/editor/admin/tokens");
      if (role === "ADMIN") await page.getByRole("form", { name: "New token" }).waitFor();
      else await page.getByText("This needs a token with a higher role.").waitFor();
    }
  }));
