// A Chromium for a test. The rule: it reaches only the origins that the test names; a request to any other origin fails the test.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [process.env.TIDINGS_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

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

/**
 * Runs `test(page, context)` in a browser of its own, which is closed in all cases. A request to an origin that is not in `origins`, an uncaught
 * error of the page or an error in its console fails the test; `tolerated` has patterns of console messages that are allowed.
 */
export async function withPage({ origins, tolerated = [], ...options }, test) {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  assert.ok(executablePath, "Chromium is not installed (Debian: apt-get install chromium), or name one by TIDINGS_CHROMIUM");
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid() !== 0, args: QUIET });
  const troubles = [];
  try {
    const context = await browser.newContext(options);
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
    await browser.close();
  }
  assert.deepEqual(troubles, []);
}
