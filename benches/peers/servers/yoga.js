// GraphQL Yoga with better-sqlite3. The rule: prepared statements, and a data loader for each list, so that a page costs a statement for each
// level and not for each post. Usage: node yoga.js DATABASE

import { createServer } from "node:http";

import DataLoader from "dataloader";
import { createSchema, createYoga } from "graphql-yoga";

import { openDatabase, postInsertion } from "../sites/sqlite.js";
import { connection, fromCursor, listens, typeDefs } from "./common.js";

const database = openDatabase(process.argv[2]);
const COLUMNS = "p.id, p.slug, p.title, p.excerpt, p.published_at as publishedAt, p.version";
const statement = {
  newest: database.prepare(`select ${COLUMNS} from posts p order by published_at desc, id desc limit ?`),
  newestAfter: database.prepare(`select ${COLUMNS} from posts p where (published_at, id) < (?, ?) order by published_at desc, id desc limit ?`),
  post: database.prepare(`select ${COLUMNS} from posts p where slug = ?`),
  postById: database.prepare(`select ${COLUMNS} from posts p where id = ?`),
  body: database.prepare("select markdown, html from posts where id = ?"),
  term: database.prepare("select id, slug, name from terms where kind = ? and slug = ?"),
  terms: database.prepare("select id, slug, name from terms where kind = ? order by slug limit ?"),
  termsOfPosts: database.prepare(`select pt.post_id as postId, t.id, t.slug, t.name
    from json_each(?) j join post_terms pt on pt.post_id = j.value and pt.kind = ? join terms t on t.id = pt.term_id order by pt.post_id, pt.position`),
  postsOfTerm: database.prepare(`select ${COLUMNS} from term_posts tp join posts p on p.id = tp.post_id
    where tp.term_id = ? order by tp.published_at desc, tp.post_id desc limit ?`),
  postsOfTwoTags: database.prepare(`select ${COLUMNS} from term_posts tp
    join term_posts other on other.term_id = ? and other.published_at = tp.published_at and other.post_id = tp.post_id
    join posts p on p.id = tp.post_id where tp.term_id = ? order by tp.published_at desc, tp.post_id desc limit ?`),
  archive: database.prepare(`select cast(substr(month, 1, 4) as integer) as year, cast(substr(month, 6) as integer) as month, postCount
    from (select substr(published_at, 1, 7) as month, count(*) as postCount from posts group by 1 order by 1 desc)`),
  rename: database.prepare("update posts set title = ?, version = version + 1 where id = ? and version = ?"),
};
const insertPost = database.transaction(postInsertion(database));
const cursorOf = (post) => `${post.publishedAt} ${post.id}`;

function termsLoader(kind) {
  return new DataLoader(async (ids) => {
    const found = new Map(ids.map((id) => [id, []]));
    for (const row of statement.termsOfPosts.all(JSON.stringify(ids), kind)) found.get(row.postId).push(row);
    return ids.map((id) => found.get(id));
  });
}

function loaders() {
  return { authors: termsLoader("authors"), categories: termsLoader("categories"), tags: termsLoader("tags") };
}

const postsOfTerm = (term, { first }) => connection(statement.postsOfTerm.all(term.id, first + 1), first, cursorOf);

const resolvers = {
  Query: {
    posts(_, { first, after, filter }) {
      if (filter) {
        const [one, other] = filter.tags.all.map((slug) => statement.term.get("tags", slug).id);
        return connection(statement.postsOfTwoTags.all(one, other, first + 1), first, cursorOf);
      }
      if (!after) return connection(statement.newest.all(first + 1), first, cursorOf);
      const [publishedAt, id] = fromCursor(after).split(" ");
      return connection(statement.newestAfter.all(publishedAt, Number(id), first + 1), first, cursorOf);
    },
    archive: () => statement.archive.all(),
    post: (_, { slug }) => statement.post.get(slug),
    tag: (_, { slug }) => statement.term.get("tags", slug),
    authors: (_, { first }) => ({ nodes: statement.terms.all("authors", first) }),
  },
  Mutation: {
    createPost(_, { input: { publishAt, authorSlugs: authors, categorySlugs: categories, tagSlugs: tags, ...input } }) {
      const post = { ...input, authors, categories, tags, publishedAt: publishAt, excerpt: input.markdown.slice(0, 200), html: input.markdown };
      return { post: statement.postById.get(insertPost.immediate(post)), userErrors: [] };
    },
    updatePost(_, { input: { id, expectedVersion, title } }) {
      const { changes } = statement.rename.run(title, id, expectedVersion);
      if (!changes) return { post: null, userErrors: [{ message: "The post was changed since this version." }] };
      return { post: statement.postById.get(id), userErrors: [] };
    },
  },
  Post: {
    body: (post) => statement.body.get(post.id),
    authors: (post, _, context) => context.authors.load(post.id),
    categories: (post, _, context) => context.categories.load(post.id),
    tags: (post, _, context) => context.tags.load(post.id),
  },
  Author: { posts: postsOfTerm },
  Tag: { posts: postsOfTerm },
};

const yoga = createYoga({ schema: createSchema({ typeDefs, resolvers }), context: loaders, graphiql: false, landingPage: false, logging: false });
const server = createServer(yoga);
server.listen(0, "127.0.0.1", () => listens(server.address().port));
