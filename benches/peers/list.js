// Prints the names that `--only` takes. The rule: without packages, so that it runs before anything is installed.

import { QUERIES } from "./queries.js";
import { VARIANTS } from "./variants.js";

for (const { name, title, about } of [...VARIANTS, ...QUERIES]) console.log(`${name}\t${about ? `${title}: ${about}` : title}`);
console.log("writes\tchanges a second");
