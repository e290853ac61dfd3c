// Starts Azurite's table service, or its blob service if the argument is `blob`, on a port that the system chooses, and prints the port. The rule: it
// ends with the process that started it, however that process ends, because it runs only as long as its standard input is open.
"use strict";

const net = require("node:net");

process.stdin.on("end", () => process.exit(0));
process.stdin.on("error", () => process.exit(0));
process.stdin.resume();

// Azurite itself prints the requested port, which is 0.
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...options) {
  this.once("listening", () => console.log(`Listening on port ${this.address().port}`));
  return listen.apply(this, options);
};

const service = process.argv.splice(2, 1)[0] === "blob" ? "blob" : "table";
process.argv.push("--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry", `--${service}Port`, "0");
require(`azurite/dist/src/${service}/main.js`);
