// Apollo Server with @azure/data-tables. The rule: a data loader for posts and terms, so that a request reads no entity twice; with a cache time,
// terms are also kept between requests, as stale as that. Usage: node apollo.js TABLE_ENDPOINT CACHE_SECONDS

import { ApolloServer } from "@apollo/server";
import { startStandaloneServer } from "@apollo/server/standalone";
import { odata } from "@azure/data-tables";
import DataLoader from "dataloader";

import { tables, textOf } from "../sites/tables.js";
import { connection, fromCursor, listens, typeDefs } from "./common.js";

const { posts, lists, terms } = tables(process.argv[2]);
const cacheMs = Number(process.argv[3]) * 1000;
const cursorOf = (entity) => entity.rowKey;

async function found(read) {
  try {
    return await read;
  } catch (error) {
    if (error.statusCode === 404) return null;
    throw error;
  }
}

const termOf = (entity) => entity && { kind: entity.partitionKey, slug: entity.rowKey, name: entity.name };

/** The terms of earlier requests, each until its time. */
const cached = new Map();

function readTerm(kind, slug) {
  const key = `${kind} ${slug}`;
  const known = cached.get(key);
  if (known && known.until > Date.now()) return known.term;
  const term = found(terms.getEntity(kind, slug)).then(termOf);
  if (cacheMs) {
    cached.set(key, { term, until: Date.now() + cacheMs });
    term.catch(() => cached.delete(key));
  }
  return term;
}

async function page(partition, first, after) {
  const filter = after ? odata`PartitionKey eq ${partition} and RowKey gt ${after}` : odata`PartitionKey eq ${partition}`;
  const pages = lists.listEntities({ queryOptions: { filter } }).byPage({ maxPageSize: first + 1 });
  const { value } = await pages.next();
  return connection(value ?? [], first, cursorOf);
}

const postFields = "slug,title,excerpt,publishedAt,authors,categories,tags".split(",");

function loaders() {
  const termLoader = (kind) => new DataLoader((slugs) => Promise.all(slugs.map((slug) => readTerm(kind, slug))));
  return {
    authors: termLoader("authors"),
    categories: termLoader("categories"),
    tags: termLoader("tags"),
    // A list shows no bodies, so they are not read.
    summaries: new DataLoader((slugs) =>
      Promise.all(slugs.map((slug) => found(posts.getEntity(slug, "post", { queryOptions: { select: postFields } }))))),
  };
}

/** The posts of a term, whose index has only their slugs. */
async function postsOfTerm(partition, first, { summaries }) {
  const { nodes, pageInfo } = await page(partition, first);
  return { nodes: await summaries.loadMany(nodes.map(({ slug }) => slug)), pageInfo };
}

const termsOfPost = (kind) => (post, _, context) => context[kind].loadMany(post[kind].split(" ").filter(Boolean));

const resolvers = {
  Query: {
    posts: (_, { first, after }) => page("posts", first, after && fromCursor(after)),
    post: (_, { slug }) => found(posts.getEntity(slug, "post")),
    tag: (_, { slug }, context) => context.tags.load(slug),
    async authors(_, { first }) {
      const pages = terms.listEntities({ queryOptions: { filter: odata`PartitionKey eq ${"authors"}` } }).byPage({ maxPageSize: first });
      const { value } = await pages.next();
      return { nodes: (value ?? []).map(termOf) };
    },
  },
  Post: {
    body: (post) => post,
    authors: termsOfPost("authors"),
    categories: termsOfPost("categories"),
    tags: termsOfPost("tags"),
  },
  RichText: {
    markdown: (post) => textOf(post, "markdown"),
    html: (post) => textOf(post, "html"),
  },
  Author: { posts: (author, { first }, context) => postsOfTerm(`author-${author.slug}`, first, context) },
  Tag: { posts: (tag, { first }, context) => postsOfTerm(`tag-${tag.slug}`, first, context) },
};

const server = new ApolloServer({ typeDefs: typeDefs.replace(/type Mutation \{[^}]*\}/, ""), resolvers, introspection: false });
const { url } = await startStandaloneServer(server, { listen: { port: 0, host: "127.0.0.1" }, context: async () => loaders() });
listens(new URL(url).port);
