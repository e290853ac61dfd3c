// Sends a typed document to the server. The rule: an answer with errors throws an exception; the caller handles userErrors.
import type { TypedDocumentString } from '../generated/gql/graphql';

export type GraphQLError = { message: string; path?: (string | number)[]; extensions: { code: string } };

export class RequestFailed extends Error {
  constructor(readonly errors: GraphQLError[]) {
    super(errors.map((error) => `${error.extensions.code}: ${error.message}`).join('\n'));
  }
}

export async function execute<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  ...[variables]: Variables extends Record<string, never> ? [] : [Variables]
): Promise<Result> {
  const token = process.env.TIDINGS_TOKEN;
  const response = await fetch(process.env.TIDINGS_URL!, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json',
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ query: document.toString(), variables }),
  });
  const answer: { data: Result; errors?: GraphQLError[] } = await response.json();
  if (answer.errors) throw new RequestFailed(answer.errors);
  return answer.data;
}
