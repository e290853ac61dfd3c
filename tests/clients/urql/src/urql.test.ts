import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everySlug } from '../../support/every';
import { makeClient } from './client';
import { POST, POSTS, RENAME } from './documents';

const url = process.env.TIDINGS_URL!;
const token = process.env.TIDINGS_TOKEN!;

test('forward pages form one list with every post once and in order', async () => {
  const client = makeClient(url);
  let after: string | null = null;
  for (let pages = 1; pages <= 5; pages += 1) {
    const { data, error }: Awaited<ReturnType<typeof ask>> = await ask(after);
    assert.equal(error, undefined);
    assert.equal(data?.posts.edges.length, Math.min(5 * pages, 24));
    assert.equal(data.posts.pageInfo.hasNextPage, pages < 5);
    after = data.posts.pageInfo.endCursor;
    if (pages === 5) assert.deepEqual(data.posts.edges.map(({ node }) => node.slug), await everySlug());
  }
  const moon = await client.query(POSTS, { first: 2, filter: { tags: { all: ['moon'] } } });
  assert.deepEqual(moon.data?.posts.edges.length, 2);

  function ask(from: string | null) {
    return client.query(POSTS, { first: 5, after: from }).toPromise();
  }
});

test('a mutation changes the post in every cached query, and CONFLICT is a user error', async () => {
  const client = makeClient(url, token);
  const seen: string[] = [];
  const list = client.query(POSTS, { first: 1 }).subscribe(({ data }) => seen.push(data!.posts.edges[0]!.node.title));
  const first = await client.query(POSTS, { first: 1 }).toPromise();
  const { id, slug, version, title } = first.data!.posts.edges[0]!.node;
  await client.query(POST, { slug });
  const renamed = await client.mutation(RENAME, { input: { id, expectedVersion: version, title: `${title}, and so on` } });
  assert.deepEqual([renamed.error, renamed.data?.updatePost?.userErrors], [undefined, []]);
  const kept = await client.query(POST, { slug }, { requestPolicy: 'cache-only' });
  assert.deepEqual([kept.data?.post?.title, kept.data?.post?.version], [`${title}, and so on`, version + 1]);
  assert.deepEqual([seen[0], seen.at(-1)], [title, `${title}, and so on`]);
  const late = await client.mutation(RENAME, { input: { id, expectedVersion: version, title: 'Too late' } });
  assert.deepEqual([late.data?.updatePost?.post, late.data?.updatePost?.userErrors[0]?.code], [null, 'CONFLICT']);
  list.unsubscribe();
});

test('an error has its code', async () => {
  const { data, error } = await makeClient(url).query(POSTS, { first: 101 });
  assert.equal(data ?? null, null);
  assert.equal(error?.graphQLErrors[0]?.extensions.code, 'BAD_USER_INPUT');
});

test('queries are sent by GET and mutations by POST', async () => {
  const seen: string[] = [];
  const client = makeClient(url, token, async (target, init) => {
    const response = await fetch(target, init);
    seen.push(`${init?.method} ${response.status} ${response.headers.get('content-type')?.split(';')[0]}`);
    return response;
  });
  await client.query(POSTS, { first: 1 });
  await client.mutation(RENAME, { input: { id: 'nothing', expectedVersion: 1, title: 'Nothing' } });
  assert.deepEqual(seen, ['GET 200 application/graphql-response+json', 'POST 200 application/graphql-response+json']);
});

test('the cache knows the schema: it warns only of a field that does not exist', async (context) => {
  const spies = (['warn', 'error'] as const).map((kind) => context.mock.method(console, kind, () => {}));
  const warnings = () => spies.flatMap((spy) => spy.mock.calls.map((call) => String(call.arguments[0])));
  const client = makeClient(url);
  const { data } = await client.query(POSTS, { first: 3 });
  await client.query(POST, { slug: data!.posts.edges[0]!.node.slug });
  assert.deepEqual(warnings(), []);
  await client.query('{ posts(first: 1) { nodes { id headline } } }', {}, { requestPolicy: 'cache-only' });
  client.readQuery('{ posts(first: 3) { edges { node { id headline } } } }', {});
  assert.match(warnings().join('\n'), /headline/);
});
