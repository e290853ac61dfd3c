// All requests to the server: POST to /graphql of this origin.
import { formatResult } from "@graphiql/toolkit";
import { getIntrospectionQuery, parse } from "graphql";
import { answered, begin } from "./plan/plans.js";
import { change, settings } from "./store.js";

/** The headers that ask for a plan: of a query that runs, and of one that does not. */
const EXPLAIN = { "graphql-explain": "report" };
const DRY_RUN = { ...EXPLAIN, "graphql-cost": "validate" };

/** The answer to a query with this token. If the server cannot be reached, the answer has an error that says so. */
export async function ask(request, token) {
  return (await send(request, token)).answer;
}

const UNREACHABLE = { isAnswered: false, answer: failed("the server cannot be reached; is `tidings serve` still running?") };

function post({ query, variables, operationName }, token, additional, signal) {
  const headers = { accept: "application/json", "content-type": "application/json", ...additional };
  if (token) headers.authorization = `Bearer ${token}`;
  const body = JSON.stringify({ query, variables, operationName: operationName ?? undefined });
  return fetch("/graphql", { method: "POST", headers, body, signal });
}

/** The same, and whether the server answered at all. */
async function send(request, token = "", additional = {}) {
  let response;
  try {
    response = await post(request, token, additional);
  } catch {
    return UNREACHABLE;
  }
  try {
    return { isAnswered: true, answer: await response.json() };
  } catch {
    return { isAnswered: true, answer: failed(`the answer is not JSON: HTTP ${response.status} ${response.statusText}`) };
  }
}

function failed(message) {
  return { errors: [{ message }] };
}

/** The events of a subscription, by Server-Sent Events. Ends when the server ends them, or when `signal` is aborted. */
async function* events(request, token, signal) {
  try {
    const response = await post(request, token, { accept: "text/event-stream" }, signal);
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return yield await response.json();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const messages = (text + part.value).split("\n\n");
      text = messages.pop();
      for (const message of messages) {
        const lines = message.split("\n");
        if (lines.includes("event: complete")) return;
        const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5));
        if (lines.includes("event: next")) yield JSON.parse(data.join("\n"));
      }
    }
    yield failed("the stream was interrupted: run the subscription again");
  } catch {
    if (!signal.aborted) yield UNREACHABLE.answer;
  }
}

/**
 * GraphiQL's fetcher: sends the query with the visitor's token, and keeps the outcome for the line below the answer. If the panel of the plan is open,
 * it asks for the plan too, which the panel shows in place of the answer.
 */
export async function fetcher({ query, variables, operationName }) {
  const { token, tokenNumber, asksPlan } = settings();
  const name = nameIn(query) ?? operationName;
  if (operationIn(query, name)?.operation === "subscription") return subscribe({ query, variables, operationName: name });
  const plan = asksPlan ? begin({ text: query, operationName: name }) : null;
  const began = performance.now();
  const { isAnswered, answer } = await send({ query, variables, operationName: name }, token, asksPlan ? EXPLAIN : {});
  const milliseconds = Math.max(1, Math.round(performance.now() - began));
  if (plan) answered(plan, { isAnswered, answer });
  const shown = withoutPlan(answer);
  keepOutcome(shown, { isAnswered, tokenNumber, milliseconds });
  return shown;
}

/** For the line below the answer. */
function keepOutcome(answer, outcome) {
  const { tab, outcomes } = settings();
  const code = answer.errors?.[0]?.extensions?.code;
  change({ outcomes: { ...outcomes, [tab]: { text: formatResult(answer), code, ...outcome } } });
}

/** The events as GraphiQL reads them. The visitor's stop ends the request at once, not at the next event. */
function subscribe(request) {
  const { token, tokenNumber } = settings();
  const stop = new AbortController();
  const received = events(request, token, stop.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const event = await received.next();
      if (!event.done) keepOutcome(event.value, { isAnswered: event.value !== UNREACHABLE.answer, isEvent: true, tokenNumber });
      return event;
    },
    return() {
      stop.abort();
      return received.return();
    },
  };
}

/** Asks for the plan of a query without running it. The answer in the editor stays as it is. `variables` returns them, or throws if they are not JSON. */
export async function planOnly({ query, variables, operationName }) {
  const name = nameIn(query) ?? operationName;
  const plan = begin({ text: query, operationName: name, isDry: true });
  let request;
  try {
    request = { query, variables: variables(), operationName: name };
  } catch (error) {
    return answered(plan, { isAnswered: true, answer: failed(`The variables ${error.message}`) });
  }
  return answered(plan, await send(request, settings().token, DRY_RUN));
}

/** A plan can have thousands of lines; they are not a part of what the query asked for. */
function withoutPlan(answer) {
  if (!answer.extensions?.explain) return answer;
  const { explain: _, ...extensions } = answer.extensions;
  const { extensions: __, ...rest } = answer;
  return Object.keys(extensions).length > 0 ? { ...rest, extensions } : rest;
}

/** The name of the only operation. GraphiQL reads a new text a moment late, and would send the name from the previous tab. */
function nameIn(query) {
  const operations = operationsIn(query);
  return operations.length === 1 ? operations[0].name?.value : undefined;
}

const operationIn = (query, name) => operationsIn(query).find((operation) => operation.name?.value === name);

function operationsIn(query) {
  try {
    return parse(query).definitions.filter(({ kind }) => kind === "OperationDefinition");
  } catch {
    return [];
  }
}

/** The schema from introspection, or the reason why there is none. */
export async function introspect() {
  const query = getIntrospectionQuery({ inputValueDeprecation: true });
  const { data, errors } = await ask({ query, operationName: "IntrospectionQuery" });
  return data?.__schema ? { schema: data } : { schema: null, reason: errors?.[0]?.message ?? "none came" };
}

/** Slugs that this blog has, for the examples' variables, and whether the server reports plans to everyone. */
export async function findSlugs() {
  const query = "query Slugs { posts(first: 20) { nodes { slug publishedAt tags { slug } } } }";
  const { answer } = await send({ query, operationName: "Slugs" }, "", EXPLAIN);
  const posts = answer.data?.posts?.nodes ?? [];
  const byTags = [...posts].sort((one, other) => other.tags.length - one.tags.length);
  const tags = (byTags[0]?.tags ?? []).map((tag) => tag.slug);
  const year = Number(posts[0]?.publishedAt.slice(0, 4)) || null;
  return { post: posts[0]?.slug ?? "a-post", year, tags, reportsPlans: Boolean(answer.extensions?.explain) };
}

/**
 * Lets the server read the lists that the bound of this query depends on: of the first query, it would otherwise be that of a server that knows nothing of
 * its blog. A request of its own, so that these reads are not in the plan of the query.
 */
export async function makeBoundExact(query) {
  await send({ query }, "", DRY_RUN);
}

/** The owner of this token, or the reason why the server does not accept it. */
export async function checkToken(token) {
  const query = "query Token { viewer { name role } }";
  const { data, errors } = await ask({ query, operationName: "Token" }, token);
  if (errors) return { mistake: `The server does not accept it: ${errors[0].message}.` };
  if (!data.viewer) return { mistake: "The token does not reach the server: a proxy in front of it removes the Authorization header." };
  return { viewer: data.viewer };
}
