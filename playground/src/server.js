// All requests to the server: POST to /graphql of this origin.
import { formatResult } from "@graphiql/toolkit";
import { getIntrospectionQuery, parse } from "graphql";
import { change, settings } from "./store.js";

/** The answer to a query with this token. If the server cannot be reached, the answer has an error that says so. */
export async function ask(request, token) {
  return (await send(request, token)).answer;
}

/** The same, and whether the server answered at all. */
async function send({ query, variables, operationName, extensions }, token = "") {
  const headers = { accept: "application/json", "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  const body = JSON.stringify({ query, variables, operationName: operationName ?? undefined, extensions });
  let response;
  try {
    response = await fetch("/graphql", { method: "POST", headers, body });
  } catch {
    return { isAnswered: false, answer: failed("the server cannot be reached; is `tidings serve` still running?") };
  }
  try {
    return { isAnswered: true, answer: await response.json() };
  } catch {
    return { isAnswered: true, answer: failed(`the answer is not JSON: HTTP ${response.status} ${response.statusText}`) };
  }
}

const failed = (message) => ({ errors: [{ message }] });

/** GraphiQL's fetcher: sends the query with the visitor's token and settings, and keeps the outcome for the line below the answer. */
export async function fetcher({ query, variables, operationName }) {
  const { token, tokenNumber, asksStorage } = settings();
  const extensions = asksStorage ? { storage: true } : undefined;
  const began = performance.now();
  const { isAnswered, answer } = await send({ query, variables, operationName: nameIn(query) ?? operationName, extensions }, token);
  const outcome = {
    text: formatResult(answer),
    isAnswered,
    hasData: Boolean(answer.data),
    tokenNumber,
    milliseconds: Math.max(1, Math.round(performance.now() - began)),
    asked: asksStorage,
    storage: answer.extensions?.storage,
    code: answer.errors?.[0]?.extensions?.code,
  };
  const { tab, outcomes } = settings();
  change({ outcomes: { ...outcomes, [tab]: outcome } });
  return answer;
}

/** The name of the only operation. GraphiQL reads a new text a moment late, and would send the name from the previous tab. */
function nameIn(query) {
  try {
    const operations = parse(query).definitions.filter(({ kind }) => kind === "OperationDefinition");
    return operations.length === 1 ? operations[0].name?.value : undefined;
  } catch {
    return undefined;
  }
}

/** The schema from introspection, or the reason why there is none. */
export async function introspect() {
  const query = getIntrospectionQuery({ inputValueDeprecation: true });
  const { data, errors } = await ask({ query, operationName: "IntrospectionQuery" });
  return data?.__schema ? { schema: data } : { schema: null, reason: errors?.[0]?.message ?? "none came" };
}

/** Slugs that this blog has, for the examples' variables. */
export async function findSlugs() {
  const query = "query Slugs { posts(first: 20) { nodes { slug publishedAt tags { slug } } } }";
  const posts = (await ask({ query, operationName: "Slugs" })).data?.posts?.nodes ?? [];
  const byTags = [...posts].sort((one, other) => other.tags.length - one.tags.length);
  const tags = (byTags[0]?.tags ?? []).map((tag) => tag.slug);
  return { post: posts[0]?.slug ?? "a-post", year: Number(posts[0]?.publishedAt.slice(0, 4)) || null, tags };
}

/** The owner of this token, or the reason why the server does not accept it. */
export async function checkToken(token) {
  const query = "query Token { viewer { name role } }";
  const { data, errors } = await ask({ query, operationName: "Token" }, token);
  if (errors) return { mistake: `The server does not accept it: ${errors[0].message}.` };
  if (!data.viewer) return { mistake: "The token does not reach the server: a proxy in front of it removes the Authorization header." };
  return { viewer: data.viewer };
}
