// An agent that writes a draft from a brief, by an official TypeScript SDK: `node agent.mjs current|earlier URL TOKEN REVISION`. The current one speaks the
// revision of 2026, the earlier one those with a handshake.
import assert from "node:assert/strict";
import * as current from "@modelcontextprotocol/client";
import * as earlier from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [sdk, url, token, revision] = process.argv.slice(2);
const Client = sdk === "current" ? current.Client : earlier.Client;
const Transport = sdk === "current" ? current.StreamableHTTPClientTransport : EarlierTransport;
const BRIEF = { subject: "lighthouse", title: "What we know of the lighthouse" };

const client = new Client({ name: "brief-writer", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
const transport = new Transport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
await client.connect(transport);
assert.equal(client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion, revision);

async function call(name, args) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  assert.ok(!isError, content[0].text);
  return content[0].text;
}

const { tools } = await client.listTools();
assert.deepEqual(tools.map(({ name }) => name), ["search", "read", "changes", "create_draft", "update", "create_page_draft", "update_page"]);
const { search } = JSON.parse(await call("search", { query: BRIEF.subject, types: ["POST"], first: 1 }));
const source = await call("read", { id: search.nodes[0].id });
const title = JSON.parse(/^title: (.*)$/m.exec(source)[1]);
const markdown = `Our notes begin with “${title}”.`;
const { createPost } = JSON.parse(await call("create_draft", { title: BRIEF.title, markdown, createMissingTags: true, tagSlugs: ["briefs"] }));
const { id, version, status } = createPost.post;
assert.equal(status, "DRAFT");
await call("update", { id, expectedVersion: version, markdown: `${markdown}\n\nPlease check.` });
const late = await client.callTool({ name: "update", arguments: { id, expectedVersion: version, title: "Late" } });
assert.ok(late.isError && late.content[0].text.includes("CONFLICT"), JSON.stringify(late));
await client.close();
