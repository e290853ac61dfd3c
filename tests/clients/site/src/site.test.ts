// Every page of the site against a server, one step after another. The rule: a step uses what the earlier ones have created; the last ones delete it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { articlePage, previewPage } from './article';
import { createClient, graphql, RequestError } from './client';
import {
  createPost,
  createPreview,
  deletePost,
  formOf,
  history,
  loadPost,
  mergeForms,
  publishPost,
  restoreRevision,
  saveForm,
  unpublishPost,
  type EditorPost,
  type Result,
} from './editor';
import { categoryPosts, newestPosts, tagPosts } from './list';
import { tagCloud } from './tags';

const { TIDINGS_URL, TIDINGS_TOKEN } = process.env;
assert(TIDINGS_URL && TIDINGS_TOKEN, 'Set TIDINGS_URL and TIDINGS_TOKEN.');
const admin = createClient(TIDINGS_URL, TIDINGS_TOKEN);
const reader = createClient(TIDINGS_URL);

const unique = `run-${Date.now().toString(36)}`;
const [tag, newTag, category, author] = [`${unique}-tag`, `${unique}-new-tag`, `${unique}-category`, `${unique}-author`];
const posts = new Map<string, EditorPost>(); // the present state of each post that exists, by its id

/** The post after a change that must succeed. */
function saved({ value, errors }: Result<EditorPost>): EditorPost {
  assert(value, JSON.stringify(errors));
  posts.set(value.id, value);
  return value;
}

const errorCode = (code: string) => (error: unknown) => error instanceof RequestError && error.codes.includes(code);

const CreateTerms = graphql(`
  mutation CreateTerms($category: CreateCategoryInput!, $author: CreateAuthorInput!) {
    createCategory(input: $category) { category { id version } userErrors { message } }
    createAuthor(input: $author) { author { id version } userErrors { message } }
  }
`);

const FindTags = graphql(`
  query FindTags($tag: String!, $newTag: String!) {
    tag(slug: $tag) { id version }
    newTag: tag(slug: $newTag) { id version }
  }
`);

const DeleteTerms = graphql(`
  mutation DeleteTerms(
    $category: DeleteInput!, $author: DeleteInput!, $tag: DeleteInput!, $newTag: DeleteInput!
  ) {
    category: deleteCategory(input: $category) { deletedId userErrors { message } }
    author: deleteAuthor(input: $author) { deletedId userErrors { message } }
    tag: deleteTag(input: $tag) { deletedId userErrors { message } }
    newTag: deleteTag(input: $newTag) { deletedId userErrors { message } }
  }
`);

const terms = await admin(CreateTerms, {
  category: { slug: category, name: 'Example category' },
  author: { slug: author, name: 'Ada Example' },
});
assert(terms.createCategory?.category && terms.createAuthor?.author, JSON.stringify(terms));

// ---- Lists

const now = Date.now();
const slugs = [1, 2, 3, 4, 5].map((number) => `${unique}-post-${number}`); // the newest first
for (const [index, slug] of slugs.entries()) {
  saved(
    await createPost(admin, {
      slug,
      title: `Post ${index + 1}`,
      markdown: `Text of *post ${index + 1}*.`,
      authorSlugs: [author],
      categorySlugs: [category],
      tagSlugs: [tag],
      createMissingTags: true,
      publishAt: new Date(now - index).toISOString(),
      idempotencyKey: crypto.randomUUID(),
    }),
  );
}

test('newest posts with authors, tags and dates', async () => {
  const { nodes } = await newestPosts(reader);
  const post = nodes.find(({ slug }) => slug === slugs[0]);
  assert.deepEqual(post?.authors, [{ slug: author, name: 'Ada Example' }]);
  assert.deepEqual(post.tags, [{ slug: tag, name: tag }]);
  assert.equal(post.publishedAt, new Date(now).toISOString());
  const dates = nodes.map(({ publishedAt }) => publishedAt!);
  assert.deepEqual(dates, dates.toSorted().reverse());
});

