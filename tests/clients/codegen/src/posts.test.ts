import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { execute, RequestFailed } from './execute';
import type { ContentStatus } from '../generated/gql/graphql';
import { CreatePost, headline, LatestPosts } from './posts';

test('the answer to a typed query matches its types', async () => {
  const { posts } = await execute(LatestPosts, { first: 2, filter: { tags: { all: ['deep-sky'] } } });
  assert.equal(posts.totalCount, 5);
  assert.deepEqual(posts.nodes.map((post) => post.slug), ['galaxy-at-the-end-of-the-car-park', 'a-year-of-small-skies']);
  assert.equal(headline(posts.nodes[0]!), "2026-10-10: The Galaxy at the End of the Car Park, by Fionn O'Malley");
});

test('a typed mutation creates a draft, and userErrors name the invalid field', async () => {
  const made = (await execute(CreatePost, { input: { title: 'Typed', markdown: 'By codegen.' } })).createPost!;
  assert.deepEqual(made.userErrors, []);
  assert.equal(made.post?.status, 'DRAFT');
  const refused = (await execute(CreatePost, { input: { title: '', markdown: '' } })).createPost!;
  assert.equal(refused.post, null);
  assert.deepEqual(refused.userErrors.map(({ code, field }) => ({ code, field })), [{ code: 'INVALID', field: ['input', 'title'] }]);
});

test('an error has its code', async () => {
  const asked = execute(LatestPosts, { first: 101 });
  await assert.rejects(asked, (error) => error instanceof RequestFailed && error.errors[0]?.extensions.code === 'BAD_USER_INPUT');
});

test('tsc reports wrong types', () => {
  // If the line below such a comment has no error, tsc reports the comment.
  void (() => {
    // @ts-expect-error: a number is required
    execute(LatestPosts, { first: 'two' });
    // @ts-expect-error: `first` is missing
    execute(LatestPosts, {});
    // @ts-expect-error: no such status
    const status: ContentStatus = 'LOST';
    // @ts-expect-error: only the fragment has access to the title
    execute(LatestPosts, { first: 1 }).then(({ posts }) => posts.nodes[0]?.title);
    return status;
  });
});

test('the generator reports a field that does not exist', () => {
  const generated = spawnSync('graphql-codegen', ['--config', 'wrong/codegen.ts'], {
    cwd: 'codegen',
    encoding: 'utf8',
  });
  assert.notEqual(generated.status, 0);
  assert.match(generated.stdout + generated.stderr, /Cannot query field "headline" on type "Post"/);
});
