// What pictures, terms, and posts have besides their text: focal points, translations, podcasts, link cards, the tree of categories, merges.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RED, ask, change, hasNoViolation, idOf, isNotWider, onServer, save, signIn, text, tokenOf } from "./setup.js";

const focus = (page) => page.getByRole("slider", { name: "Focal point" });

test("the focal point of a picture is set by a click, by dragging and by keys, in the library and for a cover", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.goto("/editor/media");
    const item = page.locator(".asset").filter({ has: page.getByRole("button", { name: /^Focal point/ }) }).first();
    await item.getByRole("button", { name: /^Focal point/ }).click();
    await focus(page).waitFor();
    const picture = await page.locator(".focal img").elementHandle();
    await page.waitForFunction((image) => image.complete && image.naturalWidth > 0, picture);
    const frame = await page.locator(".focal").boundingBox();
    const at = (x, y) => [frame.x + frame.width * x, frame.y + frame.height * y];
    await page.mouse.click(...at(0.25, 0.75));
    assert.equal(await focus(page).getAttribute("aria-valuetext"), "25 % from the left, 75 % from the top");
    await page.mouse.down();
    await page.mouse.move(...at(0.5, 0.4), { steps: 4 });
    await page.mouse.up();
    assert.equal(await focus(page).getAttribute("aria-valuetext"), "50 % from the left, 40 % from the top");
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("ArrowUp");
    assert.equal(await focus(page).getAttribute("aria-valuetext"), "60 % from the left, 39 % from the top");
    await hasNoViolation(page, "a focal point");
    await page.getByLabel("Caption").fill("In the lamp room");
    await page.getByRole("button", { name: "Save the picture" }).click();
    await page.getByRole("status").getByText("Saved.").waitFor();
    const query = "{ assets(first: 100) { nodes { id ... on Image { focalPoint { x y } caption } } } }";
    const isSet = ({ focalPoint, caption }) => focalPoint?.x === 60 && focalPoint.y === 39 && caption === "In the lamp room";
    const [set] = (await ask(query)).assets.nodes.filter(isSet);
    assert.ok(set);

    const { id } = await change("createPost", { title: "With a cover", markdown: "", coverId: set.id });
    await page.goto(`/editor/posts/${id}`);
    const cover = page.locator("img.cover");
    await cover.waitFor();
    assert.equal(await cover.evaluate((image) => image.style.objectPosition), "60% 39%");
    await page.getByRole("button", { name: "Focal point" }).click();
    await focus(page).press("Shift+ArrowLeft");
    await page.setViewportSize({ width: 360, height: 740 });
    await isNotWider(page, "the dialog of a picture");
    await page.getByRole("button", { name: "Save the picture" }).click();
    await page.waitForFunction(() => document.querySelector("img.cover")?.style.objectPosition === "50% 39%");
    assert.equal(await page.getByRole("status").first().innerText(), "All is saved.", "the post itself has not changed");
    await page.getByRole("button", { name: "Focal point" }).click();
    await page.getByRole("button", { name: "Use the middle" }).click();
    await page.getByRole("button", { name: "Save the picture" }).click();
    await page.waitForFunction(() => document.querySelector("img.cover")?.style.objectPosition === "");
  }, { viewport: { width: 1280, height: 900 } }));

test("a translation begins as a copy, is listed with its status beside the others, and is unlinked", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "By night", markdown: "It is dark.", language: "en", tagSlugs: ["moon"], publish: true });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await page.getByText("Translations").click();
    const into = page.getByLabel("Translate into");
    await into.fill("no language");
    await into.press("Enter");
    await page.locator(".history .problem").getByText(/\w/).waitFor();
    await into.fill("ar");
    await into.press("Enter");
    await page.waitForURL((url) => !url.pathname.endsWith(id) && url.pathname.includes("/posts/"));
    await page.getByRole("link", { name: "By night" }).waitFor();
    const other = idOf(page);
    const query = "query ($id: ID!) { node(id: $id) { ... on Post { title language status tags { slug } body { markdown } translations { id } } } }";
    const { node } = await ask(query, { id: other });
    assert.deepEqual(
      { ...node, translations: node.translations.map((one) => one.id).filter((one) => one !== other) },
      { title: "By night", language: "ar", status: "DRAFT", tags: [{ slug: "moon" }], body: { markdown: "It is dark." }, translations: [id] },
    );
    await page.getByLabel("Title", { exact: true }).fill("ليلا");
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    await page.getByRole("link", { name: "By night" }).click();
    const list = page.locator("details").filter({ hasText: "Translations" });
    await list.getByRole("link", { name: "ليلا" }).waitFor();
    await list.getByText("draft", { exact: true }).waitFor();
    await list.getByText("Arabic (ar)").waitFor();
    await hasNoViolation(page, "a post with translations");
    page.on("dialog", (dialog) => dialog.accept());
    await list.getByRole("button", { name: "Unlink ليلا" }).click();
    await list.getByRole("link", { name: "ليلا" }).waitFor({ state: "detached" });
    const rest = (await ask(query, { id })).node.translations.filter((one) => one.id !== id);
    assert.deepEqual(rest, []);
  }));

