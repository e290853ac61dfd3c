import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { execute } from './execute';
import { Archive, line } from './months';
import type { ResultOf, VariablesOf } from './graphql';

test('the answer to a typed query matches its types', async () => {
  const { archive } = await execute(Archive, { year: 2024, first: 1 });
  assert.deepEqual(archive.map(({ month, postCount }) => [month, postCount]), [[11, 2], [10, 1], [9, 1], [5, 3], [1, 1]]);
  assert.deepEqual(archive.slice(2, 4).flatMap(({ posts }) => posts.nodes.map(line)), ['2024-09-07 a-soda-bread-for-long-nights', '2024-05-30 tide-clock']);
});

test('tsc reports wrong types', () => {
  // If the line below such a comment has no error, tsc reports the comment.
  // @ts-expect-error: a number is required
  const year: VariablesOf<typeof Archive>['year'] = '2024';
  // @ts-expect-error: only the fragment has access to its fields
  void ((result: ResultOf<typeof Archive>) => result.archive[0]?.posts.nodes[0]?.title);
  // @ts-expect-error: no such field in the schema
  void ((result: ResultOf<typeof Archive>) => result.archive[0]?.days);
  void year;
});

test('the check reports a field that does not exist', () => {
  const checked = spawnSync('gql-tada', ['check', '--tsconfig', 'wrong/tsconfig.json'], { cwd: 'tada', encoding: 'utf8' });
  assert.notEqual(checked.status, 0);
  assert.match(checked.stdout + checked.stderr, /Cannot query field "headline" on type "Post"/);
});
