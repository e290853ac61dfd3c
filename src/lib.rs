//! Tidings: a GraphQL content server over tables that know only a PartitionKey and a RowKey.
//!
//! # Modules
//!
//! The documentation of each module begins with its purpose and the one rule that it keeps. Dependencies go one way; `tests/it/modules` checks every
//! `use` and every path:
//!
//! ```text
//! main → cli → app → http → graphql → loaders → content → keys → store
//!         │     └→ config                 ├→ oidc  ↑  └→ assets  store/embedded: redb
//!         └→ ingest, export ───────────────────────┘             store/azure: the Azure SDK
//!              └→ import
//! ```
//!
//! `http`, `graphql`, `ingest`, `export`, `app` and `config` use `assets` too, because they pass pictures and files on. `assets`
//! signs in to a container of Azure through `store/azure`. `telemetry` uses no other module; `cli`, `app`, `config`,
//! `http`, `graphql`, `loaders`, `ingest`, `purge`, `content` and `store` use it.
//!
//! | module | purpose | does not |
//! |---|---|---|
//! | [`cli`] | a file for each command: arguments become settings | access rows |
//! | [`app`] | composition: settings → store → content → schema → router → tasks → graceful stop | contain logic of content, GraphQL or HTTP |
//! | [`config`] | all settings, each defined once; the only reader of the environment and the configuration file | |
//! | [`telemetry`] | the log, the metrics and the traces | write to the standard output, know the content |
//! | [`http`] | all routes and layers in one list; bodies, deadlines, connections | use stores or keys |
//! | [`graphql`] | limits of documents, resolvers that only translate, errors with codes | use stores or keys |
//! | [`loaders`] | data loaders: one batch for the fields of a level | outlive a request |
//! | [`import`] | a crate of its own: reads folders of Markdown, JSON Lines, and exports of WordPress, Ghost, Substack, Medium, Notion and Contentful | write, wait, read the time |
//! | [`ingest`], [`export`] | write what was read; write folders of Markdown and JSON Lines | write except through `content` |
//! | [`content`] | reads, pages, writes, checks, repairs | know GraphQL or HTTP |
//! | [`assets`] | the bytes of pictures and files: checked, pictures cleaned, stored by their hash in a folder or a cloud, pictures served in several widths | know rows or who may do what |
//! | [`keys`] | the keys of all tables, formatted and parsed | |
//! | [`store`] | the contract of a table store, and its two implementations | know what a row means |
//! | [`purge`] | purges of a CDN by the tags of what was changed | know answers, keep a write waiting |
//! | [`oidc`] | verification of the JWTs of an OpenID provider | know content, or decide what a subject may do |
//! | [`clock`] | the only reader of the time | |
//! | [`testing`] | what tests, benchmarks and fuzz targets use of the modules inside `content` | serve any module |
//! | [`model`] | a crate of its own: posts, terms, slugs, instants, Markdown; used by most modules | perform I/O, wait, read the time, use other modules |
//!
//! The server caches the lists of months and first characters, tokens and the key of preview links, rendered bodies,
//! parsed documents, the texts of documents that clients have registered ([`graphql::persisted`]), and the keys of an
//! OpenID provider. It also caches answers to anonymous queries, and posts, terms, pages, first keys of indexes and
//! counts for all queries, until a row on which they depend is written (`content::cache`). No query scans a table.
//!
//! # One request
//!
//! `{ posts(first: 20) { nodes { title authors { name } } } }` by POST:
//!
//! 1. [`http::server`] accepts the connection under its limits; `http::graphql` negotiates the media type of the answer
//!    and reads the body. A cached answer is sent at once. If the request names its document, `http::persisted` finds
//!    the text.
//! 2. [`graphql::guard`] scans the bytes before the parser reads them, parses, and counts fields, depth and variables.
//!    For a document that [`graphql::documents`] has cached, only the variables are checked.
//! 3. The request gets a [`content::Reader`] with one instant, which counts its reads; on a file, the reader reads from
//!    one snapshot. Cached values are not read.
//! 4. [`graphql::cost`] computes how many storage requests the query could need, from its fields and from the lists of months and of first characters,
//!    and refuses the query if that is too many, or more than its client has left ([`graphql::fair_use`]). Otherwise the request
//!    gets its own [`loaders`] on top of the reader.
//! 5. `posts` becomes a [`content::read::pages::PostList`]; the page loader passes the pages of one level to [`content::read::pages`].
//! 6. The list of months determines which months the page needs; their ranges are read concurrently, newest first.
//! 7. [`keys`] formats each RowKey range, [`store`] reads it, [`content::tables::rows`] decodes and validates the rows.
//! 8. The ranges begin at the request's instant, so scheduled posts are not read. A row whose post is not in the list any more is skipped, and the
//!    page is filled with the posts after it.
//! 9. The `authors` of all twenty posts are one batch: each author is one point read, however many posts name it.
//! 10. Errors get their codes, and the answer is sent. `extensions.storage` reports the reads if the client requests it and is allowed to see it.
//!
//! # One write
//!
//! `publishPost` of a draft. An import does the same from the third line on, for many posts at once:
//!
//! - `graphql::mutation` checks the actor's role, and passes the input to [`content::editor`].
//! - [`content::commands`], pure, computes the new post, or returns everything that the caller must fix; then nothing is written.
//! - `content/write/plan`, pure, computes the rows that the post has and the rows that it will have.
//! - `content/write/atomic` reads, inside of one transaction over all tables, what the change depends on: the post must
//!   be as it was read, its slug free, its terms must exist. Otherwise the answer is a conflict or a refusal, and
//!   nothing is written.
//! - The same transaction writes all rows: the post at its new place, the rows that point to it, the counts and the
//!   list of months, the version that is replaced, the record of the change, and its entry in the log that followers
//!   read.
//!
//! In a file, everything becomes visible at once. On tables, the transaction is durable as an entry of a log, and its
//! rows are written after that: first new rows that point to an object, then objects, then rows that point to another
//! place, and at last what is removed. A reader without a snapshot that does not find the post to which a row points
//! reads that row again, and a pointer counts only if the post's own row confirms it.
//!
//! `docs/design.md` defines the invariants, budgets and rules that the code cites by name (I1, B1, R1), each with the tests that guard it, and lists
//! the files on the path of one read and of one write, in order.
//!
//! `docs/` describes the tables and keys, the writes, operation, scaling, and the reasons for the decisions.

// An item of a private module is not `pub`, so that the compiler reports it when nothing uses it any more.
#![cfg_attr(not(test), warn(unreachable_pub))]

pub use tidings_import as import;
pub use tidings_model as model;

pub mod app;
pub mod assets;
pub mod cli;
pub mod clock;
pub mod config;
pub mod content;
pub mod export;
pub mod graphql;
pub mod http;
pub mod ingest;
pub mod keys;
pub mod loaders;
pub mod oidc;
pub mod purge;
pub mod store;
pub mod telemetry;
pub mod testing;