test("a post that exists is found and linked as a translation, and a refusal says why", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "The quince", markdown: "It is yellow.", language: "en" });
    const german = await change("createPost", { title: "Die Quitte", markdown: "Sie ist gelb, zwiebelgelb.", language: "de" });
    await change("createPost", { title: "Another quince", markdown: "It is zwiebelgelb too.", language: "en" });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await page.getByText("Translations").click();
    const panel = page.locator("details").filter({ hasText: "Translations" });
    await panel.getByRole("button", { name: "Link one that exists" }).click();
    const field = panel.getByRole("searchbox", { name: "Find the post" });
    await field.fill("zwiebelgelb");
    await field.press("Enter");
    await panel.getByRole("button", { name: "Link Another quince" }).click();
    await panel.locator(".problem").getByText(/\w/).waitFor();
    await hasNoViolation(page, "posts to link");
    await panel.getByRole("button", { name: "Link Die Quitte" }).click();
    await panel.getByRole("link", { name: "Die Quitte" }).waitFor();
    await panel.getByText("German (de)").waitFor();
    assert.equal(await panel.getByRole("searchbox").count(), 0);
    const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { title translations { id } } } }", { id });
    assert.deepEqual(node.translations.map((one) => one.id).filter((one) => one !== id), [german.id]);
    await page.getByLabel("Title", { exact: true }).fill("The yellow quince");
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, `/editor/posts/${id}`, "Enter in the search saves and opens nothing");
  }));

test("a page is translated at a path of its own", () =>
  onServer(async (page) => {
    const made = await ask('mutation { createPage(input: { path: "ladder", title: "The ladder", markdown: "", language: "en" }) { page { id } } }');
    const { id } = made.createPage.page;
    await signIn(page);
    await page.goto(`/editor/pages/${id}`);
    await page.getByText("Translations").click();
    await page.getByLabel("Translate into").fill("de");
    assert.equal(await page.getByLabel("Path of the translation").inputValue(), "ladder-de");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByRole("link", { name: "The ladder" }).waitFor();
    const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Page { path language } } }", { id: idOf(page) });
    assert.deepEqual(node, { path: "ladder-de", language: "de" });
  }));

