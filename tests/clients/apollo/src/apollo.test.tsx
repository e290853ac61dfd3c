import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CombinedGraphQLErrors } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { everySlug } from '../../support/every';
import { show } from '../../support/page';
import { makeClient } from './client';
import { MARKDOWN, POST, POSTS, RENAME } from './documents';
import { Posts } from './Posts';

const uri = process.env.TIDINGS_URL!;
const token = process.env.TIDINGS_TOKEN!;

test('fetchMore to the end shows every post once, in order', async () => {
  const page = show(<ApolloProvider client={makeClient(uri)}><Posts /></ApolloProvider>);
  const slugs = () => [...page.body.querySelectorAll('li')].map(({ textContent }) => textContent);
  const expected = await everySlug();
  assert.equal(expected.length, 24);
  for (let shown = 5; shown < 25; shown += 5) {
    await page.waitFor(`${shown} posts`, () => slugs().length === shown);
    page.press('More');
  }
  await page.waitFor('the end', () => !page.body.querySelector('button'));
  assert.deepEqual(slugs(), expected);
  assert.match(page.body.textContent ?? '', /24 of 24/);
  page.close();
});

test('lists with different filters are separate, and each continues from its own cursor', async () => {
  const client = makeClient(uri);
  const filter = { tags: { all: ['moon'] } };
  const moon = client.watchQuery({ query: POSTS, variables: { first: 2, filter } });
  const kept = (variables: { first: number; filter?: typeof filter }) =>
    client.readQuery({ query: POSTS, variables })?.posts.edges.map(({ node }) => node.slug);
  const subscription = moon.subscribe(() => {});
  const { data } = await client.query({ query: POSTS, variables: { first: 2, filter } });
  await client.query({ query: POSTS, variables: { first: 4 } });
  await moon.fetchMore({ variables: { after: data?.posts.pageInfo.endCursor } });
  assert.deepEqual(kept({ first: 2, filter }), (await everySlug('{ tags: { all: ["moon"] } }')).slice(0, 4));
  assert.deepEqual(kept({ first: 4 }), (await everySlug()).slice(0, 4));
  subscription.unsubscribe();
});

test('the cache has one object for each id, and a mutation changes it in every query', async () => {
  const client = makeClient(uri, token);
  const { data: list } = await client.query({ query: POSTS, variables: { first: 1 } });
  const { id, slug, version, title } = list!.posts.edges[0]!.node;
  await client.query({ query: POST, variables: { slug } });
  await client.query({ query: MARKDOWN, variables: { id } });
  const objects = Object.keys(client.cache.extract() as object).filter((key) => key.startsWith('Post:'));
  assert.deepEqual(objects, [`Post:${id}`]);
  const renamed = `${title}, again`;
  const { data } = await client.mutate({ mutation: RENAME, variables: { input: { id, expectedVersion: version, title: renamed } } });
  assert.deepEqual(data?.updatePost?.userErrors, []);
  const now = client.readQuery({ query: POSTS, variables: { first: 1 } })!.posts.edges[0]!.node;
  assert.deepEqual([now.title, now.version], [renamed, version + 1]);
  const body = client.readQuery({ query: POST, variables: { slug } })!.post!;
  assert.deepEqual([body.title, body.body.html.length > 0], [renamed, true]);
  const late = await client.mutate({ mutation: RENAME, variables: { input: { id, expectedVersion: version, title: 'Too late' } } });
  assert.deepEqual([late.data?.updatePost?.post, late.data?.updatePost?.userErrors[0]?.code], [null, 'CONFLICT']);
});

test('an error is a CombinedGraphQLErrors with its code', async () => {
  const tooMany = await makeClient(uri).query({ query: POSTS, variables: { first: 101 }, errorPolicy: 'all' });
  assert.ok(CombinedGraphQLErrors.is(tooMany.error), String(tooMany.error));
  assert.equal(tooMany.error.errors[0]?.extensions?.code, 'BAD_USER_INPUT');
  const input = { id: 'post-1', expectedVersion: 1, title: 'No token' };
  const refused = makeClient(uri).mutate({ mutation: RENAME, variables: { input } });
  await assert.rejects(refused, (error) => CombinedGraphQLErrors.is(error) && error.errors[0]?.extensions?.code === 'UNAUTHENTICATED');
});

test('queries are sent by GET, mutations by POST, and each gets its preferred media type', async () => {
  const seen: string[] = [];
  const client = makeClient(uri, token, async (target, init) => {
    const response = await fetch(target, init);
    seen.push(`${init?.method} ${response.status} ${response.headers.get('content-type')?.split(';')[0]}`);
    return response;
  });
  await client.query({ query: POSTS, variables: { first: 1 } });
  await client.mutate({ mutation: RENAME, variables: { input: { id: 'nothing', expectedVersion: 1, title: 'Nothing' } } });
  assert.deepEqual(seen, ['GET 200 application/graphql-response+json', 'POST 200 application/graphql-response+json']);
});
