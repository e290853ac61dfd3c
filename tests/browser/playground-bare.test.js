// The playground of a server that shows neither its schema nor its plans.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withPage } from "./browser.js";
import { ORIGIN, open, planPanel, runTab, seriousFaults } from "./graphiql.js";

const visit = (act) => withPage({ origins: [ORIGIN], viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" }, act);

test("without introspection the playground says so, and queries run", () =>
  visit(async (page) => {
    await open(page);
    await page.getByText("This server does not publish its schema").waitFor();
    for (const name of ["Latest", "Post", "Tag", "Filter", "Search", "Archive", "Backward"]) {
      const { answer } = await runTab(page, name);
      assert.equal(answer.errors, undefined, `${name}: ${JSON.stringify(answer.errors)}`);
    }
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    await page.getByText("No GraphQL schema available").waitFor();
    assert.deepEqual(await seriousFaults(page, ".notice"), []);
  }));

test("without a reported plan the panel is closed, and says who gets one", () =>
  visit(async (page) => {
    await open(page);
    assert.equal(await planPanel(page).count(), 0);
    await page.getByRole("button", { name: "Show Plan" }).click();
    await planPanel(page).getByText("Run the query to see its plan").waitFor();
    await runTab(page, "Cost");
    await planPanel(page).getByText("The server does not show you its plan").waitFor();
    await planPanel(page).getByRole("button", { name: "Plan without running" }).click();
    await planPanel(page).getByText("for everyone, the server is started with --report-storage").waitFor();
    assert.deepEqual(await seriousFaults(page, ".plan"), []);
  }));
