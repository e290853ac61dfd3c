// The playground on a blog without posts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./browser.js";
import { ORIGIN, open, runTab } from "./graphiql.js";

test("each example that needs no token runs without an error", () =>
  withPage({ origins: [ORIGIN], viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" }, async (page) => {
    await open(page);
    for (const name of ["Latest", "Post", "Tag", "Filter", "Search", "Archive", "Backward", "Cost"]) {
      const { answer } = await runTab(page, name);
      assert.equal(answer.errors, undefined, `${name}: ${JSON.stringify(answer.errors)}`);
    }
  }));
