// Pictures and files: chosen, pasted and dropped; the library and its page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RED, SERVER, TOKEN, ask, change, hasNoViolation, idOf, onServer, pasteHtml, save, signIn, text, tokenOf, written } from "./setup.js";

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

test("rich text becomes Markdown, and text without a form stays as it is", () =>
  onServer(async (page) => {
    await newPost(page, "Rich");
    await pasteHtml(
      page,
      "<meta charset='utf-8'><b style='font-weight:normal'><h2>The lamp</h2><p>It is <strong>lit</strong> at <em>dusk</em>, see <a href='https://example.org/a'>here</a>.</p>" +
        "<ul><li>one</li><li>two</li></ul><table><tr><th>A</th><th>B|C</th></tr><tr><td>1</td><td>2</td></tr></table><img src='data:image/png;base64,AA'><pre><code>x = 1\n</code></pre></b>",
    );
    const table = "| A | B\\|C |\n| --- | --- |\n| 1 | 2 |";
    const expected = ["## The lamp", "It is **lit** at *dusk*, see [here](https://example.org/a).", "-   one\n-   two", table, "```\nx = 1\n```"].join("\n\n");
    assert.equal(await written(page), expected);
    await text(page).press("ControlOrMeta+a");
    await pasteHtml(page, "<span style='color:red'>2 * 3 * 4</span>");
    assert.equal(await written(page), "plain");
    await text(page).press("ControlOrMeta+z");
    assert.equal(await written(page), expected);
    await text(page).fill("Mind the steps.");
    await text(page).press("ControlOrMeta+a");
    await page.getByRole("button", { name: "Alert", exact: true }).click();
    assert.equal((await written(page)).trim(), "> [!NOTE]\n> Mind the steps.");
    await page.locator(".preview .markdown-alert-note").waitFor();
  }));

