// Verifies a webhook with the reference library: the secret is the argument, `{ headers, body }` the standard input. Prints the type of the message.
"use strict";

const { readFileSync } = require("node:fs");
const { Webhook } = require("standardwebhooks");

const { headers, body } = JSON.parse(readFileSync(0, "utf8"));
console.log(new Webhook(process.argv[2]).verify(body, headers).type);
