// Requests to the server. The rule: a build has all of the content, or it stops with the reason.
import { initGraphQLTada, type TadaDocumentNode } from "gql.tada";
import { print } from "graphql";
import type { introspection } from "../generated/graphql-env";

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; HTML: string; JSON: unknown; URL: string };
  disableMasking: true;
}>();

const SERVER = process.env["TIDINGS_URL"] ?? "http://127.0.0.1:8080";

const ATTEMPTS_MAX = 6;
/** The server has too much to do, or this client has used up its share. The answer says when to try again. */
const LATER = [429, 503];
/** After its start, a server builds the index of its search: of a large site, for minutes. */
const INDEX_ATTEMPTS_MAX = 600;

interface ServerError {
  message: string;
  extensions: { code: string; retryAfterMs?: number };
}

/** The server refused a query. */
export class Refused extends Error {
  readonly codes: string[];
  readonly retryAfterMs: number;

  constructor(errors: ServerError[]) {
    super(`${SERVER} refused a query: ${errors.map(({ message, extensions }) => `${message} (${extensions.code})`).join(" ")}`);
    this.codes = errors.map(({ extensions }) => extensions.code);
    this.retryAfterMs = Math.max(...errors.map(({ extensions }) => extensions.retryAfterMs ?? 1000));
  }
}

/** An answer is different only after a change that has one of its tags. */
export interface Answer<Data> {
  data: Data;
  tags: string[];
}

export async function query<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
  return (await answer(document, variables)).data;
}

export async function answer<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Answer<Data>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await answerOnce(document, variables);
    } catch (error) {
      const isLater = error instanceof Refused && error.codes.includes("SEARCH_NOT_READY") && attempt < INDEX_ATTEMPTS_MAX;
      if (!isLater) throw error;
      await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs));
    }
  }
}

async function answerOnce<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Answer<Data>> {
  const response = await send("/graphql", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/graphql-response+json", "GraphQL-Tags": "report" },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors, extensions } = (await response.json().catch(() => ({}))) as { data?: Data; errors?: ServerError[]; extensions?: { tags?: string[] } };
  if (errors) throw new Refused(errors);
  if (!data) throw new Error(`${SERVER}/graphql has the status ${response.status} and no data: is TIDINGS_URL the address of a Tidings server?`);
  return { data, tags: extensions?.tags ?? [] };
}

/** A file that the server has: a picture, a feed or a part of the sitemap. Null if it does not exist. */
export async function file(path: string): Promise<Response | null> {
  const response = await send(path);
  if (response.ok) return response;
  if (response.status === 404) return null;
  throw new Error(`${SERVER}${path} has the status ${response.status}: ${await response.text()}`);
}

async function send(path: string, options: RequestInit = {}): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(new URL(path, SERVER), options).catch((error: unknown) => {
      throw new Error(
        `No Tidings server answers at ${SERVER}. Start it (tidings serve --site-url https://blog.example/), or set TIDINGS_URL to the address of yours.`,
        { cause: error },
      );
    });
    if (!LATER.includes(response.status) || attempt === ATTEMPTS_MAX) return response;
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
