// The playground of a server that shows neither its schema nor the storage cost.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./browser.js";
import { ORIGIN, open, runTab, seriousFaults } from "./graphiql.js";

const visit = (act) => withPage({ origins: [ORIGIN], viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" }, act);

test("without introspection the playground says so, and queries run", () =>
  visit(async (page) => {
    await open(page);
    await page.getByText("This server does not publish its schema").waitFor();
    for (const name of ["Latest", "Post", "Tag", "Filter", "Archive", "Backward"]) {
      const { answer } = await runTab(page, name);
      assert.equal(answer.errors, undefined, `${name}: ${JSON.stringify(answer.errors)}`);
    }
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByText("No GraphQL schema available").waitFor();
    assert.deepEqual(await seriousFaults(page, ".notice"), []);
  }));

test("without the storage cost the playground says how to get it", () =>
  visit(async (page) => {
    await open(page);
    await page.getByLabel("Storage cost").check();
    await runTab(page, "Cost");
    await page.getByText("its cost is not reported").waitFor();
  }));
