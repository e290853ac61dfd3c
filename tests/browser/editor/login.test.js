// Signing in at a provider. The rule: the session ends with the token of the provider, and what was typed is there after the next sign-in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER, hasNoViolation, idOf, onServer, save, text } from "./setup.js";

const PROVIDER = process.env.TIDINGS_PROVIDER;

test("a person signs in at the provider, types beyond the end of the session, and signs in again", () =>
  onServer(
    async (page, context) => {
      assert.ok(PROVIDER, "TIDINGS_PROVIDER is not set");
      await page.goto("/editor/new");
      const signIn = page.getByRole("link", { name: "Sign in with 127.0.0.1" });
      await signIn.waitFor();
      await hasNoViolation(page, "the sign-in with a provider");
      await signIn.click();
      await page.getByRole("link", { name: "Continue as Ada" }).click();
      await page.waitForURL(`${SERVER}/editor/new`);
      await page.getByLabel("Title", { exact: true }).fill("Written for an hour");
      await text(page).fill("All of it.");
      await page.getByText("Not saved yet.").waitFor();
      const cookies = await context.cookies(`${SERVER}/graphql`);
      assert.deepEqual(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]), [["tidings_editor", true, "Strict"]]);
      // What the browser does when the token has expired.
      await context.clearCookies();
      await save(page).click();
      await page.getByRole("heading", { name: "You are not signed in" }).waitFor();
      await page.getByRole("button", { name: "Sign in again" }).click();
      await page.getByText("What you have typed is kept: sign in again.").waitFor();
      await signIn.click();
      await page.getByRole("link", { name: "Continue as Ada" }).click();
      await page.waitForURL(`${SERVER}/editor/new`);
      assert.equal(await page.getByLabel("Title", { exact: true }).inputValue(), "Written for an hour");
      await text(page).getByText("All of it.").waitFor();
      await save(page).click();
      await page.getByText("Saved as a draft.").waitFor();
      assert.match(idOf(page), /^post-/);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("link", { name: "Log out Ada" }).click();
      await page.waitForURL(`${SERVER}/editor`);
      await signIn.waitFor();
    },
    { origins: [SERVER, PROVIDER], tolerated: [/status of 401/] },
  ));

test("a login that was not begun here says so, once", () =>
  onServer(async (page) => {
    await page.goto("/editor/sign-in/callback?code=a&state=b");
    await page.getByRole("alert").getByText("It took too long, or was begun in another browser. Try again.").waitFor();
    await page.waitForURL(`${SERVER}/editor`);
    await page.reload();
    await page.getByRole("link", { name: "Sign in with 127.0.0.1" }).waitFor();
    assert.equal(await page.getByText("It took too long").count(), 0);
  }));