for (const kind of ["paste", "drop"]) {
  test(`a picture that is put into the text by ${kind} is asked for its description and shown`, () =>
    onServer(async (page) => {
      await newPost(page, `A picture by ${kind}`);
      await text(page).fill("Before.");
      await give(page, kind, RED);
      await page.getByLabel("What the picture shows").fill("A [red] dot");
      await page.getByRole("button", { name: "Upload red.png" }).click();
      await page.locator("dialog").waitFor({ state: "detached" });
      assert.match(await written(page), /!\[A \\\[red\\\] dot\]\(\/assets\/[0-9a-f]{40}-\d+x\d+\.png\)/);
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

/** Uploads a file that no other test adds; returns its id and its address. */
async function uploaded(name, type, bytes) {
  const response = await fetch(`${SERVER}/assets?name=${name}`, { method: "POST", headers: { authorization: `Bearer ${TOKEN}`, "content-type": type }, body: bytes });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()).asset;
}

/** Everything that can name an asset, with one of its own for each. */
async function namedEverywhere() {
  const names = ["draft", "below-draft", "scheduled", "term", "field", "unsaved", "nowhere"];
  const files = {};
  for (const name of names) files[name] = await uploaded(`${name}.txt`, "text/plain", `A file for ${name}.`);
  files.enclosure = await uploaded("enclosure.mp3", "audio/mpeg", "ID3 of a test");
  files.avatar = await uploaded("avatar.gif", "image/gif", ofPixels(1));
  files.cover = await uploaded("cover.gif", "image/gif", ofPixels(2));
  const change = async (mutation) => {
    const { done } = await ask(`mutation { done: ${mutation} { userErrors { message } } }`);
    assert.deepEqual(done.userErrors, [], mutation);
  };
  await change(`createPost(input: { title: "U1", markdown: "[a](${files.draft.url})" })`);
  await change(`createPage(input: { path: "unused", title: "U2", markdown: "" })`);
  await change(`createPage(input: { path: "unused/below", title: "U3", markdown: "<a href=\\"${files["below-draft"].url}\\">a</a>" })`);
  await change(`createPost(input: { title: "U4", markdown: "${files.scheduled.url}", publishAt: "2099-01-01T00:00:00Z" })`);
  await change(`createTag(input: { name: "Unused", description: "See ${files.term.url}" })`);
  await change(`createPost(input: { title: "U5", markdown: "", publish: true, coverId: "${files.cover.id}", metadata: { map: { of: ["${files.field.id}"] } }, enclosure: { assetId: "${files.enclosure.id}" } })`);
  await change(`createAuthor(input: { name: "Unused", avatarId: "${files.avatar.id}" })`);
  return files;
}

test("what nothing names is marked and shown alone, and what anything names is not", () =>
  onServer(async (page) => {
    const files = await namedEverywhere();
    await signIn(page);
    await page.goto("/editor/new");
    await page.getByLabel("Title", { exact: true }).fill("Not saved yet");
    await text(page).fill(`[a](${files.unsaved.url})`);
    await page.getByText("Not saved yet.", { exact: true }).waitFor();
    await page.goto("/editor/media");
    const section = page.getByRole("region", { name: "Unused pictures and files" });
    assert.equal(await section.getByRole("checkbox").count(), 0);
    await section.getByRole("button", { name: "Find what is unused" }).click();
    await section.getByRole("status").getByText("unused").waitFor();
    await page.getByRole("article", { name: "nowhere.txt" }).getByText("unused", { exact: true }).waitFor();
    await hasNoViolation(page, "unused files");
    await section.getByLabel("Unused only").check();
    const shown = (await page.getByRole("article").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")))).sort();
    assert.ok(shown.includes("nowhere.txt"));
    assert.deepEqual(shown.filter((name) => Object.keys(files).some((file) => file !== "nowhere" && name.startsWith(`${file}.`))), []);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("article", { name: "nowhere.txt" }).getByRole("button", { name: "Delete" }).click();
    await page.getByText("nowhere.txt is deleted.").waitFor();
    await page.getByRole("article", { name: "nowhere.txt" }).waitFor({ state: "detached" });
  }));

test("if a part cannot be read, is changed meanwhile, or the search is stopped, nothing is marked", () =>
  onServer(
    async (page) => {
      await uploaded("idle.txt", "text/plain", "An idle file.");
      await signIn(page);
      await page.goto("/editor/media");
      const section = page.getByRole("region", { name: "Unused pictures and files" });
      const begin = () => section.getByRole("button", { name: "Find what is unused" }).click();
      const isAsked = (route, name) => route.request().postData()?.includes(`query ${name}(`);
      const meet = async (name, act) => {
        const handler = (route) => (isAsked(route, name) ? act(route) : route.fallback());
        await page.route("**/graphql", handler);
        await begin();
        return () => page.unroute("**/graphql", handler);
      };
      let leave = await meet("NamedByTags", (route) => route.fulfill({ json: { errors: [{ message: "No.", extensions: { code: "UNAVAILABLE" } }] } }));
      await section.getByRole("alert").getByText("Nothing is marked. The storage is out of reach.").waitFor();
      await leave();
      leave = await meet("NamedByTags", async (route) => {
        await change("createPost", { title: "Meanwhile", markdown: "" });
        await route.fallback();
      });
      await section.getByRole("alert").getByText("Somebody has changed something meanwhile.").waitFor();
      await leave();
      let held;
      const isHeld = new Promise((resolve) => {
        held = resolve;
      });
      leave = await meet("NamedByTags", held);
      const route = await isHeld;
      await section.getByRole("button", { name: "Stop" }).click();
      await route.fallback();
      await section.getByRole("button", { name: "Find what is unused" }).waitFor();
      assert.equal(await page.getByText("unused", { exact: true }).count(), 0);
      await leave();
    },
  ));

/** A GIF with one pixel, which no other test adds. */
function ofPixels(shade = 0) {
  const bytes = Buffer.from("R0lGODdhAQABAIABAAD/AAAAACwAAAAAAQABAAACAkQBADs=", "base64");
  bytes[13] = shade;
  return bytes;
}
