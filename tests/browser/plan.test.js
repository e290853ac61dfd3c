// The panel of the plan, on a server that holds no values, so that each query reads the storage, and whose limit is 1,000 requests. The rule: what the panel shows is compared with the plan in the
// answer, and with what the server reports of the same request by other means.
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, test } from "node:test";
import { PATIENCE_MS, withPage } from "./browser.js";
import { ORIGIN, TOKEN, giveToken, hasNoHorizontalScroll, open, planPanel, runTab, selectTab, seriousFaults, writeQuery } from "./graphiql.js";

const DESKTOP = { width: 1440, height: 900 };
// Of the pictures: the README shows them at two thirds of this width.
const PICTURE = { viewport: { width: 1200, height: 840 }, deviceScaleFactor: 1.5 };
const PHONE = { width: 390, height: 844 };
// Each waits for the browser most of the time.
const TESTS_AT_ONCE = 3;
const PICTURES = process.env.TIDINGS_SCREENSHOTS; // the folder for screenshots, if it is set

const visit = (options, act) => withPage({ origins: [ORIGIN], viewport: DESKTOP, reducedMotion: "reduce", ...options }, act);

async function picture(page, name) {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

const rowsOf = (page) => planPanel(page).getByRole("tree", { name: "Storage requests" }).getByRole("treeitem");
const barsOf = (page) => planPanel(page).locator("[data-requests]");
/** Waits until the locator finds so many elements: a page is painted some time after what it shows has changed. */
async function hasCount(locator, expected) {
  let count;
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    count = await locator.count();
    if (count === expected) return;
    await setTimeout(50);
  }
  assert.equal(count, expected);
}

const litFields = (page) => page.locator(".plan-lit");

/** Runs the query of a tab, and returns the plan in its answer when the panel shows it. */
async function runCounted(page, name) {
  const { answer } = await runTab(page, name);
  await planPanel(page).locator(".plan-body:not(.waits)").waitFor();
  return { answer, explain: answer.extensions.explain };
}

/** Points at an element until the page has shown it: what was drawn when the mouse came may have been drawn anew since, or have moved. */
async function pointAt(page, target, shown) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !(await shown.isVisible()); ) {
    await page.mouse.move(700, 5);
    await target.hover();
    await shown.waitFor({ timeout: 2_000 }).catch(() => {});
  }
  await shown.waitFor();
}

async function openAllGroups(page) {
  const closed = rowsOf(page).and(page.locator('[aria-expanded="false"]'));
  while ((await closed.count()) > 0) await closed.first().press("ArrowRight");
}

