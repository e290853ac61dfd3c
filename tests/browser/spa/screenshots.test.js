// Takes the screenshots for the README if TIDINGS_SCREENSHOTS names a folder.
import { join } from "node:path";
import { test } from "node:test";
import { change, tokenOf, onSite, signIn } from "./setup.js";

const FOLDER = process.env.TIDINGS_SCREENSHOTS;
const SIZE = { viewport: { width: 1280, height: 860 } };
const skip = FOLDER ? false : "TIDINGS_SCREENSHOTS names no folder";

const OLD = "The lamp is lit at dusk, and nobody is allowed to say *finally*.\n\nThe tower has ninety-eight steps and no lift.";
const THEIRS = "The lamp is lit at sunset, and nobody is allowed to say *finally*.\n\nThe tower has ninety-seven steps. We counted.";
const MINE = "The lamp is lit at dusk, by hand, and nobody is allowed to say *finally*.\n\nThe tower has ninety-eight steps and no lift.";

for (const colorScheme of ["light", "dark"]) {
  test(`the latest posts, ${colorScheme}`, { skip }, () =>
    onSite(
      async (page) => {
        await page.goto("/");
        await page.locator("article").first().waitFor();
        await keep(page, `spa-latest-${colorScheme}`);
      },
      { ...SIZE, colorScheme },
    ));
}

test("a conflict", { skip }, () =>
  onSite(async (page) => {
    const { id } = await change("createPost", { title: "Lighting the lamp", markdown: OLD, tagSlugs: ["volunteers"] });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await page.getByLabel("Text", { exact: true }).fill(MINE);
    await change("updatePost", { id, expectedVersion: 1, markdown: THEIRS }, await tokenOf("Imelda's laptop", "EDITOR"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".clash").waitFor();
    await keep(page, "spa-conflict");
  }, SIZE));

async function keep(page, name) {
  await page.evaluate(() => document.fonts.ready);
  // Chromium's screenshots leave out the scroll bar, but not the space for it.
  await page.addStyleTag({ content: "html { scrollbar-gutter: auto }" });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
