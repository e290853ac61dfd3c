// What takes long elsewhere. The rule: times are printed, and a test fails only by what does not depend on the speed of the machine.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { ask, change, hasNoViolation, onServer, save, signIn, text, written } from "./setup.js";

test("a post of 1 MB is typed into, and nothing typed is lost", () =>
  onServer(async (page) => {
    const paragraph = (number) => `Paragraph ${number} of the keeper's log says that the lamp was lit at dusk, **again**, and that [the tide](https://tide.example/${number}) was low.`;
    let markdown = "";
    for (let number = 0; markdown.length < 1_000_000; number += 1) markdown += `${paragraph(number)}\n\n`;
    const { id } = await change("createPost", { title: "A long log", markdown });
    await signIn(page);
    await page.goto(`/editor/posts/${id}`);
    await text(page).waitFor();
    await text(page).click();
    await page.keyboard.press("ControlOrMeta+Home");
    await page.evaluate(() => {
      window.times = [];
      document.addEventListener(
        "keydown",
        ({ timeStamp }) => {
          // A message that is sent in a frame arrives after its paint.
          const { port1, port2 } = new MessageChannel();
          port1.addEventListener("message", () => window.times.push(performance.now() - timeStamp));
          port1.start();
          requestAnimationFrame(() => port2.postMessage(null));
        },
        { capture: true },
      );
    });
    const typed = "Typed at the start of a very long text. ".repeat(3);
    await page.keyboard.type(typed, { delay: 30 });
    await page.waitForFunction((count) => window.times.length >= count, typed.length);
    const times = (await page.evaluate(() => window.times)).toSorted((one, other) => one - other);
    const at = (part) => Math.round(times[Math.floor(times.length * part)]);
    console.log(`# input to paint in a post of 1 MB: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, the longest ${at(0.999)} ms of ${times.length}`);
    await save(page).click();
    await page.getByText("Saved.", { exact: true }).waitFor();
    const { node } = await ask("query ($id: ID!) { node(id: $id) { ... on Post { body { markdown } } } }", { id });
    assert.ok(node.body.markdown === typed + markdown, node.body.markdown.slice(0, 300));
  }));

/** A PNG whose pixels cannot be compressed, of some 20 MB: the largest that the server takes has 20 MiB. */
function large() {
  const size = 2570;
  const raw = Buffer.alloc(size * (size * 3 + 1));
  let seed = 1;
  for (let at = 0; at < raw.length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    raw[at] = at % (size * 3 + 1) === 0 ? 0 : seed >> 16;
  }
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), chunk("IHDR", head), chunk("IDAT", deflateSync(raw, { level: 0 })), chunk("IEND", Buffer.alloc(0))]);
}

test("a picture of 20 MB is sent over a slow link with its progress, while the writer goes on", () =>
  onServer(async (page, context) => {
    const picture = { name: "huge.png", mimeType: "image/png", buffer: large() };
    assert.ok(picture.buffer.length > 19_000_000);
    await signIn(page);
    await page.goto("/editor/new");
    await page.getByLabel("Title", { exact: true }).fill("With a huge picture");
    await text(page).fill("Before.");
    await page.getByRole("button", { name: "Picture or file" }).click();
    await page.locator("dialog input[type=file]").setInputFiles(picture);
    await page.getByLabel("What the picture shows").fill("Noise");
    await page.evaluate(() => {
      window.shown = [];
      new MutationObserver(() => {
        const value = document.querySelector("progress")?.value;
        if (value !== undefined && value !== window.shown.at(-1)) window.shown.push(value);
      }).observe(document.body, { subtree: true, childList: true, attributes: true });
    });
    const network = await context.newCDPSession(page);
    await network.send("Network.enable");
    const limit = (uploadThroughput) => network.send("Network.emulateNetworkConditions", { offline: false, latency: 40, downloadThroughput: 4_000_000, uploadThroughput });
    await limit(500_000);
    await page.getByRole("button", { name: "Upload huge.png" }).click();
    await page.waitForFunction(() => window.shown.some((value) => value > 0 && value < 1));
    assert.equal(await page.evaluate(() => document.activeElement.closest(".markdown") !== null), true, "the focus is in the text again");
    await page.keyboard.press("ControlOrMeta+Home");
    await page.keyboard.type("Meanwhile. ");
    const start = Date.now();
    await limit(2_500_000);
    await page.locator("dialog").waitFor({ state: "detached" });
    const shown = await page.evaluate(() => window.shown);
    console.log(`# the rest of a picture of ${picture.buffer.length} bytes took ${Date.now() - start} ms at 2.5 MB/s; ${shown.length} steps of its progress were shown`);
    assert.deepEqual(shown.filter((value) => value <= 1), shown.toSorted((one, other) => one - other), "the progress only grows");
    await page.keyboard.type("And after. ");
    assert.match(await written(page), /^Meanwhile\. And after\. Before\.\n\n!\[Noise\]\(\S+\.png\)\n?$/);
  }));

test("a text from right to left is shown so, beside one from left to right", () =>
  onServer(async (page) => {
    await signIn(page);
    await page.goto("/editor/new");
    await page.getByLabel("Language").fill("ar");
    await page.getByLabel("Title", { exact: true }).fill("مصباح المنارة");
    await page.getByLabel("Excerpt").fill("أضيء المصباح.");
    await text(page).fill("أضيء المصباح عند الغسق.\n\nThe tide was low.");
    const directionOf = (locator) => locator.evaluate((element) => getComputedStyle(element).direction);
    assert.equal(await directionOf(page.getByLabel("Title", { exact: true })), "rtl");
    assert.equal(await directionOf(page.getByLabel("Excerpt")), "rtl");
    assert.equal(await directionOf(text(page)), "rtl");
    assert.equal(await page.getByLabel("Title", { exact: true }).getAttribute("lang"), "ar");
    await hasNoViolation(page, "a text from right to left");
    await save(page).click();
    await page.getByText("Saved as a draft.").waitFor();
    await page.goto("/editor");
    await page.getByRole("region", { name: "Drafts" }).getByRole("link", { name: "مصباح المنارة" }).waitFor();
    await page.goBack();
    await text(page).fill("From left to right.");
    assert.equal(await directionOf(text(page)), "ltr");
  }));
