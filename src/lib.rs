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
//! `backup` uses `content`, `keys`, `store` and `assets`; `cli`, `app`, `config` and `jobs` use it. `http`, `graphql`, `ingest`, `export`, `app` and `config` use `assets` too, because they pass pictures and files on. `http` passes `views` to `content`, and `app` connects them. `http` uses `oidc` for the sign-in of the editor. `app`
//! starts `jobs`, which use `content`, `purge` and `webhooks`; these two use `content`. `assets` signs in to a container of
//! Azure through `store/azure`. `telemetry` uses no other module; `cli`, `app`, `config`,
//! `http`, `graphql`, `loaders`, `ingest`, `jobs`, `purge`, `content` and `store` use it.
//!
//! | module | purpose | does not |
//! |---|---|---|
//! | [`cli`] | a file for each command: arguments become settings | access rows |
//! | [`app`] | composition: settings → store → content → schema → router → jobs → graceful stop | contain logic of content, GraphQL or HTTP |
//! | [`jobs`] | the background work of a server, a file for each job | contain logic of content |
//! | [`config`] | all settings, each defined once; the only reader of the environment and the configuration file | |
//! | [`telemetry`] | the log, the metrics and the traces | write to the standard output, know the content |
//! | [`http`] | all routes and layers in one list; bodies, deadlines, connections | use stores or keys |
//! | [`graphql`] | limits of documents, resolvers that only translate, errors with codes | use stores or keys |
//! | [`loaders`] | data loaders: one batch for the fields of a level | outlive a request |
//! | [`import`] | a crate of its own: reads folders of Markdown, JSON Lines, and exports of WordPress, Ghost, Substack, Medium, Notion and Contentful | write, wait, read the time |
//! | [`ingest`], [`export`] | write what was read; write folders of Markdown and JSON Lines | write except through `content` |
//! | `tidings_search` | a crate of its own: the full-text index, words, ranking, highlights | know posts or rows |
//! | [`content`] | reads, pages, search, writes, checks, repairs | know GraphQL or HTTP |
//! | [`assets`] | the bytes of pictures and files: checked, pictures cleaned, stored by their hash in a folder or a cloud, pictures served in several widths | know rows or who may do what |
//! | [`keys`] | the keys of all tables, formatted and parsed | |
//! | [`store`] | the contract of a table store, and its two implementations | know what a row means |
//! | [`backup`] | backups of the rows and bytes at a position of the log, and restores | know what a row means |
//! | [`purge`] | purges of a CDN by the tags of what was changed | know answers, keep a write waiting |
//! | [`views`] | the views of posts that pages report, in memory until `content` writes them | keep who somebody is, know rows |
//! | [`webhooks`] | requests to the endpoints of webhooks, to allowed addresses only | know rows, or decide what is sent and when |
//! | [`oidc`] | verification of the JWTs of an OpenID provider, and signing in there | know content, or decide what a subject may do |
//! | [`clock`] | the only reader of the time | |
//! | [`testing`] | what tests, benchmarks and fuzz targets use of the modules inside `content` | serve any module |
//! | [`model`] | a crate of its own: posts, terms, slugs, instants, Markdown; used by most modules | perform I/O, wait, read the time, use other modules |
//!
//! The server caches the lists of months and first characters, tokens and the key of preview links, rendered bodies,
//! parsed documents, the texts of documents that clients have registered ([`graphql::persisted`]), and the keys of an
//! OpenID provider. It also caches answers to anonymous queries, and posts, terms, pages, first keys of indexes and
//! counts for all queries, until a row on which they depend is written (`content::cache`). No query scans a table.
//!
//! `docs/design.md` defines the invariants, budgets and rules that the code cites by name (I1, B1, R1), each with the tests that guard it, and lists
//! the files on the path of one read and of one write, in order.
//!
//! `docs/` describes the tables and keys, the writes, operation, scaling, and the reasons for the decisions.

// Items of private modules are not `pub`, so that the compiler reports unused ones.
#![cfg_attr(not(test), warn(unreachable_pub))]

pub use tidings_import as import;
pub use tidings_model as model;

pub mod app;
pub mod assets;
pub mod backup;
pub mod cli;
pub mod clock;
pub mod config;
pub mod content;
pub mod export;
pub mod graphql;
pub mod http;
pub mod ingest;
pub mod jobs;
pub mod keys;
pub mod loaders;
pub mod oidc;
pub mod purge;
pub mod store;
pub mod telemetry;
pub mod testing;
pub mod views;
pub mod webhooks;
