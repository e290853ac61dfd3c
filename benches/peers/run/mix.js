// A mixed load: the requests of many readers and changes beside them, on Tidings and on GraphQL Yoga. The rule: a request is as Apollo Client sends it
// from a browser, and both servers get the same ones. `scripts/bench mix` starts it.

import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { parse, print, visit } from "graphql";

import { CARD, normalised } from "../queries.js";
import { corpusPosts, corpusTerms } from "../sites/corpus.js";
import { VARIANTS } from "../variants.js";
import { plan } from "./arguments.js";
import { load } from "./load.js";
import { machine, versions } from "./machine.js";
import { stopAll } from "./processes.js";
import { inRounds, summary } from "./rounds.js";
import { cursorsOfSkipped } from "./same.js";
import { ask, startServer, TOKEN } from "./servers.js";
import { corpus, openStore } from "./stores.js";
import { figure, table } from "./tables.js";

const CALLERS = 32;
const CHANGES_A_SECOND = [0, 5, 50];
const RUN = { seconds: 5, warmUpSeconds: 3 };
const TAGS_IN_PAIRS = 20;
const ACCEPT = { accept: "application/graphql-response+json,application/json;q=0.9" };
const BROWSER = { ...ACCEPT, "accept-encoding": "gzip, deflate, br, zstd" };
const PAGE = `nodes { ${CARD} } pageInfo { hasNextPage endCursor }`;

/** Apollo Client prints every document, with the type of each object. */
function printed(text) {
  const typename = { kind: "Field", name: { kind: "Name", value: "__typename" } };
  const added = visit(parse(text), {
    OperationDefinition: { leave: (node) => ({ ...node, selectionSet: { ...node.selectionSet, selections: node.selectionSet.selections.slice(0, -1) } }) },
    SelectionSet: { leave: (node) => ({ ...node, selections: [...node.selections, typename] }) },
  });
  return print(added);
}

const QUERIES = Object.fromEntries(
  Object.entries({
    Post: `query Post($slug: String!) { post(slug: $slug) { ${CARD} body { html } } }`,
    Latest: `query Latest { posts(first: 20) { ${PAGE} } }`,
    Tag: `query Tag($slug: String!) { tag(slug: $slug) { slug name posts(first: 20) { ${PAGE} } } }`,
    Older: `query Older($after: String!) { posts(first: 20, after: $after) { ${PAGE} } }`,
    TwoTags: `query TwoTags($tags: [String!]!) { posts(first: 20, filter: { tags: { all: $tags } }) { ${PAGE} } }`,
    Archive: "query Archive { archive { year month postCount } }",
  }).map(([name, text]) => [name, printed(text)]),
);

const bodyOf = (operationName, variables = {}) => JSON.stringify({ operationName, variables, query: QUERIES[operationName] });
const bodiesOf = (operationName, all) => all.map((variables) => bodyOf(operationName, variables));

/** What the readers ask for: the first of each kind most often. `share`: in a hundred requests. */
async function kindsOf(server, variant, { posts, corpus: { files } }) {
  const slugs = [];
  for await (const { slug } of corpusPosts(files)) slugs.unshift({ slug });
  const tags = corpusTerms(files).filter(({ kind }) => kind === "tags").map(({ slug }) => slug);
  const pairs = tags.slice(0, TAGS_IN_PAIRS).flatMap((one, at, all) => all.slice(0, at).map((other) => ({ tags: [one, other] })));
  const cursors = await cursorsOfSkipped(server, variant, posts);
  return [
    { share: 55, bodies: bodiesOf("Post", slugs) },
    { share: 15, bodies: [bodyOf("Latest")] },
    { share: 10, bodies: bodiesOf("Tag", tags.map((slug) => ({ slug }))) },
    { share: 10, bodies: bodiesOf("Older", cursors.map((after) => ({ after }))) },
    { share: 5, bodies: bodiesOf("TwoTags", pairs) },
    { share: 5, bodies: [bodyOf("Archive")] },
  ];
}

