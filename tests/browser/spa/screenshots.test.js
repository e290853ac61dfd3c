// Takes the screenshots for the README if TIDINGS_SCREENSHOTS names a folder.
import { join } from "node:path";
import { test } from "node:test";
import { onSite } from "./setup.js";

const FOLDER = process.env.TIDINGS_SCREENSHOTS;
const SIZE = { viewport: { width: 1280, height: 860 } };
const skip = FOLDER ? false : "TIDINGS_SCREENSHOTS names no folder";

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

async function keep(page, name) {
  await page.evaluate(() => document.fonts.ready);
  // Chromium's screenshots leave out the scroll bar, but not the space for it.
  await page.addStyleTag({ content: "html { scrollbar-gutter: auto }" });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
