import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { execute, RequestFailed } from './execute';
import type { PostStatus } from '../generated/gql/graphql';
import { CreatePost, headline, LatestPosts } from './posts';

test('a typed query answers as its types say', async () => {
  const { posts } = await execute(LatestPosts, { first: 2, filter: { tags: { all: ['deep-sky'] } } });
  assert.equal(posts.totalCount, 5);
  assert.deepEqual(posts.nodes.map((post) => post.slug), ['galaxy-at-the-end-of-the-car-park', 'a-year-of-small-skies']);
  assert.equal(headline(posts.nodes[0]!), "2026-10-10: The Galaxy at the End of the Car Park, by Fionn O'Malley");
});

test('a typed mutation makes a draft, and userErrors say what to mend', async () => {
  const made = (await execute(CreatePost, { input: { title: 'Typed', markdown: 'By codegen.' } })).createPost;
  assert.deepEqual(made.userErrors, []);
  assert.equal(made.post?.status, 'DRAFT');
  const refused = (await execute(CreatePost, { input: { title: '', markdown: '' } })).createPost;
  assert.equal(refused.post, null);
  assert.deepEqual(refused.userErrors.map(({ code, field }) => ({ code, field })), [{ code: 'INVALID', field: ['input', 'title'] }]);
});

test('an error has its code', async () => {
  const asked = execute(LatestPosts, { first: 101 });
  await assert.rejects(asked, (error) => error instanceof RequestFailed && error.errors[0]?.extensions.code === 'BAD_USER_INPUT');
});

test('what is wrongly typed is found by tsc', () => {
  // Each comment is an error of tsc where the line below it has none.
  void (() => {
    // @ts-expect-error: a number is asked for
    execute(LatestPosts, { first: 'two' });
    // @ts-expect-error: `first` is missing
    execute(LatestPosts, {});
    // @ts-expect-error: no such status
    const status: PostStatus = 'LOST';
    // @ts-expect-error: the title is the fragment's own
    execute(LatestPosts, { first: 1 }).then(({ posts }) => posts.nodes[0]?.title);
    return status;
  });
});

test('a field that does not exist is found by the generator', () => {
  const generated = spawnSync('graphql-codegen', ['--config', 'wrong/codegen.ts'], {
    cwd: 'codegen',
    encoding: 'utf8',
  });
  assert.notEqual(generated.status, 0);
  assert.match(generated.stdout + generated.stderr, /Cannot query field "headline" on type "Post"/);
});
