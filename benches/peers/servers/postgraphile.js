// PostGraphile over the tables of sites/postgres.js. The rule: its Amber preset with the indexes of the tables; nothing is written by hand.
// Usage: node postgraphile.js FOLDER_OF_THE_CLUSTER

import { createServer } from "node:http";

import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

import { connectionOf } from "../sites/postgres.js";
import { listens } from "./common.js";

const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ poolConfig: { ...connectionOf(process.argv[2]), max: 10 }, schemas: ["public"] })],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
};
const instance = postgraphile(preset);
const server = createServer();
await instance.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => listens(server.address().port));
