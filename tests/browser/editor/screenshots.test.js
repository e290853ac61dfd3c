// Takes the pictures of docs/images if TIDINGS_SCREENSHOTS names a folder.
import { join } from "node:path";
import { test } from "node:test";
import { change, onServer, save, signIn, text, tokenOf } from "./setup.js";

const FOLDER = process.env.TIDINGS_SCREENSHOTS;
const SIZE = { viewport: { width: 1280, height: 860 } };
const skip = FOLDER ? false : "TIDINGS_SCREENSHOTS names no folder";

const OLD = "The lamp is lit at dusk, and nobody is allowed to say *finally*.\n\nThe tower has ninety-eight steps and no lift.";
const THEIRS = "The lamp is lit at sunset, and nobody is allowed to say *finally*.\n\nThe tower has ninety-seven steps. We counted.";
const MINE = "The lamp is lit at dusk, by hand, and nobody is allowed to say *finally*.\n\nThe tower has ninety-eight steps and no lift.";

test("a post, beside the text as the server renders it", { skip }, () =>
  onServer(async (page) => {
    await signIn(page);
    await page.getByRole("link", { name: "Nine-Tenths of an Evening" }).click();
    await page.getByRole("button", { name: "Side by side" }).click();
    await page.locator(".preview .prose").waitFor();
    await text(page).waitFor();
    await page.locator(".cover").evaluate((image) => image.decode());
    await keep(page, "editor");
  }, SIZE));

test("a conflict", { skip }, () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "Lighting the lamp", markdown: OLD, tagSlugs: ["volunteers"] });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).fill(MINE);
    await change("updatePost", { id, expectedVersion: 1, markdown: THEIRS }, await tokenOf("Imelda's laptop", "EDITOR"));
    await save(page).click();
    await page.locator(".clash").waitFor();
    await keep(page, "editor-conflict");
  }, SIZE));

async function keep(page, name) {
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