test("a post gets a recording of the site, one elsewhere, and none", () =>
  onServer(async (page) => {
    const { id } = await change("createPost", { title: "To be heard", markdown: "" });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    const query = "query ($id: ID!) { node(id: $id) { ... on Post { enclosure { url contentType byteSize } } } }";
    const saved = async () => {
      await save(page).click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      return (await ask(query, { id })).node.enclosure;
    };
    const field = page.getByRole("group", { name: "Audio or video" });
    await field.getByRole("button", { name: "Choose a file" }).click();
    const sound = { name: "night.mp3", mimeType: "audio/mpeg", buffer: Buffer.from("ID3\u0004\u0000\u0000\u0000\u0000\u0000\u0000 of the night", "latin1") };
    await page.locator("dialog input[type=file]").setInputFiles(sound);
    await page.getByRole("button", { name: "Upload night.mp3" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    const own = await saved();
    assert.match(own.url, /\.mp3$/);
    assert.deepEqual([own.contentType, own.byteSize], ["audio/mpeg", sound.buffer.length]);

    await field.getByRole("button", { name: "Without a file" }).click();
    assert.equal(await saved(), null);
    await field.getByRole("button", { name: "A file elsewhere" }).click();
    await field.getByLabel("Its address").fill("nowhere");
    await field.getByLabel("Its size in bytes").fill("much");
    await save(page).click();
    await field.getByText("A size is a number of bytes.").waitFor();
    await field.getByLabel("Its size in bytes").fill("1234");
    await save(page).click();
    await field.locator(".problem").getByText(/\w/).waitFor();
    await field.getByLabel("Its address").fill("https://sounds.example/night.ogg");
    await field.getByLabel("Its type").fill("audio/ogg");
    assert.deepEqual(await saved(), { url: "https://sounds.example/night.ogg", contentType: "audio/ogg", byteSize: 1234 });
  }));

test("the cards of a link follow what is typed", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.goto("/editor/new");
    await page.getByLabel("Title", { exact: true }).fill("A title that is much longer than what the results of a search engine show");
    await page.getByLabel("Excerpt").fill("What it is about.");
    await page.getByText("Search engines and links").click();
    const snippet = page.getByRole("group", { name: "In a search engine" });
    await snippet.getByText(/^A title that is much longer .*…$/).waitFor();
    await snippet.getByText("What it is about.").waitFor();
    const card = page.getByRole("group", { name: "As a link in messages" });
    await card.getByText("Without a cover, the link has no picture.").waitFor();
    await page.getByRole("button", { name: "Choose a cover" }).click();
    await page.locator("dialog .library button").first().click();
    await card.locator("img").waitFor();
    await hasNoViolation(page, "the cards of a link");
  }));

test("categories are a tree: one is created below another, moved to the top, and merged", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.goto("/editor/terms/categories");
    await page.getByLabel("Name").fill("Night");
    await page.getByRole("button", { name: "Create the category" }).click();
    await page.getByText("Night is created.").waitFor();
    await page.getByLabel("Name").fill("Dusk");
    await page.getByLabel("Below").selectOption({ label: "Night" });
    await page.getByRole("button", { name: "Create the category" }).click();
    await page.getByText("Dusk is created.").waitFor();
    const night = page.locator(".items > li").filter({ hasText: "Night" }).first();
    await night.locator(".below .name").getByText("Dusk").waitFor();
    const parentOfDusk = async () => (await ask('{ category(slug: "dusk") { parent { slug } } }')).category?.parent;
    assert.deepEqual(await parentOfDusk(), { slug: "night" });

    await page.getByRole("button", { name: "Edit Night" }).click();
    await night.getByLabel("Below").locator("option", { hasText: "At the top" }).waitFor({ state: "attached" });
    await page.waitForFunction(() => [...document.querySelectorAll(".items select option")].length > 1);
    const offered = await night.getByLabel("Below").first().locator("option").allTextContents();
    assert.ok(!offered.some((name) => /Night|Dusk/.test(name)), offered.join());
    await page.getByRole("button", { name: "Edit Night" }).click();

    await page.getByRole("button", { name: "Edit Dusk" }).click();
    const dusk = night.locator(".below li");
    await dusk.getByLabel("Below").selectOption({ label: "At the top" });
    await dusk.getByRole("button", { name: "Save" }).click();
    await page.getByText("Dusk is saved.").waitFor();
    assert.equal(await parentOfDusk(), null);

    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Merge Dusk" }).click();
    await hasNoViolation(page, "a category to merge");
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByText("Choose the category that remains.").waitFor();
    await page.getByLabel("Merge into").selectOption({ label: "Night" });
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await page.getByText("Dusk is merged into Night.").waitFor();
    assert.deepEqual((await ask('{ category(slug: "dusk") { slug } }')).category, { slug: "night" });
  }));

test("an editor changes series, and only sees the other terms", () =>
  onServer(async (page) => {
    await signIn(page, await tokenOf("Of series only", "EDITOR"));
    await page.goto("/editor/terms/tags");
    await page.getByText("Only a token with the role admin can change them.").waitFor();
    await page.locator(".items > li").first().waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Edit|Merge|Delete)/ }).count(), 0);
    await page.getByRole("link", { name: "Series" }).click();
    await page.getByLabel("Name").fill("By an editor");
    await page.getByRole("button", { name: "Create the series" }).click();
    await page.getByText("By an editor is created.").waitFor();
    await page.getByRole("button", { name: "Edit By an editor" }).waitFor();
  }));
