import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange, gql as tag } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { gql } from '@apollo/client';
import { RENAME } from './documents';
import { brief, type Exchange, noting } from './network';

const url = process.env.TIDINGS_URL!;
const off = process.env.TIDINGS_URL_OFF!;
const token = process.env.TIDINGS_TOKEN!;
const bearer = { authorization: `Bearer ${token}` };

function apollo(uri: string, useGETForHashedQueries: boolean, seen: Exchange[]): ApolloClient {
  const persisted = new PersistedQueryLink({
    sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
    useGETForHashedQueries,
  });
  const http = new HttpLink({ uri, fetch: noting(seen), headers: bearer });
  const defaultOptions = { query: { fetchPolicy: 'no-cache' as const } };
  return new ApolloClient({ link: ApolloLink.from([persisted, http]), cache: new InMemoryCache(), defaultOptions });
}

function urql(url: string, preferGetForPersistedQueries: boolean, seen: Exchange[]): Client {
  const persisted = persistedExchange({ preferGetForPersistedQueries, enableForMutation: true });
  // Without it, urql sends every short query by GET.
  const preferGetMethod = false;
  return new Client({ url, preferGetMethod, exchanges: [persisted, fetchExchange], fetch: noting(seen), fetchOptions: { headers: bearer } });
}

// Each way has a document of its own, so that the server does not know it at first.
const text = (name: string) => `query ${name} { posts(first: 1) { totalCount } }`;
const answer = { posts: { totalCount: 24 } };

async function viaApollo(client: ApolloClient, name: string) {
  const { data } = await client.query<{ posts: { totalCount: number } }>({ query: gql(text(name)) });
  assert.equal(data?.posts.totalCount, answer.posts.totalCount);
}

async function viaUrql(client: Client, name: string) {
  const { data, error } = await client.query(tag(text(name)), {}, { requestPolicy: 'network-only' }).toPromise();
  assert.equal(error, undefined);
  assert.equal(data.posts.totalCount, answer.posts.totalCount);
}

const MISSED = '200 PERSISTED_QUERY_NOT_FOUND';
const REFUSED = '200 PERSISTED_QUERY_NOT_SUPPORTED';

for (const [client, ask] of [
  ['Apollo', (name: string, get: boolean, at: string, seen: Exchange[]) => {
    const client = apollo(at, get, seen);
    return () => viaApollo(client, name);
  }],
  ['urql', (name: string, get: boolean, at: string, seen: Exchange[]) => {
    const client = urql(at, get, seen);
    return () => viaUrql(client, name);
  }],
] as const) {
  test(`${client} registers a document by POST and then sends its hash`, async () => {
    const seen: Exchange[] = [];
    const query = ask(`${client}ByPost`, false, url, seen);
    await query();
    await query();
    assert.deepEqual(brief(seen), [`POST name ${MISSED}`, 'POST name text 200', 'POST name 200']);
    const another: Exchange[] = [];
    await ask(`${client}ByPost`, false, url, another)();
    assert.deepEqual(brief(another), ['POST name 200'], 'the server knows the document of another client');
  });

  test(`${client} sends the hash by GET`, async () => {
    const seen: Exchange[] = [];
    const query = ask(`${client}ByGet`, true, url, seen);
    await query();
    await query();
    const [missed, registered, found] = brief(seen);
    assert.deepEqual([missed, found], [`GET name ${MISSED}`, 'GET name 200']);
    assert.match(registered!, /^(GET|POST) name text 200$/);
  });

  test(`${client} goes on with texts if the server registers none`, async () => {
    const seen: Exchange[] = [];
    const query = ask(`${client}Off`, false, off, seen);
    await query();
    await query();
    assert.deepEqual(brief(seen), [`POST name ${REFUSED}`, 'POST text 200', 'POST text 200']);
  });
}

test('a mutation is registered and sent by POST, also if queries are sent by GET', async () => {
  const variables = { input: { id: 'nothing', expectedVersion: 1, title: 'Nothing' } };
  const seen: Exchange[] = [];
  const client = apollo(url, true, seen);
  await client.mutate({ mutation: RENAME, variables });
  await client.mutate({ mutation: RENAME, variables });
  assert.deepEqual(brief(seen), [`POST name ${MISSED}`, 'POST name text 200', 'POST name 200']);
  const others: Exchange[] = [];
  const other = urql(url, true, others);
  await other.mutation(RENAME, variables).toPromise();
  await other.mutation(RENAME, variables).toPromise();
  assert.deepEqual(brief(others).at(-1), 'POST name 200');
});