/** The changes of a server: of five, one is a new post and four are new titles, of the latest posts most often. */
async function* changesOf(server, posts, { author, category, tag, markdown }) {
  const found = [];
  for (let after = null; found.length < posts;) {
    const query = "query ($after: String) { posts(first: 100, after: $after) { nodes { id } pageInfo { endCursor } } }";
    const { data } = JSON.parse(await ask(server, JSON.stringify({ query, variables: { after } })));
    found.push(...data.posts.nodes.map(({ id }) => ({ id, version: 1 })));
    after = data.posts.pageInfo.endCursor;
  }
  const change = (name, type, input) => JSON.stringify({ query: `mutation ($input: ${type}!) { ${name}(input: $input) { userErrors { message } } }`, variables: { input } });
  for (let number = 1; ; number += 1) {
    if (number % 5 === 0) {
      const input = { title: `New ${number}`, slug: `new-${number}`, markdown, authorSlugs: [author], categorySlugs: [category], tagSlugs: [tag], publishAt: new Date().toISOString() };
      yield change("createPost", "CreatePostInput", input);
    } else {
      // Evenly spread numbers, and from them ranks as the readers' are.
      const post = found[Math.floor((posts + 1) ** ((number * 0.618034) % 1)) - 1];
      yield change("updatePost", "UpdatePostInput", { id: post.id, expectedVersion: post.version, title: `Title ${number}` });
      post.version += 1;
    }
  }
}

async function prepare(name, context) {
  const variant = VARIANTS.find((one) => one.name === name);
  const server = await startServer(variant, await openStore(variant, context), context);
  const kinds = await kindsOf(server, variant, context);
  return { variant, server, kinds, changes: changesOf(server, context.posts, context.corpus.values), waiting: [] };
}

async function assertSame([one, other]) {
  for (const [number, { bodies }] of one.kinds.entries()) {
    for (const at of new Set([0, bodies.length >> 1, bodies.length - 1])) {
      const answers = await Promise.all([one, other].map(({ server, kinds }) => ask(server, kinds[number].bodies[at], server.path, ACCEPT)));
      const [found, expected] = answers.map((text) => normalised(JSON.parse(text).data));
      assert.deepEqual(found, expected, `${other.variant.title} answers ${bodies[at]} in another way than ${one.variant.title}`);
    }
  }
}

async function measure(context, { subject, headers }, perSecond) {
  const { server, kinds, changes, waiting } = subject;
  for (let wanted = Math.ceil(perSecond * (RUN.seconds + RUN.warmUpSeconds)) + 1 - waiting.length; wanted > 0; wanted -= 1) waiting.push((await changes.next()).value);
  const authorization = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
  const writer = perSecond ? { perSecond, headers: authorization, bodies: waiting, expected: '"userErrors":[]' } : null;
  const measured = await load({ ...context, ...RUN }, { server, headers, mix: { callers: CALLERS, kinds, writer } });
  waiting.splice(0, measured.changes);
  return measured;
}

async function main() {
  const context = plan(process.argv.slice(2));
  context.runFolder = join(context.folder, "mix");
  rmSync(context.runFolder, { recursive: true, force: true });
  mkdirSync(context.runFolder, { recursive: true });
  context.corpus = await corpus(context);
  const tidings = await prepare("tidings-file", context);
  const yoga = await prepare("yoga", context);
  await assertSame([tidings, yoga]);
  const rows = [
    { title: tidings.variant.title, subject: tidings, headers: BROWSER },
    { title: "the same without Accept-Encoding", subject: tidings, headers: ACCEPT },
    { title: yoga.variant.title, subject: yoga, headers: BROWSER },
  ];
  const budget = { seconds: context.repeatSecondsMax };
  const columns = [];
  for (const perSecond of CHANGES_A_SECOND) {
    const samples = await inRounds(rows, context.rounds, budget, (row) => measure(context, row, perSecond));
    columns.push(rows.map((row) => summary(samples.get(row), context.rounds)));
  }
  const text = ({ rate, p50Ms, p99Ms, cpuUs, isDisturbed }) => `${isDisturbed ? "~" : ""}${figure(rate)} (${figure(p50Ms)}, ${figure(p99Ms)} ms; ${figure(cpuUs)} µs)`;
  const ratio = (column, row) => `${(column[row].rate / column[2].rate).toFixed(2)}`;
  const head = [`requests a second, ${CALLERS} callers (p50, p99; CPU)`, ...CHANGES_A_SECOND.map((count) => `${count} changes a second`)];
  const body = rows.map(({ title }, row) => [title, ...columns.map((column) => text(column[row]))]);
  const ratios = [0, 1].map((row) => [`${rows[row].title} ÷ ${yoga.variant.title}`, ...columns.map((column) => ratio(column, row))]);
  const other = Math.max(...columns.flat().map(({ otherCpu }) => otherCpu));
  process.stdout.write(`${machine()}\n${versions()}\n${context.posts} posts; ${context.rounds} rounds of ${RUN.seconds} s\n\n${table([head, ...body, ...ratios])}\n
Other processes used at the most ${(other * 100).toFixed(0)} % of a core; ~: disturbed.\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
} finally {
  await stopAll();
}
