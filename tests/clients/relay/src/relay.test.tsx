import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { type ReactNode, Suspense } from 'react';
import { fetchQuery, graphql, RelayEnvironmentProvider } from 'react-relay';
import { everySlug } from '../../support/every';
import { type Page, show } from '../../support/page';
import type { relayTooManyQuery } from './__generated__/relayTooManyQuery.graphql';
import { Drafts } from './Drafts';
import { makeEnvironment, RequestFailed } from './environment';
import { LatestPosts } from './LatestPosts';
import { TagPosts } from './TagPosts';

const url = process.env.TIDINGS_URL!;
const token = process.env.TIDINGS_TOKEN!;

test('@connection appends each page to the end, until the list has every post once and in order', async () => {
  const page = open(<LatestPosts />);
  const expected = await everySlug();
  for (let shown = 5; shown < 25; shown += 5) {
    await page.waitFor(`${shown} posts`, () => slugs(page).length === shown);
    page.press('More');
  }
  await page.waitFor('the end', () => slugs(page).length === expected.length);
  assert.deepEqual(slugs(page), expected);
  assert.deepEqual(buttons(page), ['Moon']);
  page.press('Moon');
  const moon = await everySlug('{ tags: { all: ["moon"] } }');
  await page.waitFor('the posts with the tag', () => slugs(page).join() === moon.join());
  page.close();
});

test('@refetchable queries the next page of a tag through node(id:)', async () => {
  const asked: { query: string; variables: { id?: string } }[] = [];
  const page = open(<TagPosts slug="moon" />, undefined, (target, init) => {
    asked.push(JSON.parse(String(init?.body)));
    return fetch(target, init);
  });
  await page.waitFor('two posts', () => slugs(page).length === 2);
  page.press('More');
  await page.waitFor('four posts', () => slugs(page).length === 4);
  assert.deepEqual(slugs(page), (await everySlug('{ tags: { all: ["moon"] } }')).slice(0, 4));
  assert.equal(asked.length, 2);
  assert.match(asked[1]!.query, /query TagPostsNext[\s\S]*node\(id: \$id\)/);
  assert.match(asked[1]!.variables.id ?? '', /./);
  page.close();
});

test('mutations update the store: a post is added to a list, changed in it, and removed', async () => {
  const page = open(<Drafts />, token);
  const titles = () => [...page.body.querySelectorAll('li')].map((line) => line.getAttribute('title'));
  await page.waitFor('the drafts', () => buttons(page).includes('New'));
  const before = titles();
  page.press('New');
  await page.waitFor('the new post first', () => titles().join() === ['By Relay', ...before].join());
  page.press('Rename');
  await page.waitFor('its new title', () => titles().join() === ['Renamed', ...before].join());
  page.press('Rename an old version');
  await page.waitFor('the conflict', () => page.body.querySelector('[role=status]')?.textContent === 'CONFLICT');
  assert.deepEqual(titles(), ['Renamed', ...before]);
  page.press('Delete');
  await page.waitFor('the list as it was', () => titles().join() === before.join());
  page.close();
});

test('an error has its code', async () => {
  const tooMany = graphql`
    query relayTooManyQuery {
      posts(first: 101) { totalCount }
    }
  `;
  const asked = fetchQuery<relayTooManyQuery>(makeEnvironment(url), tooMany, {}).toPromise();
  await assert.rejects(asked, (error) => error instanceof RequestFailed && error.code === 'BAD_USER_INPUT');
});

test('the compiler reports a field that does not exist', () => {
  const compiled = spawnSync('relay-compiler', [], { cwd: 'relay/wrong', encoding: 'utf8' });
  assert.notEqual(compiled.status, 0);
  assert.match(compiled.stdout + compiled.stderr, /The type `Post` has no field `headline`/);
});

function open(node: ReactNode, bearer?: string, fetcher?: typeof fetch): Page {
  const environment = makeEnvironment(url, bearer, fetcher);
  return show(
    <RelayEnvironmentProvider environment={environment}>
      <Suspense fallback={<p>Loading …</p>}>{node}</Suspense>
    </RelayEnvironmentProvider>,
  );
}

function slugs(page: Page) {
  return [...page.body.querySelectorAll('li')].map(({ textContent }) => textContent);
}

function buttons(page: Page) {
  return [...page.body.querySelectorAll('button')].map(({ textContent }) => textContent);
}
