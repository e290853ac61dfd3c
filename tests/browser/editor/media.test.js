// Pictures and files: chosen, pasted and dropped; the library and its page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RED, ask, change, idOf, onServer, save, signIn, text, tokenOf, written } from "./setup.js";

const NOT_A_PICTURE = { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("no picture") };
const NOTES = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Take a lamp.\n") };

/** Dispatches a paste or drop of a file on the field. */
async function give(page, kind, { name, mimeType, buffer }) {
  await text(page).evaluate(
    (field, { kind, name, mimeType, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], name, { type: mimeType }));
      const options = { bubbles: true, cancelable: true, clientX: 0, clientY: 0 };
      const event = kind === "paste" ? new ClipboardEvent("paste", { ...options, clipboardData: data }) : new DragEvent("drop", { ...options, dataTransfer: data });
      field.dispatchEvent(event);
    },
    { kind, name, mimeType, base64: buffer.toString("base64") },
  );
}

async function newPost(page, title) {
  await signIn(page);
  await page.goto("/editor/new");
  await page.getByLabel("Title", { exact: true }).fill(title);
  await text(page).waitFor();
}

for (const kind of ["paste", "drop"]) {
  test(`a picture that is put into the text by ${kind} is asked for its description and shown`, () =>
    onServer(async (page) => {
      await newPost(page, `A picture by ${kind}`);
      await text(page).fill("Before.");
      await give(page, kind, RED);
      await page.getByLabel("What the picture shows").fill("A [red] dot");
      await page.getByRole("button", { name: "Upload red.png" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      assert.match(await written(page), /!\[A \\\[red\\\] dot\]\(\/assets\/[0-9a-f]{40}\.png\)/);
      await save(page).click();
      await page.getByText("Saved as a draft.").waitFor();
      await page.getByRole("button", { name: "Preview", exact: true }).click();
      const picture = page.locator(".preview img");
      assert.equal(await picture.getAttribute("alt"), "A [red] dot");
      assert.ok(await picture.evaluate(async (image) => (await image.decode(), image.naturalWidth > 0)));
    }));
}

test("a file becomes a link, and one that the server refuses says why and can be left out", () =>
  onServer(
    async (page) => {
      await newPost(page, "Files");
      await give(page, "paste", NOTES);
      await page.getByLabel("The text of the link").fill("Our notes");
      await page.getByRole("button", { name: "Upload notes.txt" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      assert.match(await written(page), /^\[Our notes\]\(\/assets\/[0-9a-f]{40}\.txt\)$/);
      await give(page, "paste", NOT_A_PICTURE);
      await page.getByRole("button", { name: "Upload broken.png" }).click();
      await page.locator("dialog .problem").getByText(/\w/).waitFor();
      await page.getByRole("button", { name: "Leave it out broken.png" }).click();
      await page.getByRole("button", { name: "Close" }).click();
      assert.ok(!(await written(page)).includes("broken"));
    },
    { tolerated: [/status of 4\d\d/] },
  ));

test("a cover is chosen from the library, saved and taken away again", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "With a cover", markdown: "Text." });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await page.getByRole("button", { name: "Choose a cover" }).click();
    await page.getByRole("button", { name: /A brass telescope/ }).click();
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    const cover = async () => (await ask("query ($id: ID!) { node(id: $id) { ... on Post { cover { alt } } } }", { id })).node.cover;
    assert.match((await cover()).alt, /A brass telescope/);
    await page.getByRole("button", { name: "Without a cover" }).click();
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(await cover(), null);
    assert.equal(idOf(page), id);
  }));

test("the media page adds, describes and deletes a picture", () =>
  onServer(async (page) => {
    await signIn(page, await tokenOf("The archivist", "EDITOR"));
    await page.getByRole("link", { name: "Media" }).click();
    await page.locator(".drop input[type=file]").setInputFiles({ ...RED, name: "dot.png", buffer: ofPixels() });
    await page.getByLabel("What the picture shows").fill("A dot");
    await page.getByRole("button", { name: "Upload dot.png" }).click();
    await page.getByText("dot.png is added.").waitFor();
    const item = page.getByRole("article", { name: "A dot", exact: true });
    await item.getByLabel("What it shows").fill("A green dot");
    await item.getByRole("button", { name: "Save" }).click();
    const described = page.getByRole("article", { name: "A green dot", exact: true });
    await described.waitFor();
    page.on("dialog", (dialog) => dialog.accept());
    await described.getByRole("button", { name: "Delete" }).click();
    await page.getByText("A green dot is deleted.").waitFor();
    await described.waitFor({ state: "detached" });
  }));

/** A GIF with one pixel, which no other test adds. */
function ofPixels() {
  return Buffer.from("R0lGODdhAQABAIABAAD/AAAAACwAAAAAAQABAAACAkQBADs=", "base64");
}
