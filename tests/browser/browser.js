// A Chromium for the tests of a file. The rule: it reaches only the origins that the test names; a request to any other origin fails the test.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after } from "node:test";
import { chromium } from "playwright-core";

// The headless shell is Chromium without the windows: it takes a quarter less time.
const PLACES = [process.env.TIDINGS_CHROMIUM, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

// These options prevent all requests to Google's servers, and also DNS lookups of their names.
const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];

/** How long a test waits for what must come: only a test that fails waits so long, however busy the machine is. */
export const PATIENCE_MS = 120_000;

/**
 * Runs `test(page, context)` in a profile of its own (cookies, storage and cache), which is closed in all cases. A request to an origin that is not in `origins`, an uncaught
 * error of the page or an error in its console fails the test; `tolerated` has patterns of console messages that are allowed.
 */
export async function withPage({ origins, tolerated = [], ...options }, test) {
  const browser = await (launched ??= launch());
  const troubles = [];
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  try {
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (["http:", "https:", "ws:", "wss:"].includes(url.protocol) && !origins.includes(url.origin)) {
        troubles.push(`a request to ${url.origin}`);
      }
    });
    context.on("weberror", (error) => troubles.push(`uncaught: ${error.error().stack ?? error.error()}`));
    context.on("console", (message) => {
      if (message.type() === "error" && !tolerated.some((pattern) => pattern.test(message.text()))) {
        troubles.push(`console: ${message.text()}`);
      }
    });
    await test(await context.newPage(), context);
  } finally {
    await context.close();
  }
  assert.deepEqual(troubles, []);
}

/** The browser of all tests of a file: a start takes seconds. */
let launched;

after(async () => (await launched)?.close());

function launch() {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  assert.ok(executablePath, "Chromium is not installed (Debian: apt-get install chromium), or name one by TIDINGS_CHROMIUM");
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid() !== 0, args: QUIET });
}
