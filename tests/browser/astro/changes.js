// Random changes of a site by its API: of posts, pages, terms and pictures, at once and by their time. The rule: all of them come from one seed.
import { setTimeout as sleep } from "node:timers/promises";

/** Few enough that a new object can take the place of one that is gone; but a former slug stays with its object. */
const SLUGS = 300;
const LANGUAGES = [null, null, "en-GB", "de", "fr"];

/** SplitMix64. */
export class Random {
  #state;

  constructor(seed) {
    this.#state = BigInt(seed);
  }

  below(end) {
    this.#state = BigInt.asUintN(64, this.#state + 0x9e3779b97f4a7c15n);
    let mixed = this.#state;
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
    mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
    return Number(BigInt.asUintN(64, mixed ^ (mixed >> 31n)) % BigInt(Math.max(1, end)));
  }

  pick(items) {
    return items[this.below(items.length)];
  }

  some(items, max) {
    return [...new Set(Array.from({ length: this.below(max + 1) }, () => this.pick(items)).filter((item) => item !== undefined))];
  }
}

/** A site that has fewer gets them first, because more changes remove than create. */
const LEAST = {
  posts: { count: 25, change: "create post" },
  tags: { count: 10, change: "create tag" },
  categories: { count: 5, change: "create category" },
  authors: { count: 5, change: "create author" },
  series: { count: 2, change: "create series" },
  pages: { count: 10, change: "create page" },
};

const NODE = "id slug version";
const CONTENT = `{
  posts(first: 100) { nodes { ${NODE} language } } draftPosts(first: 100) { nodes { ${NODE} language } } scheduledPosts(first: 100) { nodes { ${NODE} language } }
  tags(first: 100) { nodes { ${NODE} } } categories(first: 100) { nodes { ${NODE} } } authors(first: 100) { nodes { ${NODE} } } series: allSeries(first: 100) { nodes { ${NODE} } }
  pages(first: 50) { nodes { id path version children(first: 20) { nodes { id path version } } } } draftPages(first: 50) { nodes { id path version } }
  assets(first: 50) { nodes { id version ... on Image { alt } } }
}`;

/** Makes one change. `ask` sends a document with variables as an editor. Returns the name of the change, or null if the server refused it. */
export async function change(random, ask) {
  const data = await ask(CONTENT);
  const content = Object.fromEntries(Object.entries(data).map(([name, { nodes }]) => [name, nodes]));
  content.pages = content.pages.flatMap(({ children, ...page }) => [page, ...children.nodes]);
  const few = Object.entries(LEAST).filter(([list, { count }]) => content[list].length < count);
  const name = few.length > 0 && random.below(2) === 0 ? random.pick(few)[1].change : random.pick(NAMES);
  const [mutation, input, settled] = CHANGES[name](random, content) || [];
  if (!mutation) return null;
  const type = mutation[0].toUpperCase() + mutation.slice(1);
  const of = mutation.startsWith("delete") ? "Delete" : type;
  const payload = (await ask(`mutation($input: ${of}Input!) { ${mutation}(input: $input) { userErrors { code message } } }`, { input }))[mutation];
  if (payload.userErrors.length > 0) return null;
  for (let attempt = 0; settled && !(await settled(ask)); attempt += 1) {
    if (attempt === 600) throw new Error(`${name} is not seen`);
    await sleep(100);
  }
  return name;
}

const text = (random) => `${random.pick(["Fog", "Tea", "Soup", "Gulls", "Stars"])} ${random.below(1000)}`;
const slug = (random) => `random-${random.below(SLUGS)}`;
const past = (random) => new Date(Date.now() - (1 + random.below(700 * 86_400)) * 1000).toISOString();
const soon = () => new Date(Date.now() + 1000).toISOString();
const later = (random) => new Date(Date.now() + (2 + random.below(30)) * 86_400_000).toISOString();
const of = (object) => object && { id: object.id, expectedVersion: object.version };
const two = (random, objects) => {
  const [from, into] = [random.pick(objects), random.pick(objects)];
  return from === undefined || from.id === into.id ? null : [of(from), of(into)];
};
const slugs = (objects) => objects.map(({ slug }) => slug);
const on = (object, mutation, input, settled) => object && [mutation, { ...of(object), ...input }, settled];
/** Waits until the public sees the post, or does not see it any more. */
const isPublic = (object, expected) => async (ask) => ((await ask(`{ node(id: "${object?.id}") { id } }`, {}, null)).node !== null) === expected;

function newPost(random, { tags, categories, authors, series, assets, posts }) {
  return {
    title: text(random),
    slug: slug(random),
    markdown: `${text(random)}.\n\n## ${text(random)}\n\n[A post](/posts/${random.pick(posts)?.slug ?? "none"}), *${text(random)}*.`,
    language: random.pick(LANGUAGES),
    tagSlugs: [...random.some(slugs(tags), 3), ...(random.below(4) === 0 ? [slug(random)] : [])],
    createMissingTags: true,
    categorySlugs: random.some(slugs(categories), 2),
    authorSlugs: random.some(slugs(authors), 2),
    seriesSlug: random.pick([null, random.pick(slugs(series)) ?? null]),
    featured: random.below(5) === 0,
    coverId: random.pick([null, random.pick(assets)?.id ?? null]),
  };
}

