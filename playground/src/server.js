// The one way to the server: POST to /graphql of this origin.
import { getIntrospectionQuery } from "graphql";
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
    return failed("The server cannot be reached. Is `tidings serve` still running?");
  }
  try {
    return await response.json();
  } catch {
    return failed(`The answer is no JSON: HTTP ${response.status} ${response.statusText}`);
  }
}

const failed = (message) => ({ errors: [{ message }] });

/** As GraphiQL asks: with the visitor's token and wishes, and how it went is kept for the line below the answer. */
export async function fetcher({ query, variables, operationName }) {
  const { token, asksStorage } = settings();
  const began = performance.now();
  const answer = await ask({ query, variables, operationName, extensions: asksStorage ? { storage: true } : undefined }, token);
  const last = {
    milliseconds: Math.max(1, Math.round(performance.now() - began)),
    asked: asksStorage,
    storage: answer.extensions?.storage,
    code: answer.errors?.[0]?.extensions?.code,
  };
  change({ last });
  return answer;
}

/** The schema as introspection tells it, or why it does not. */
export async function introspect() {
  const query = getIntrospectionQuery({ inputValueDeprecation: true });
  const { data, errors } = await ask({ query, operationName: "IntrospectionQuery" });
  return data?.__schema ? { schema: data } : { schema: null, reason: errors?.[0]?.message ?? "The server tells no schema." };
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
  if (errors) return { mistake: errors[0].message };
  return { drafts: data.drafts.totalCount };
}