test('next page and previous page', async () => {
  const first = await newestPosts(reader, { size: 2 });
  assert.deepEqual([first.pageInfo.hasPreviousPage, first.pageInfo.hasNextPage], [false, true]);
  const second = await newestPosts(reader, { size: 2, after: first.pageInfo.endCursor });
  assert(second.pageInfo.hasPreviousPage);
  assert.notEqual(second.nodes[0]?.slug, first.nodes[1]?.slug);
  const back = await newestPosts(reader, { size: 2, before: second.pageInfo.startCursor });
  assert.deepEqual(back.nodes, first.nodes);
});

test('posts of a tag, in pages', async () => {
  const first = await tagPosts(reader, tag, { size: 3 });
  assert.deepEqual(
    first?.posts.nodes.map(({ slug }) => slug),
    slugs.slice(0, 3),
  );
  const second = await tagPosts(reader, tag, { size: 3, after: first.posts.pageInfo.endCursor });
  assert.deepEqual(
    second?.posts.nodes.map(({ slug }) => slug),
    slugs.slice(3),
  );
  assert.equal(second.posts.pageInfo.hasNextPage, false);
  const back = await tagPosts(reader, tag, { size: 3, before: second.posts.pageInfo.startCursor });
  assert.deepEqual(back, first);
  assert.equal(await tagPosts(reader, `${tag}-unknown`), null);
});

test('posts of a category', async () => {
  const list = await categoryPosts(reader, category);
  assert.equal(list?.name, 'Example category');
  assert.deepEqual(
    list.posts.nodes.map(({ slug }) => slug),
    slugs,
  );
});

// ---- Article

test('article with HTML and neighbours', async () => {
  const page = await articlePage(reader, slugs[2]!);
  assert(page.status === 200);
  assert.match(page.post.body.html, /<p>Text of <em>post 3<\/em>\.<\/p>/);
  assert.equal(page.post.newer?.slug, slugs[1]);
  assert.equal(page.post.older?.slug, slugs[3]);
});

test('redirect from a former slug', async () => {
  const post = [...posts.values()].find(({ slug }) => slug === slugs[4])!;
  const renamed = saved(await saveForm(admin, post, { ...formOf(post), slug: `${unique}-renamed` }));
  assert.deepEqual(await articlePage(reader, slugs[4]!), { status: 301, location: `/posts/${renamed.slug}` });
});

test('404 for an unknown slug', async () => {
  assert.deepEqual(await articlePage(reader, `${unique}-unknown`), { status: 404 });
});

// ---- Editor

let draft: EditorPost;

test('create a draft: first the tag does not exist, then it is created', async () => {
  const input = {
    slug: `${unique}-draft`,
    title: 'A draft',
    markdown: 'First text.',
    authorSlugs: [author],
    tagSlugs: [tag, newTag],
    idempotencyKey: crypto.randomUUID(), // one for each form that is opened
  };
  const { errors } = await createPost(admin, input);
  assert.deepEqual(Object.keys(errors?.fields ?? {}), ['tagSlugs']);
  assert.deepEqual(
    errors?.missingTags.map(({ slug }) => slug),
    [newTag],
  );
  draft = saved(await createPost(admin, { ...input, createMissingTags: true }));
  assert.equal(draft.status, 'DRAFT');
  assert.deepEqual(formOf(draft).tagSlugs, [tag, newTag]);
  assert.deepEqual(await articlePage(reader, draft.slug), { status: 404 });
});

test('errors beside their input fields', async () => {
  const { errors } = await saveForm(admin, draft, { ...formOf(draft), title: ' ', slug: slugs[0]!, categorySlugs: ['no-such-category'] });
  assert.deepEqual(Object.keys(errors?.fields ?? {}).sort(), ['categorySlugs', 'slug', 'title']);
  assert.deepEqual(await loadPost(admin, draft.id), draft);
});

test('change the draft', async () => {
  draft = saved(await saveForm(admin, draft, { ...formOf(draft), markdown: 'Second text.' }));
  assert.deepEqual([draft.version, draft.body.markdown], [2, 'Second text.']);
  assert.deepEqual([draft.excerpt, draft.excerptIsGenerated], ['Second text.', true]);
});

