// Refuses wrong arguments before anything is installed or built.

import { plan } from "./run/arguments.js";

try {
  plan(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
