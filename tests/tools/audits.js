// Runs all audits of graphql-http against the server whose address is the argument, and prints what became of each, a line of JSON each.
"use strict";

const { serverAudits } = require("graphql-http");

async function main(url) {
  for (const audit of serverAudits({ url })) {
    const { id, name, status, reason } = await audit.fn();
    console.log(JSON.stringify({ id, name, status, reason: reason ?? null }));
  }
}

main(process.argv[2]);
