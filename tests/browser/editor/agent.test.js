// The draft that tests/tools/agent.mjs has written from a brief, in the hands of a person.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, onServer, signIn, written } from "./setup.js";

const SLUG = "what-we-know-of-the-lighthouse";

test("a person finds the draft of an agent, reads it and publishes it", () =>
  onServer(async (page) => {
    const post = () => ask(`{ post(slug: "${SLUG}") { status title } }`, {}, null);
    assert.deepEqual(await post(), { post: null });
    await signIn(page);
    await page.getByRole("link", { name: "What we know of the lighthouse" }).click();
    assert.match(await written(page), /Please check\.$/);
    await page.getByRole("button", { name: "Publish now" }).click();
    await page.getByText("Published.", { exact: true }).waitFor();
    assert.deepEqual(await post(), { post: { status: "PUBLISHED", title: "What we know of the lighthouse" } });
  }));
