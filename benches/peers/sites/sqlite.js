// The site in SQLite: its tables and the rows of the corpus. The rule: every query of the benchmark is answered by an index.

import Database from "better-sqlite3";

import { corpusPosts, corpusTerms, KINDS } from "./corpus.js";

const TABLES = `
  create table posts (
    id integer primary key, slug text not null unique, title text not null, excerpt text not null,
    published_at text not null, version integer not null, markdown text not null, html text not null
  );
  create index posts_newest on posts (published_at desc, id desc);
  create table terms (id integer primary key, kind text not null, slug text not null, name text not null, unique (kind, slug));
  create table post_terms (
    post_id integer not null references posts, kind text not null, position integer not null, term_id integer not null references terms,
    primary key (post_id, kind, position)
  ) without rowid;
  create table term_posts (
    term_id integer not null references terms, published_at text not null, post_id integer not null references posts,
    primary key (term_id, published_at desc, post_id desc)
  ) without rowid;`;

/** As a server opens it. FULL: a change is on the disk before it is acknowledged, as in Tidings. */
export function openDatabase(path) {
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("cache_size = -65536");
  database.pragma("mmap_size = 1073741824");
  return database;
}

/** A function that adds a post with its terms; its callers choose the transaction. */
export function postInsertion(database) {
  const insertPost = database.prepare("insert into posts (slug, title, excerpt, published_at, version, markdown, html) values (?, ?, ?, ?, 1, ?, ?)");
  const insertTermOfPost = database.prepare("insert into post_terms select ?, ?, ?, id from terms where kind = ? and slug = ? returning term_id");
  const insertPostOfTerm = database.prepare("insert into term_posts values (?, ?, ?)");
  return (post) => {
    const id = insertPost.run(post.slug, post.title, post.excerpt, post.publishedAt, post.markdown, post.html).lastInsertRowid;
    for (const kind of KINDS) {
      post[kind].forEach((slug, position) => {
        const { term_id } = insertTermOfPost.get(id, kind, position, kind, slug);
        insertPostOfTerm.run(term_id, post.publishedAt, id);
      });
    }
    return id;
  };
}

export async function loadSqlite(path, corpus) {
  const database = openDatabase(path);
  database.exec(TABLES);
  const insertTerm = database.prepare("insert into terms (kind, slug, name) values (?, ?, ?)");
  const insertPost = postInsertion(database);
  database.exec("begin");
  for (const { kind, slug, name } of corpusTerms(corpus)) insertTerm.run(kind, slug, name);
  for await (const post of corpusPosts(corpus)) insertPost(post);
  database.exec("commit");
  database.exec("analyze");
  database.pragma("wal_checkpoint(truncate)");
  database.close();
}