test('publish', async () => {
  draft = saved(await publishPost(admin, { id: draft.id, expectedVersion: draft.version }));
  assert.equal(draft.status, 'PUBLISHED');
  assert.equal((await articlePage(reader, draft.slug)).status, 200);
});

test('conflict: show theirs, merge, save again', async () => {
  const mine = { ...formOf(draft), title: 'My title', markdown: 'My text.' };
  saved(await saveForm(admin, draft, { ...formOf(draft), title: 'Their title', categorySlugs: [category] }));

  const { errors } = await saveForm(admin, draft, mine);
  assert(errors?.theirs);
  assert.equal(errors.theirs.title, 'Their title');

  const { merged, clashes } = mergeForms(draft, mine, errors.theirs);
  assert.deepEqual(clashes, ['title']);
  const decision = { ...merged, title: 'Our title' };
  draft = saved(await saveForm(admin, errors.theirs, decision));
  assert.deepEqual([draft.title, draft.body.markdown], ['Our title', 'My text.']);
  assert.deepEqual(formOf(draft).categorySlugs, [category]);
});

test('restore an old version', async () => {
  const versions = await history(admin, draft.id);
  assert.deepEqual(
    versions.map(({ version }) => version),
    [5, 4, 3, 2, 1],
  );
  const first = versions.at(-1)!;
  draft = saved(await restoreRevision(admin, { revisionId: first.id, expectedVersion: draft.version }));
  assert.deepEqual([draft.version, draft.title, draft.body.markdown], [6, 'A draft', 'First text.']);
  assert.equal(draft.status, 'PUBLISHED');
});

test('unpublish', async () => {
  draft = saved(await unpublishPost(admin, { id: draft.id, expectedVersion: draft.version }));
  assert.deepEqual([draft.status, draft.publishedAt], ['DRAFT', null]);
  assert.deepEqual(await articlePage(reader, draft.slug), { status: 404 });
});

test('schedule', async () => {
  const publishAt = new Date(now + 24 * 60 * 60 * 1000).toISOString();
  draft = saved(await publishPost(admin, { id: draft.id, expectedVersion: draft.version, publishAt }));
  assert.deepEqual([draft.status, draft.publishedAt], ['SCHEDULED', publishAt]);
  assert.deepEqual(await articlePage(reader, draft.slug), { status: 404 });
});

test('preview link, opened without an account', async () => {
  const { value: link } = await createPreview(admin, draft);
  assert(link);
  const post = await previewPage(reader, link.token);
  assert.equal(post?.slug, draft.slug);
  assert.match(post.body.html, /First text\./);
  const visitor = createClient(TIDINGS_URL, link.token);
  assert.equal((await articlePage(visitor, draft.slug)).status, 200);
  await assert.rejects(previewPage(reader, 'no-such-link'), errorCode('BAD_PREVIEW'));
});

// ---- Tag cloud

test('tag cloud with counts', async () => {
  const cloud = await tagCloud(reader);
  assert.equal(cloud.find(({ slug }) => slug === tag)?.postCount, slugs.length);
  assert(!cloud.some(({ slug }) => slug === newTag), 'A tag of a scheduled post only is not shown.');
});

// ---- Delete

test('delete the posts', async () => {
  for (const post of posts.values()) {
    assert.deepEqual(await deletePost(admin, post), { value: post.id });
    assert.deepEqual(await articlePage(admin, post.slug), { status: 404 });
  }
});

test('delete the tags, the category and the author', async () => {
  const tags = await admin(FindTags, { tag, newTag });
  const expected = [terms.createCategory?.category, terms.createAuthor?.author, tags.tag, tags.newTag];
  const [categoryInput, authorInput, tagInput, newTagInput] = expected.map((term) => {
    assert(term);
    return { id: term.id, expectedVersion: term.version };
  });
  const deleted = await admin(DeleteTerms, {
    category: categoryInput!,
    author: authorInput!,
    tag: tagInput!,
    newTag: newTagInput!,
  });
  for (const outcome of Object.values(deleted)) assert(outcome?.deletedId, JSON.stringify(outcome?.userErrors));
});
