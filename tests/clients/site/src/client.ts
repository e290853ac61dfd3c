// The connection to the content server: typed documents and a function that sends them.
import { initGraphQLTada, type TadaDocumentNode } from 'gql.tada';
import { print } from 'graphql';
import type { introspection } from '../generated/graphql-env';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; HTML: string; JSON: unknown; URL: string };
  disableMasking: true;
}>();

interface ServerError {
  message: string;
  extensions: { code: string; retryable: boolean; retryAfterMs?: number };
}

/** The server refused the request. Problems that the person at a form can fix are not here, but in `userErrors`. */
export class RequestError extends Error {
  readonly codes: string[];

  constructor(errors: ServerError[]) {
    super(errors.map((error) => error.message).join(' '));
    this.codes = errors.map((error) => error.extensions.code);
  }
}

export type Client = ReturnType<typeof createClient>;

/** Without a token the client sees what every reader sees. */
export function createClient(url: string, token?: string) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };

  return async function request<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data> {
    const body = JSON.stringify({ query: print(document), variables });
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(url, { method: 'POST', headers, body });
      const { data, errors } = (await response.json()) as { data: Data; errors?: ServerError[] };
      if (!errors) return data;
      if (attempt === 3 || !errors.every((error) => error.extensions.retryable)) throw new RequestError(errors);
      const wait = Math.max(...errors.map((error) => error.extensions.retryAfterMs ?? 500));
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
}
