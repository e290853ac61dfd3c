// Hostile text. The rule: nothing that is typed or imported runs in the editor, whose origin has the session.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FILES } from "../hostile.js";
import { SERVER, change, onServer, pasteHtml, save, signIn, text } from "./setup.js";

/** The vectors of the tests of the sanitiser (`crates/model/src/html.rs`), and those that would reach the page without it. */
const VECTORS = [
  "<script>window.ran = 1</script>",
  '<p onclick="window.ran = 1" style="color:red">click</p>',
  '<a href="javascript:window.ran=1">link</a>',
  '<a href=" JaVa\nScript:window.ran=1" target="_blank">link</a>',
  '<img src="data:text/html,x" onerror="window.ran=1">',
  '<img src="/none.png" onerror="window.ran=1">',
  '<iframe srcdoc="<script>parent.ran = 1</script>">a</iframe>',
  "<svg onload='window.ran=1'><script>window.ran = 1</script></svg><math>x</math>",
  '<form action="/x"><button formaction="javascript:window.ran=1">button</button></form>',
  "[link](javascript:window.ran=1)",
  "![x](javascript:window.ran=1)",
  "<details open ontoggle='window.ran=1'><summary>x</summary></details>",
  "<style>@import 'http://example.com/x.css';</style>",
  "<base href='http://example.com/'><meta http-equiv='refresh' content='0;url=http://example.com/'>",
];
const FORBIDDEN = "script, style, iframe, form, base, meta, svg, [onclick], [onerror], [onload], [ontoggle], [style], a[href^='javascript']";
const NAME = "<img src=x onerror='window.ran=1'><script>window.ran=1</script>";

test("nothing of a hostile text, title, excerpt or tag runs in any view", () =>
  onServer(
    async (page) => {
      page.on("dialog", (dialog) => assert.fail(`the text said ${dialog.message()}`));
      const { id } = await change("createPost", { title: NAME, subtitle: NAME, excerpt: NAME, markdown: "Start.", slug: "hostile", tagSlugs: ["hostile"], createMissingTags: true });
      await signIn(page);
      await page.getByRole("link", { name: NAME }).click();
      await text(page).fill(VECTORS.join("\n\n"));
      const prose = page.locator(".preview .prose");
      await prose.getByText("click", { exact: true }).waitFor();
      assert.equal(await prose.locator(FORBIDDEN).count(), 0, "what is only typed");
      await save(page).click();
      await page.getByText("Saved.", { exact: true }).waitFor();
      assert.equal(await prose.locator(FORBIDDEN).count(), 0, "what is saved");
      for (const link of await prose.locator("a").all()) await link.click();
      await prose.getByText("click", { exact: true }).click();
      await page.getByText("Versions").click();
      await page.getByRole("button", { name: "Compare version 1" }).click();
      await page.locator(".marked.all").waitFor();
      await page.getByRole("button", { name: "Make a preview link" }).click();
      await page.goto(await page.getByRole("link", { name: "/editor/preview" }).getAttribute("href"));
      await page.locator(".prose").waitFor();
      assert.equal(await page.evaluate(() => window.ran), undefined);
      await page.goto(`/editor/posts/${id}`);
      await text(page).waitFor();
      assert.equal(await page.evaluate(() => window.ran), undefined);
    },
    // The picture that does not exist.
    { tolerated: [/status of 404/] },
  ));

test("nothing of hostile rich text runs when it is pasted", () => {
  const all = [...VECTORS, ...FILES.filter(({ body }) => body.length < 4_000).map(({ body }) => `<b>rich</b> ${body}`)];
  assert.ok(all.length > 400, `${all.length} texts`);
  return onServer(
    async (page, context) => {
      await context.route("http://elsewhere.test/**", (route) => route.abort());
      const ran = [];
      page.on("console", (message) => message.text().startsWith("ran ") && ran.push(message.text()));
      await signIn(page);
      await page.goto("/editor/new");
      const prose = page.locator(".preview .prose");
      for (let from = 0; from < all.length; from += 20) {
        await text(page).press("ControlOrMeta+a");
        await pasteHtml(page, ...all.slice(from, from + 20).map((html, at) => `<p><em>Text ${from + at}</em></p>${html}`));
        await page.waitForFunction((start) => document.querySelector(".preview .prose")?.textContent.startsWith(start), `Text ${from}`, { polling: 100 });
        assert.equal(await prose.locator(FORBIDDEN).count(), 0, `from ${from}`);
      }
      assert.deepEqual([ran, await page.evaluate(() => window.ran)], [[], undefined]);
    },
    { origins: [SERVER, "http://elsewhere.test"], tolerated: [/ERR_FAILED/, /status of 404/, /Content Security Policy/i, /violates the following/] },
  );
});

test("nothing of the hostile drawings runs in the preview while they are typed", () => {
  const short = FILES.filter(({ body }) => body.length < 4_000).map(({ body }) => body.toString());
  assert.ok(short.length > 400, `${short.length} drawings`);
  return onServer(
    async (page, context) => {
      // A picture of another server is nothing hostile.
      await context.route("http://elsewhere.test/**", (route) => route.abort());
      const ran = [];
      page.on("console", (message) => message.text().startsWith("ran ") && ran.push(message.text()));
      await signIn(page);
      await page.goto("/editor/new");
      for (let from = 0; from < short.length; from += 20) {
        // The field draws only a part of a long text, which is all that `fill` would replace.
        await text(page).press("ControlOrMeta+a");
        await page.keyboard.insertText([`From ${from}.`, ...short.slice(from, from + 20)].join("\n\n"));
        const prose = page.locator(".preview .prose");
        // Not by frames, which a busy machine draws late.
        await page.waitForFunction((start) => document.querySelector(".preview .prose")?.textContent.startsWith(start), `From ${from}.`, { polling: 100 });
        assert.equal(await prose.locator(FORBIDDEN).count(), 0, `from ${from}`);
      }
      assert.deepEqual(ran, []);
    },
    { origins: [SERVER, "http://elsewhere.test"], tolerated: [/ERR_FAILED/, /status of 404/, /Content Security Policy/i, /violates the following/] },
  );
});

test("the policy of the page runs no script that somebody has put into it", () =>
  onServer(
    async (page) => {
      await page.goto("/editor");
      await page.getByLabel("Token").waitFor();
      const ran = await page.evaluate(async () => {
        const script = document.createElement("script");
        script.textContent = "window.ran = 1";
        document.body.append(script);
        const image = document.createElement("div");
        image.innerHTML = "<img src='data:,' onerror='window.ran = 1'>";
        document.body.append(image);
        const refused = await new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
          setTimeout("window.ran = 1", 0);
        });
        return [window.ran, refused.startsWith("script-src")];
      });
      assert.deepEqual(ran, [undefined, true]);
    },
    { tolerated: [/Content Security Policy/i, /violates the following/] },
  ));
