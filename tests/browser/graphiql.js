// Actions of a visitor in the playground. The rule: elements are found by their visible names, and answers are read from the network responses.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export const ORIGIN = process.env.ORIGIN;
export const TOKEN = process.env.TOKEN;

const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** Opens the page and waits for the first answer, without a click. */
export async function open(page) {
  await page.goto(`${ORIGIN}/`);
  await page.locator(".result-window .view-lines", { hasText: '"data"' }).waitFor();
}

/** The answer to this operation. */
export const isOf = (operation) => (response) =>
  response.url() === `${ORIGIN}/graphql` && response.request().postDataJSON()?.operationName === operation;

/** The button that selects a tab; a tab also has a button that closes it. */
export const tab = (page, name) => page.locator(".graphiql-tab-button", { hasText: new RegExp(`^${name}$`) });

/** Selects a tab and waits for its query. */
export async function selectTab(page, name) {
  await tab(page, name).click();
  await page.locator(".graphiql-query-editor .view-lines", { hasText: new RegExp(`(query|mutation|subscription)\\s${name}`) }).waitFor();
}

/** Selects a tab and runs its query; returns the request and the answer. */
export async function runTab(page, name) {
  await selectTab(page, name);
  const coming = page.waitForResponse(isOf(name));
  await page.getByRole("button", { name: /^Execute query/ }).click();
  const response = await coming;
  const answer = await response.json();
  await page.locator(".result-window .view-lines", { hasText: answer.errors ? '"errors"' : '"data"' }).waitFor();
  return { request: response.request(), answer };
}

export const planPanel = (page) => page.getByRole("region", { name: "Plan" });

/** Replaces the query of a new tab. */
export async function writeQuery(page, text) {
  await page.getByRole("button", { name: "New tab" }).click();
  await page.locator(".graphiql-query-editor .graphiql-editor").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.insertText(text);
}

export const tokenDialog = (page) => page.getByRole("dialog", { name: "Token" });

/** Enters a token in the open dialog. */
export async function enterToken(page, token) {
  await tokenDialog(page).locator("input").fill(token);
  await tokenDialog(page).getByRole("button", { name: "Use it" }).click();
  await page.locator("#token-dialog:not([open]), #token-said.mistake").waitFor({ state: "attached" });
}

/** Enters a token. Returns the announced owner if the token is accepted; otherwise returns the reason and closes the dialog, which stays open. */
export async function giveToken(page, token) {
  await page.getByRole("button", { name: /^Token:/ }).click();
  await enterToken(page, token);
  if (await tokenDialog(page).isHidden()) return page.getByRole("status").filter({ hasText: /^You are signed in/ }).textContent();
  const reason = await tokenDialog(page).getByRole("status").textContent();
  await tokenDialog(page).getByRole("button", { name: "Close" }).click();
  return reason;
}

/** The violations in a part of the page that axe-core rates serious or critical, except those of the rules in `tolerated`. */
export async function seriousFaults(page, part, tolerated = {}) {
  // `evaluate` runs outside the page's content security policy, which would refuse an injected script element.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((selector) => globalThis.axe.run(selector), part);
  const serious = violations.filter(({ id, impact }) => ["serious", "critical"].includes(impact) && !(id in tolerated));
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

export async function hasNoHorizontalScroll(page) {
  const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= width, `${content} px in a window of ${width}`);
}
