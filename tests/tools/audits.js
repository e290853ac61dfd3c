// Runs all audits of graphql-http against the server whose address is the argument, and prints the result of each as a line of JSON.
"use strict";

const { serverAudits } = require("graphql-http");

async function main(url) {
  for (const audit of serverAudits({ url })) {
    const { id, name, status, reason } = await audit.fn();
    console.log(JSON.stringify({ id, name, status, reason: reason ?? null }));
  }
}

main(process.argv[2]);
