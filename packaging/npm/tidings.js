#!/usr/bin/env node
// Starts the binary of the package for this platform. The rule: it adds nothing; arguments, streams, signals and the exit code are those of the binary.

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `tidings-${process.platform}-${process.arch}`;

function main() {
  const child = spawn(binary(), process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // A terminal sends SIGINT to the binary too, which ignores the second one while it stops.
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => fail(`${name} cannot be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function binary() {
  try {
    return require.resolve(`${name}/tidings`);
  } catch {
    fail(
      `the package ${name} is not installed. Install again without --omit=optional; ` +
        "if there is no such package, there is no release for this platform, and Tidings can be built from source.",
    );
  }
}

function fail(message) {
  console.error(`tidings: ${message}`);
  process.exit(1);
}

main();
