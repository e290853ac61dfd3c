// Sends a typed document to the server. The rule: an answer with errors throws an exception.
import type { TadaDocumentNode } from 'gql.tada';
import { print } from 'graphql';

export async function execute<Result, Variables>(document: TadaDocumentNode<Result, Variables>, variables: Variables): Promise<Result> {
  const response = await fetch(process.env.TIDINGS_URL!, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors } = (await response.json()) as { data: Result; errors?: { message: string }[] };
  if (errors) throw new Error(errors.map((error) => error.message).join('\n'));
  return data;
}