describe("the panel of the plan", { concurrency: TESTS_AT_ONCE }, () => {
  for (const scheme of ["light", "dark"]) {
    test(`the first view shows the plan of the first query without a click, ${scheme}`, () =>
      visit({ ...PICTURE, colorScheme: scheme }, async (page) => {
        await open(page);
        await planPanel(page).getByText(/^storage requests?$/).waitFor();
        await rowsOf(page).first().waitFor();
        assert.ok(!(await page.locator(".result-window").textContent()).includes("explain"), "the plan is in the answer");
        const meter = planPanel(page).getByRole("meter");
        const [spent, bound] = await Promise.all(["aria-valuenow", "aria-valuemax"].map(async (name) => Number(await meter.getAttribute(name))));
        assert.ok(spent > 0 && spent <= bound && bound <= 2 * spent, `${spent} of ${bound}`);
        // In the pictures, without the time that the browser takes to load the editors.
        if (PICTURES) {
          await planPanel(page).getByRole("button", { name: "Plan without running" }).click();
          await runTab(page, "Latest");
        }
        await pointAt(page, planPanel(page).getByRole("treeitem", { name: /^posts\.nodes\.\s?tags/ }).first(), page.locator(".plan-lit").first());
        await page.locator(".graphiql-query-editor .view-line span[class^=mtk]", { hasText: /^query$/ }).waitFor();
        await picture(page, scheme === "light" ? "plan" : "plan-dark");
      }));
  }

  test("the panel shows as many bars as a query makes storage requests", () =>
    visit({}, async (page) => {
      await open(page);
      for (const name of ["Latest", "Post", "Tag", "Filter", "Archive", "Backward", "Cost"]) {
        const { explain } = await runCounted(page, name);
        await openAllGroups(page);
        const reads = explain.spent.pointReads + explain.spent.rangeReads;
        assert.ok(reads > 0, "nothing was read");
        await hasCount(barsOf(page), reads);
        assert.equal(explain.requests.length, reads);
        assert.equal(await planPanel(page).locator(".plan-number strong").textContent(), String(explain.spent.storageRequests));
        await planPanel(page).getByRole("button", { name: "Table" }).click();
        await hasCount(planPanel(page).locator("tbody tr"), explain.requests.length);
      }
    }));

  test("a mutation has a plan with its transactions", () =>
    visit({}, async (page) => {
      await open(page);
      await giveToken(page, TOKEN);
      const { explain } = await runCounted(page, "Create");
      assert.ok(explain.spent.transactions > 0, JSON.stringify(explain.spent));
      await planPanel(page).getByText("transaction").first().waitFor();
    }));

  test("a bar shows what it read, by mouse and by keyboard", () =>
    visit({}, async (page) => {
      await open(page);
      const { explain } = await runCounted(page, "Cost");
      assert.ok(explain.requests.some(({ table, loader }) => table === "Authors" && loader === "terms"));
      const subject = planPanel(page).locator(".plan-subject", { hasText: "of the loader terms" });
      // The server may also read the range of all authors, which no loader asks for.
      const ofLoader = rowsOf(page).filter({ hasText: /^Authors[^]*, point read,/ }).first();
      await pointAt(page, ofLoader, subject);
      await page.mouse.move(700, 5);
      await planPanel(page).getByText("Point at a bar").waitFor();
      await rowsOf(page).first().focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Home");
      assert.match(await page.evaluate(() => document.activeElement.textContent), /round trip 1,/);
      await page.keyboard.press("Enter");
      assert.equal(await rowsOf(page).first().getAttribute("aria-selected"), "true");
    }));

  test("a field is lit in the tree of the fields and in the query", () =>
    visit({}, async (page) => {
      await open(page);
      await runCounted(page, "Cost");
      await hasCount(litFields(page), 0);
      await pointAt(page, planPanel(page).getByRole("treeitem", { name: /^posts\.nodes\.\s?authors/ }), page.locator(".plan-lit").first());
      assert.deepEqual(await page.locator(".plan-lit-text").allTextContents(), ["authors"]);
      await page.mouse.move(700, 5);
      await page.locator(".plan-lit").waitFor({ state: "detached" });
      await pointAt(page, page.locator(".graphiql-query-editor .view-line span", { hasText: /^tags$/ }).last(), planPanel(page).locator(".plan-field.is-lit").first());
    }));

  test("when the query changes, the panel says so and lights nothing", () =>
    visit({}, async (page) => {
      await open(page);
      await runCounted(page, "Cost");
      await page.locator(".graphiql-query-editor .graphiql-editor").focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("ControlOrMeta+End");
      await page.keyboard.insertText("# changed");
      await planPanel(page).getByText("The query has changed since").waitFor();
      await pointAt(page, rowsOf(page).first(), planPanel(page).locator(".waterfall-row.is-lit").first());
      await hasCount(litFields(page), 0);
    }));

  test("a plan without running has bounds, and nothing is run", () =>
    visit({}, async (page) => {
      await open(page);
      await selectTab(page, "Cost");
      const coming = page.waitForResponse((response) => response.request().postDataJSON()?.operationName === "Cost");
      await planPanel(page).getByRole("button", { name: "Plan without running" }).click();
      const response = await coming;
      assert.equal(await response.request().headerValue("graphql-cost"), "validate");
      const { data, extensions } = await response.json();
      assert.equal(data ?? null, null);
      assert.equal(extensions.explain.executed, false);
      await planPanel(page).getByText("at most", { exact: true }).waitFor();
      const shown = await planPanel(page).locator(".plan-number strong").textContent();
      assert.equal(shown.replaceAll(",", ""), String(extensions.explain.bound.storageRequests));
      await hasCount(barsOf(page), 0);
      await pointAt(page, planPanel(page).getByRole("treeitem", { name: /^posts\.nodes\.\s?authors\s*\d+ storage requests at most/ }), page.locator(".plan-lit").first());
      // The answer is of an earlier run, or absent.
      await page.getByText("Run the query to see its answer here.").waitFor();
      assert.deepEqual(await seriousFaults(page, ".plan"), []);
    }));

  const DEAR_PART = "tags(first: 100) { nodes { posts(first: 100) { nodes { tags { posts(first: 100) { nodes { body { html } } } } } } } }";
  const DEAR = `query Dear { ${DEAR_PART} more: ${DEAR_PART} }`;

  test("a query that is too dear shows its bound, the limit and the part that costs most", () =>
    visit({}, async (page) => {
      await open(page);
      await writeQuery(page, DEAR);
      await page.getByRole("button", { name: /^Execute query/ }).click();
      await planPanel(page).getByText("Refused before it ran").waitFor();
      await planPanel(page).getByText("the limit is 1,000").waitFor();
      const mostExpensive = planPanel(page).getByRole("button", { name: /^The part that costs most/ });
      await pointAt(page, mostExpensive, page.locator(".plan-lit").first());
      assert.deepEqual(await seriousFaults(page, ".plan"), []);
    }));

  test("hundreds of requests are grouped, and the panel stays usable", () =>
    visit({}, async (page) => {
      await open(page);
      await page.route(`${ORIGIN}/graphql`, async (route) => {
        const response = await route.fetch();
        const answer = await response.json();
        if (answer.extensions?.explain) answer.extensions.explain = manyRequests(answer.extensions.explain);
        await route.fulfill({ response, json: answer });
      });
      await runTab(page, "Cost");
      await planPanel(page).getByText("12 more requests not listed").waitFor();
      assert.ok((await rowsOf(page).count()) < 20);
      await rowsOf(page).filter({ hasText: /^Tags/ }).press("ArrowRight");
      await planPanel(page).getByText("key-299").waitFor();
      await page.keyboard.press("ArrowDown");
      // From here on, a key changes the row that was lit and the one that is lit now, and no other: its work does not grow with the rows.
      await page.evaluate(() => {
        globalThis.changed = [];
        const note = (records) => globalThis.changed.push(...records.map(({ target }) => target.className));
        new MutationObserver(note).observe(document.querySelector(".waterfall-rows"), { subtree: true, attributeFilter: ["class"] });
      });
      for (let step = 0; step < 19; step += 1) await page.keyboard.press("ArrowDown");
      assert.match(await page.evaluate(() => document.activeElement.textContent), /key-19/);
      const changed = await page.evaluate(() => globalThis.changed);
      assert.ok(changed.length >= 19 && changed.length <= 19 * 4, `${changed.length} changes of rows`);
    }));

  /** The same plan with 600 requests in two batches. */
  function manyRequests(explain) {
    const requests = Array.from({ length: 600 }, (_, index) => ({
      id: index + 1,
      kind: "POINT",
      table: index < 300 ? "Tags" : "Authors",
      partitionKey: "a",
      rowKey: `key-${index}`,
      rows: 1,
      bytes: 100,
      start: 100 + index,
      duration: 400,
      roundTrip: index < 300 ? 1 : 2,
      batch: index < 300 ? 1 : 2,
      loader: "terms",
    }));
    return { ...explain, requests, notListed: 12, spent: { ...explain.spent, storageRequests: 612, roundTrips: 2 } };
  }

  test("the panel stays closed for a visitor who closed it, and then no plan is asked for", () =>
    visit({}, async (page) => {
      await open(page);
      await page.getByRole("button", { name: "Hide Plan" }).click();
      const { request } = await runTab(page, "Cost");
      assert.equal(await request.headerValue("graphql-explain"), null);
      await page.reload();
      await page.locator(".graphiql-query-editor .view-lines", { hasText: "query" }).waitFor();
      await hasCount(planPanel(page), 0);
      await page.getByRole("button", { name: "Show Plan" }).click();
      const again = await runTab(page, "Cost");
      assert.equal(await again.request.headerValue("graphql-explain"), "report");
      await rowsOf(page).first().waitFor();
    }));

  test("each tab keeps its plan", () =>
    visit({}, async (page) => {
      await open(page);
      await runCounted(page, "Cost");
      const shown = await planPanel(page).locator(".plan-number").textContent();
      await selectTab(page, "Post");
      await planPanel(page).getByText("Run the query to see its plan").waitFor();
      await selectTab(page, "Cost");
      assert.equal(await planPanel(page).locator(".plan-number").textContent(), shown);
    }));

  test("axe-core finds no violation in the panel, light and dark", () =>
    visit({ colorScheme: "light" }, async (page) => {
      await open(page);
      await runCounted(page, "Cost");
      await openAllGroups(page);
      await rowsOf(page).nth(2).click();
      for (const form of ["Waterfall", "Table"]) {
        await planPanel(page).getByRole("button", { name: form }).click();
        for (const colorScheme of ["light", "dark"]) {
          await page.emulateMedia({ colorScheme });
          assert.deepEqual(await seriousFaults(page, ".plan"), [], `${form}, ${colorScheme}`);
        }
      }
    }));

  test("on a phone the panel is below the answer and fits the width", () =>
    visit({ viewport: PHONE, hasTouch: true, isMobile: true }, async (page) => {
      await open(page);
      await rowsOf(page).first().waitFor();
      await hasNoHorizontalScroll(page);
      const [panel, answer] = await Promise.all([planPanel(page).boundingBox(), page.locator(".graphiql-response").boundingBox()]);
      assert.ok(panel.y >= answer.y + answer.height, `${panel.y} above ${answer.y + answer.height}`);
      const small = await planPanel(page)
        .locator("button, [role=treeitem], summary")
        .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 40).map((one) => one.outerHTML.slice(0, 120)));
      assert.deepEqual(small, []);
      await planPanel(page).evaluate((panel) => panel.scrollIntoView());
      const row = rowsOf(page).filter({ hasText: /^Posts/ }).first();
      await row.tap();
      const subject = planPanel(page).locator(".plan-subject", { hasText: "round trip" });
      await subject.waitFor();
      const [shown, card] = await Promise.all([row.boundingBox(), subject.boundingBox()]);
      assert.ok(shown.y + shown.height <= card.y, "the row that was tapped is covered");
      await picture(page, "plan-phone");
      await planPanel(page).getByRole("button", { name: "Table" }).tap();
      await hasNoHorizontalScroll(page);
    }));
});
