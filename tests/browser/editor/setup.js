// Helpers for the tests of the editor: the server's own page in a browser, and direct requests to its API for the expected values.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { withPage } from "../browser.js";

export const SERVER = given("TIDINGS_SERVER");
export const TOKEN = given("TIDINGS_TOKEN");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

function given(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: these tests are run by scripts/test -E 'test(front::editor)'`);
  return value;
}

/** Runs `test(page, context)` in a browser that reaches nothing but the server. */
export function onServer(test, options = {}) {
  return withPage({ origins: [SERVER], baseURL: SERVER, ...options }, test);
}

/** The data that the API returns for `token`, by default the admin's; null for everyone. */
export async function ask(query, variables = {}, token = TOKEN) {
  const headers = { "content-type": "application/json", accept: "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) };
  const response = await fetch(`${SERVER}/graphql`, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

/** Runs a mutation that must succeed; returns the post. */
export async function change(name, input, token = TOKEN) {
  const type = { createPost: "CreatePostInput!", updatePost: "UpdatePostInput!", publishPost: "PublishPostInput!" }[name];
  const query = `mutation ($input: ${type}) { ${name}(input: $input) { post { id slug version } userErrors { message } } }`;
  const answer = (await ask(query, { input }, token))[name];
  assert.deepEqual(answer.userErrors, []);
  return answer.post;
}

/** Lets the page hear nothing of what others save, as behind a proxy that holds streams back. */
export async function hearNothing(page) {
  const refused = { errors: [{ message: "No.", extensions: { code: "FORBIDDEN", retryable: false } }] };
  await page.route("**/graphql", (route) => (route.request().postData()?.includes("@live") ? route.fulfill({ json: refused }) : route.fallback()));
}

const tokens = new Map();

/** The token with this name; the first call creates it, later calls return the same one. */
export async function tokenOf(name, role) {
  if (!tokens.has(name)) {
    const query = "mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret userErrors { message } } }";
    const { secret, userErrors } = (await ask(query, { input: { name, role } })).createToken;
    assert.deepEqual(userErrors, []);
    tokens.set(name, secret);
  }
  return tokens.get(name);
}

export async function signIn(page, token = TOKEN) {
  await page.goto("/editor");
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Your desk" }).waitFor();
}

/** The field for Markdown. */
export const text = (page) => page.getByRole("textbox", { name: "Text", exact: true });

/** Pastes rich texts, each with its plain form, into the field; fails if it does not take one. */
export async function pasteHtml(page, ...texts) {
  const taken = await text(page).evaluate((field, texts) => {
    return texts.filter((html) => {
      const data = new DataTransfer();
      data.setData("text/html", html);
      data.setData("text/plain", "plain");
      return !field.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
    }).length;
  }, texts);
  assert.equal(taken, texts.length);
}

/** What it shows. */
export async function written(page) {
  await text(page).waitFor();
  return (await text(page).locator(".cm-line").allInnerTexts()).map((line) => (line === "\n" ? "" : line)).join("\n");
}

export const save = (page) => page.getByRole("button", { name: "Save", exact: true });

/** The id of the post or page that is being edited. */
export function idOf(page) {
  return decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1));
}

export async function hasNoViolation(page, name) {
  // The policy of the page allows no script of others, so it is run by the browser's protocol.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run());
  const found = violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}: ${node.failureSummary}`));
  assert.deepEqual(found, [], name);
}

export async function isNotWider(page, name) {
  const { content, window: width } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(content <= width, `${name} is ${content} wide, the window ${width}`);
}

/** A file for a field, and for a drop: a PNG with one red pixel. */
export const RED = {
  name: "red.png",
  mimeType: "image/png",
  buffer: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mO4IyICAALUAQVnjQBuAAAAAElFTkSuQmCC", "base64"),
};

/** The slugs of all public posts, the newest first. */
export async function slugsOfAll() {
  const { posts } = await ask("{ posts(first: 100) { nodes { slug } } }", {}, null);
  return posts.nodes.map(({ slug }) => slug);
}
