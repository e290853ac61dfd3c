// The only file that knows the server: typed documents, and the function that sends them.
import { initGraphQLTada, type TadaDocumentNode } from 'gql.tada';
import { print } from 'graphql';
import { cookies, draftMode } from 'next/headers';
import type { introspection } from '../../generated/graphql-env';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; HTML: string; JSON: unknown; URL: string };
  disableMasking: true;
}>();

export async function ask<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables, token?: string): Promise<Data> {
  const response = await fetch(`${process.env.TIDINGS_ORIGIN}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query: print(document), variables }),
    // What everyone may read is kept for a minute, a draft never.
    ...(token ? { cache: 'no-store' as const } : { next: { revalidate: 60 } }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: { message: string; extensions: { code: string } }[] };
  if (errors) throw new Error(errors.map(({ message, extensions }) => `${extensions.code}: ${message}`).join(' '));
  return data;
}

/** The token of the preview link that this browser has opened. */
export async function previewToken(): Promise<string | undefined> {
  const { isEnabled } = await draftMode();
  return isEnabled ? (await cookies()).get('preview')?.value : undefined;
}
