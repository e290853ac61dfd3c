// The one way to the server: POST to /graphql of this origin.
import { getIntrospectionQuery, parse } from "graphql";
import { change, settings } from "./store.js";

/** The answer to a query, for one who bears `token`. A server that cannot be reached is told as an error of the answer. */
export async function ask({ query, variables, operationName, extensions }, token = "") {
  const headers = { accept: "application/json", "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  const body = JSON.stringify({ query, variables, operationName: operationName ?? undefined, extensions });
  let response;
  try {
    response = await fetch("/graphql", { method: "POST", headers, body });
  } catch {
    return failed("the server cannot be reached; is `tidings serve` still running?");
  }
  try {
    return await response.json();
  } catch {
    return failed(`the answer is no JSON: HTTP ${response.status} ${response.statusText}`);
  }
}

const failed = (message) => ({ errors: [{ message }] });

/** As GraphiQL asks: with the visitor's token and wishes, and how it went is kept for the line below the answer. */
export async function fetcher({ query, variables, operationName }) {
  const { token, asksStorage } = settings();
  const extensions = asksStorage ? { storage: true } : undefined;
  const began = performance.now();
  const answer = await ask({ query, variables, operationName: nameIn(query) ?? operationName, extensions }, token);
  const last = {
    milliseconds: Math.max(1, Math.round(performance.now() - began)),
    asked: asksStorage,
    storage: answer.extensions?.storage,
    code: answer.errors?.[0]?.extensions?.code,
  };
  change({ last });
  return answer;
}

/** The name of the one operation. GraphiQL learns of a new text a moment late, and would send the name from the tab before. */
function nameIn(query) {
  try {
    const operations = parse(query).definitions.filter(({ kind }) => kind === "OperationDefinition");
    return operations.length === 1 ? operations[0].name?.value : undefined;
  } catch {
    return undefined;
  }
}

/** The schema as introspection tells it, or why it does not. */
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

/** Whether the server knows this token: what a bearer of any role may ask. */
export async function checkToken(token) {
  const query = "query Token { drafts(first: 0) { totalCount } }";
  const { data, errors } = await ask({ query, operationName: "Token" }, token);
  if (errors) return { mistake: `The server does not take it: ${errors[0].message}.` };
  return { drafts: data.drafts.totalCount };
}
