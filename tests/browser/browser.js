// A Chromium for a test. The rule: it reaches nothing but the origins that the test names, and what it tried to reach elsewhere fails the test.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACES = [process.env.TIDINGS_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

// It asks Google's servers for nothing, not even to look up their names.
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
 * Runs `test(page, context)` in a browser of its own, which is closed however the test ends. A request to any origin but `origins`, an uncaught
 * error of the page or an error in its console fails the test; `tolerated` has patterns of console messages that do not.
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
