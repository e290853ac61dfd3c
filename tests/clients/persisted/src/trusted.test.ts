import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import type { DocumentNode } from 'graphql';
import { Environment, fetchQuery, Network, RecordSource, Store } from 'relay-runtime';
import OldestPostQuery from '../relay/__generated__/OldestPostQuery.graphql';
import { COUNT, LATEST } from './documents';
import { brief, type Exchange, noting } from './network';

// A server that runs only the documents of the two manifests.
const url = process.env.TIDINGS_URL_TRUSTED!;
const token = process.env.TIDINGS_TOKEN!;

const hashOf = (document: unknown) => (document as { __meta__: { hash: string } }).__meta__.hash;

test('a document of graphql-codegen is found by its documentId, by POST and by GET', async () => {
  const documentId = hashOf(LATEST);
  assert.match(documentId, /^sha256:[0-9a-f]{64}$/);
  const byPost = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json' },
    body: JSON.stringify({ documentId, variables: { first: 2 } }),
  });
  const { data } = (await byPost.json()) as { data: { posts: { nodes: unknown[]; totalCount: number } } };
  assert.deepEqual([byPost.status, data.posts.nodes.length, data.posts.totalCount], [200, 2, 24]);
  const byGet = await fetch(`${url}?${new URLSearchParams({ documentId, variables: JSON.stringify({ first: 2 }) })}`);
  assert.deepEqual(await byGet.json(), { data });
});

test("Relay's network layer sends the id that relay-compiler gave the document", async () => {
  const seen: Exchange[] = [];
  const network = Network.create(async ({ id, text }, variables) => {
    assert.match(id!, /^[0-9a-f]{32}$/);
    assert.equal(text, null);
    const response = await noting(seen)(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ doc_id: id, variables }),
    });
    return response.json();
  });
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  const data = (await fetchQuery(environment, OldestPostQuery, {}).toPromise()) as { posts: { nodes: { title: string }[] } };
  assert.equal(data.posts.nodes[0]?.title, 'We Have (Sort Of) Bought a Lighthouse');
  assert.deepEqual(brief(seen), ['POST name 200']);
});

test("Apollo's link finds the documents of a manifest by their hashes", async () => {
  const seen: Exchange[] = [];
  // As `generatePersistedQueryIdsFromManifest` of @apollo/persisted-query-lists does, by the document and not by its text.
  const generateHash = async (document: DocumentNode) => hashOf(document).replace('sha256:', '');
  const link = ApolloLink.from([new PersistedQueryLink({ generateHash }), new HttpLink({ uri: url, fetch: noting(seen) })]);
  const documentTransform = { transformDocument: (document: DocumentNode) => document } as never;
  const client = new ApolloClient({ link, cache: new InMemoryCache({ addTypename: false } as object), documentTransform });
  const { data } = await client.query({ query: COUNT, fetchPolicy: 'no-cache' });
  assert.ok((data?.tags.totalCount ?? 0) > 0);
  assert.deepEqual(brief(seen), ['POST name 200']);
});

test('another document is refused for every client, and nothing is registered', async () => {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json', Authorization: `Bearer ${token}` };
  for (const query of ['{ posts { totalCount } }', '{ __schema { queryType { name } } }']) {
    for (let time = 0; time < 2; time += 1) {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
      const { data, errors } = (await response.json()) as { data?: unknown; errors: { extensions: { code: string } }[] };
      assert.deepEqual([response.status, data, errors[0]?.extensions.code], [403, undefined, 'DOCUMENT_NOT_TRUSTED']);
    }
  }
  const seen: Exchange[] = [];
  const sha256 = () => '0'.repeat(64);
  const link = ApolloLink.from([new PersistedQueryLink({ sha256 }), new HttpLink({ uri: url, fetch: noting(seen) })]);
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  await assert.rejects(client.query({ query: gql`query Other { posts { totalCount } }` }));
  assert.deepEqual(brief(seen), ['POST name 403 DOCUMENT_NOT_TRUSTED'], 'the client does not send the text');
});
