// The pages and routes of the site against a server, with stubs of Next.js that remember what they were asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revalidated } from 'next/cache';
import { browser } from 'next/headers';
import { Ended } from 'next/navigation';
import { renderToStaticMarkup } from 'react-dom/server';
import config from '../next.config';
import { everySlug } from '../../support/every';
import Home from './app/page';
import ArticlePage, { generateMetadata } from './app/posts/[slug]/page';
import { GET } from './app/preview/route';
import { POST } from './app/revalidate/route';
import pictureLoader from './lib/picture-loader';

const origin = process.env.TIDINGS_URL!.replace(/\/graphql$/, '');
process.env.TIDINGS_ORIGIN = origin;

const home = async (after?: string) => renderToStaticMarkup(await Home({ searchParams: Promise.resolve({ after }) }));
const props = (slug: string) => ({ params: Promise.resolve({ slug }) });
const article = async (slug: string) => renderToStaticMarkup(await ArticlePage(props(slug)));
const all = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, found]) => found!.replaceAll('&amp;', '&'));
const ends = (how: string) => (error: unknown) => error instanceof Ended && error.message === how;

async function mutate(query: string): Promise<Record<string, any>> {
  const response = await fetch(process.env.TIDINGS_URL!, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${process.env.TIDINGS_TOKEN}` },
    body: JSON.stringify({ query: `mutation { ${query} }` }),
  });
  const { data } = (await response.json()) as { data: Record<string, any> };
  return data;
}

test('the list leads from page to page through every post', async () => {
  const slugs: string[] = [];
  let after: string | undefined;
  do {
    const html = await home(after);
    slugs.push(...all(html, /href="\/posts\/([^"]+)"/g));
    const next = all(html, /href="\/\?after=([^"]+)"/g)[0];
    after = next && decodeURIComponent(next);
  } while (after);
  assert.deepEqual(slugs, await everySlug());
});

test('next/image asks for widths that exist, and the rewrite finds them', async () => {
  const html = await home();
  const candidates = all(html, /srcSet="([^"]+)"/g).flatMap((set) => set.split(', ').map((candidate) => candidate.split(' ')));
  assert(candidates.length > 0);
  for (const [address, width] of candidates) assert(address!.endsWith(`?width=${width!.slice(0, -1)}`), address);
  const [rule] = await config.rewrites!();
  const target = (address: string) => rule!.destination.replace(':name', address.slice('/assets/'.length));
  for (const [address] of candidates.slice(0, 9)) {
    const response = await fetch(target(address!));
    assert.equal(response.status, 200, address);
    assert(response.headers.get('content-type')?.startsWith('image/'), address);
  }
  assert.deepEqual([1, 160, 161, 700, 4000].map((width) => pictureLoader({ src: '/a', width })), [160, 160, 320, 960, 2560].map((width) => `/a?width=${width}`));
});

test('an article has its text and what links show of it, a former slug redirects, and another one is not found', async () => {
  const html = await article('how-to-wash-a-mirror');
  assert.match(html, /<h1>How to Wash a Mirror \(Hardly Ever\)<\/h1>/);
  assert.match(html, /<img [^>]*srcSet="\/assets\//);
  const { title, description, openGraph } = await generateMetadata(props('how-to-wash-a-mirror'));
  assert.equal(title, 'How to Wash a Mirror (Hardly Ever)');
  assert(description);
  const [image] = openGraph!.images!;
  assert.equal((await fetch(`${origin}${image!.url}`)).headers.get('content-type'), 'image/jpeg');
  await assert.rejects(article('hello-lighthouse'), ends('308 /posts/we-have-sort-of-bought-a-lighthouse'));
  await assert.rejects(article('no-such-post'), ends('404'));
});

test('a preview link shows its draft to the browser that opens it, and the draft is never kept', async () => {
  const { createPost } = await mutate('createPost(input: { title: "Fog", markdown: "Nothing to be *seen*." }) { post { id slug } }');
  const { id, slug } = createPost.post;
  const { createPreview } = await mutate(`createPreview(input: { contentId: "${id}" }) { preview { token } }`);
  const link = (token: string) => GET(new Request(`https://blog.example/preview?token=${encodeURIComponent(token)}`));
  await assert.rejects(article(slug), ends('404'));
  for (const token of ['', 'made-up']) assert.equal((await link(token)).status, 401);
  assert.deepEqual([browser.isDraft, browser.cookies.size], [false, 0]);
  const { fetch: real } = globalThis;
  const asked: RequestInit[] = [];
  globalThis.fetch = (input, init) => {
    asked.push(init!);
    return real(input, init);
  };
  await assert.rejects(link(createPreview.preview.token), ends(`307 /posts/${slug}`));
  assert.match(await article(slug), /Nothing to be <em>seen<\/em>/);
  browser.isDraft = false;
  await assert.rejects(article(slug), ends('404'));
  globalThis.fetch = real;
  assert.deepEqual(asked.map(({ cache, next }) => [cache, next?.revalidate]), [['no-store', undefined], ['no-store', undefined], [undefined, 60]]);
});

test('only the secret revalidates the pages', async () => {
  const post = (authorization?: string) => POST(new Request('https://blog.example/revalidate', { method: 'POST', headers: authorization ? { authorization } : {} }));
  delete process.env.REVALIDATE_SECRET;
  for (const header of [undefined, 'Bearer undefined', 'Bearer ']) assert.equal((await post(header)).status, 401);
  process.env.REVALIDATE_SECRET = 'a secret';
  for (const header of [undefined, 'Bearer', 'a secret']) assert.equal((await post(header)).status, 401);
  assert.deepEqual(revalidated, []);
  assert.equal((await post('Bearer a secret')).status, 204);
  assert.deepEqual(revalidated, [['/', 'layout']]);
});
