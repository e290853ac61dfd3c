// Helpers for the tests of examples/spa: the site in a browser, and direct requests to the server's API for the expected values.
import assert from "node:assert/strict";
import { withPage } from "../browser.js";

export const SITE = given("TIDINGS_SITE");
export const SERVER = given("TIDINGS_SERVER");
export const TOKEN = given("TIDINGS_TOKEN");

function given(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set: these tests are run by scripts/test -E 'test(front::spa)'`);
  return value;
}

/** Runs `test(page, context)` on the site, in a browser that reaches nothing but the site and the server. */
export function onSite(test, options = {}) {
  return withPage({ origins: [SITE, SERVER], baseURL: SITE, ...options }, test);
}

/** The data that the API returns for `token`, by default the admin's. */
export async function ask(query, variables = {}, token = TOKEN) {
  const headers = { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${token}` };
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

/** Waits until a picture is there, and fails if it cannot be loaded. */
export async function assertLoaded(picture) {
  await picture.scrollIntoViewIfNeeded();
  const width = await picture.evaluate(async (image) => {
    await image.decode().catch(() => {});
    return image.naturalWidth;
  });
  assert.ok(width > 0, `${await picture.getAttribute("src")} was not loaded`);
}

/** The slugs of the posts that a page lists, in their order. */
export async function slugsOn(page) {
  const links = await page.locator("article h2 a").evaluateAll((found) => found.map((link) => link.getAttribute("href")));
  return links.map((address) => address.replace("/posts/", ""));
}

/** Scrolls down step by step to the end of the list. */
export async function scrollToEnd(page) {
  const end = page.locator(".end");
  for (let turns = 0; turns < 200 && !(await end.isVisible()); turns += 1) {
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(40);
  }
  await end.waitFor();
}

/** The slugs of all posts in a list of the API, such as `tag(slug: "moon") { LIST }`. */
export async function slugsOf(query) {
  const data = await ask(`{ ${query.replace("LIST", "posts(first: 100) { nodes { slug } }")} }`);
  const found = JSON.stringify(data).matchAll(/"slug":"([^"]+)"/g);
  return [...found].map(([, slug]) => slug);
}
