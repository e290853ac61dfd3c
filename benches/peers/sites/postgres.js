// The site in PostgreSQL: a cluster of its own on a socket in its folder, its tables, and the rows of the corpus. The rule: the default settings of
// PostgreSQL, and every query of the benchmark is answered by an index.

import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

import pg from "pg";

import { batches, corpusPosts, corpusTerms, KINDS } from "./corpus.js";

const DEBIAN = "/usr/lib/postgresql";
const BATCH = 500;
const SINGULAR = { authors: "author", categories: "category", tags: "tag" };

const TABLES = `
  create table posts (
    id integer primary key generated always as identity, slug text not null unique, title text not null, excerpt text not null,
    published_at timestamptz(3) not null, markdown text not null, html text not null
  );
  create index on posts (published_at desc, id desc);
  ${KINDS.map((kind) => `
  create table ${kind} (id integer primary key generated always as identity, slug text not null unique, name text not null);
  create table post_${kind} (
    post_id integer not null references posts, position integer not null, ${SINGULAR[kind]}_id integer not null references ${kind},
    published_at timestamptz(3) not null, primary key (post_id, position)
  );
  create index on post_${kind} (${SINGULAR[kind]}_id, published_at desc, post_id desc);`).join("")}`;

/** The folder of PostgreSQL's programs, or undefined. Debian keeps them out of PATH. */
export function postgresPrograms() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => b - a) : [];
  return versions.map((version) => join(DEBIAN, version, "bin")).find((folder) => existsSync(join(folder, "postgres")));
}

/** PostgreSQL refuses to run as root. */
export function asPostgresUser(command) {
  return process.getuid() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", ...command] : command;
}

export function createCluster(folder) {
  const socket = join(folder, "socket");
  mkdirSync(socket, { recursive: true });
  if (process.getuid() === 0) {
    const id = (flag) => Number(execFileSync("id", [flag, "postgres"]).toString());
    for (const owned of [folder, socket]) chownSync(owned, id("-u"), id("-g"));
  }
  chmodSync(socket, 0o755);
  const [command, ...args] = asPostgresUser([join(postgresPrograms(), "initdb"), "--pgdata", join(folder, "data"), "--auth=trust", "--username=bench", "--encoding=UTF8", "--no-locale", "--no-sync"]);
  execFileSync(command, args, { stdio: "pipe", cwd: "/" });
}

/** What serves a cluster: only on its socket. */
export function postgresCommand(folder) {
  return asPostgresUser([join(postgresPrograms(), "postgres"), "-D", join(folder, "data"), "-k", join(folder, "socket"), "-c", "listen_addresses="]);
}

export function connectionOf(folder) {
  return { host: join(folder, "socket"), user: "bench", database: "postgres" };
}

export async function loadPostgres(folder, corpus) {
  const client = new pg.Client(connectionOf(folder));
  await client.connect();
  await client.query("begin");
  await client.query(TABLES);
  for (const kind of KINDS) {
    const rows = corpusTerms(corpus).filter((term) => term.kind === kind);
    await client.query(`insert into ${kind} (slug, name) select slug, name from jsonb_to_recordset($1) as r(slug text, name text)`, [JSON.stringify(rows)]);
  }
  for await (const batch of batches(corpusPosts(corpus), BATCH)) {
    const posts = JSON.stringify(batch);
    await client.query(`insert into posts (slug, title, excerpt, published_at, markdown, html)
      select slug, title, excerpt, "publishedAt", markdown, html
      from jsonb_to_recordset($1) as r(slug text, title text, excerpt text, "publishedAt" timestamptz, markdown text, html text)`, [posts]);
    for (const kind of KINDS) {
      await client.query(`insert into post_${kind} (post_id, position, ${SINGULAR[kind]}_id, published_at)
        select p.id, s.position, t.id, p.published_at from jsonb_to_recordset($1) as r(slug text, ${kind} jsonb) join posts p using (slug)
        cross join jsonb_array_elements_text(r.${kind}) with ordinality as s(slug, position) join ${kind} t on t.slug = s.slug`, [posts]);
    }
  }
  await client.query("commit");
  await client.query("vacuum analyze");
  await client.query("checkpoint");
  await client.end();
}