function postChange(random, content) {
  const whole = newPost(random, content);
  const field = random.pick(["title", "slug", "markdown", "language", "tagSlugs", "categorySlugs", "authorSlugs", "seriesSlug", "featured", "coverId", "excerpt"]);
  return { createMissingTags: true, [field]: field === "excerpt" ? text(random) : whole[field] };
}

const termChange = (random) => random.pick([{ name: text(random) }, { slug: slug(random) }, { description: text(random) }]);
const path = (random, { pages }) => random.pick(["", `${random.pick(pages)?.path}/`]) + slug(random);

/** Each returns a mutation and its input; nothing if there is no object for it. */
const CHANGES = {
  "create post": (random, content) => ["createPost", { ...newPost(random, content), publishAt: past(random) }],
  "create draft": (random, content) => ["createPost", newPost(random, content)],
  "update post": (random, content) => on(random.pick(content.posts), "updatePost", postChange(random, content)),
  "update post again": (random, content) => on(random.pick(content.posts), "updatePost", postChange(random, content)),
  "update draft": (random, content) => on(random.pick([...content.draftPosts, ...content.scheduledPosts]), "updatePost", postChange(random, content)),
  "publish post": (random, { draftPosts }) => on(random.pick(draftPosts), "publishPost", {}),
  "re-date post": (random, { posts }) => on(random.pick(posts), "publishPost", { publishAt: past(random) }),
  "schedule post": (random, { posts, draftPosts }) => on(random.pick([...posts, ...draftPosts]), "publishPost", { publishAt: later(random) }),
  "appearing post": (random, { draftPosts, scheduledPosts }) => {
    const post = random.pick([...draftPosts, ...scheduledPosts]);
    return on(post, "publishPost", { publishAt: soon() }, isPublic(post, true));
  },
  "ending post": (random, { posts }) => {
    const post = random.pick(posts);
    return on(post, "updatePost", { unpublishAt: soon() }, isPublic(post, false));
  },
  "unpublish post": (random, { posts }) => on(random.pick(posts), "unpublishPost", {}),
  "delete post": (random, { posts, draftPosts }) => on(random.pick([...posts, ...draftPosts]), "deletePost", {}),
  "link translations": (random, { posts, draftPosts }) => {
    const pair = two(random, [...posts, ...draftPosts]);
    return pair && ["linkTranslations", { contents: pair }];
  },
  "unlink translations": (random, { posts }) => posts.length > 0 && ["unlinkTranslations", { contents: [of(random.pick(posts))] }],
  "create tag": (random) => ["createTag", { name: text(random), slug: slug(random) }],
  "update tag": (random, { tags }) => on(random.pick(tags), "updateTag", termChange(random)),
  "delete tag": (random, { tags }) => on(random.pick(tags), "deleteTag", {}),
  "merge tags": (random, { tags }) => merge(random, "mergeTags", tags),
  "create category": (random) => ["createCategory", { name: text(random), slug: slug(random) }],
  "update category": (random, { categories }) => on(random.pick(categories), "updateCategory", termChange(random)),
  "move category": (random, { categories }) => on(random.pick(categories), "updateCategory", { parentId: random.pick([null, random.pick(categories)?.id]) }),
  "delete category": (random, { categories }) => on(random.pick(categories), "deleteCategory", {}),
  "merge categories": (random, { categories }) => merge(random, "mergeCategories", categories),
  "create series": (random) => ["createSeries", { name: text(random), slug: slug(random) }],
  "create author": (random) => ["createAuthor", { name: text(random), slug: slug(random) }],
  "update author": (random, { authors }) => on(random.pick(authors), "updateAuthor", random.pick([termChange(random), { jobTitle: text(random) }])),
  "delete author": (random, { authors }) => on(random.pick(authors), "deleteAuthor", {}),
  "merge authors": (random, { authors }) => merge(random, "mergeAuthors", authors),
  "create page": (random, content) => content.pages.length < 30 && ["createPage", { path: path(random, content), title: text(random), markdown: text(random), order: random.below(5), publish: true }],
  "update page": (random, { pages }) => on(random.pick(pages), "updatePage", random.pick([{ title: text(random) }, { order: random.below(9) }, { markdown: text(random) }])),
  "move page": (random, content) => on(random.pick(content.pages), "updatePage", { path: path(random, content) }),
  "unpublish page": (random, { pages }) => on(random.pick(pages), "unpublishPage", {}),
  "publish page": (random, { draftPages }) => on(random.pick(draftPages), "publishPage", {}),
  "delete page": (random, { draftPages, pages }) => on(random.pick([...draftPages, ...pages]), "deletePage", {}),
  "describe picture": (random, { assets }) => on(random.pick(assets.filter((asset) => "alt" in asset)), "updateAsset", { alt: text(random) }),
};

/** Every change by its name. */
export const NAMES = Object.keys(CHANGES);

function merge(random, mutation, terms) {
  const pair = two(random, terms);
  return pair && [mutation, { from: pair[0], into: pair[1] }];
}
