//! Tidings: a GraphQL content server over tables that know only a PartitionKey and a RowKey.
//!
//! # The rooms
//!
//! Each opens with the one rule that it keeps. Arrows go one way, and `tests/it/rooms` holds every `use` and every path to them:
//!
//! ```text
//! main → cli → app → http → graphql → loaders → content → keys → store
//!         │     └→ config                 ├→ oidc  ↑         store/embedded: redb
//!         └→ import, export ───────────────────────┘         store/azure: the Azure SDK
//! ```
//!
//! `telemetry` stands beside all of them but `keys` and `model`: it is told, and asks nothing.
//!
//! | room | is for | never |
//! |---|---|---|
//! | [`cli`] | a file for each command: what was typed becomes settings | rows |
//! | [`app`] | composition: settings → store → content → schema → router → tasks → graceful stop | decisions |
//! | [`config`] | every setting, told once; the only reader of the environment and the configuration file | |
//! | [`telemetry`] | the words of the log, the metrics and the traces; all rooms below `app` call it | the standard output, the content |
//! | [`http`] | every route and layer in one list; bodies, deadlines, connections | stores, keys |
//! | [`graphql`] | what a document may ask, resolvers that only translate, errors with codes | stores, keys |
//! | [`loaders`] | what the fields of one level ask for, read at once | outliving a request |
//! | [`import`], [`export`] | Markdown, exports of WordPress and Ghost, and JSON Lines into posts, and posts into JSON Lines | writing but through `content` |
//! | [`content`] | what the server does: reads, pages, writes, checks, repairs | GraphQL, HTTP |
//! | [`keys`] | every key of every table, formatted and parsed | |
//! | [`store`] | the contract of a table store, and the two stores that keep it | knowing what a row means |
//! | [`oidc`] | JWTs of an OpenID provider, and its keys | content: who someone is here, it does not know |
//! | [`clock`] | the only reader of the time | |
//! | [`model`] | posts, terms, slugs, instants, Markdown; used by all | I/O, waiting, the time, imports of ours |
//!
//! What is not here: a query that scans a table, a cache of anything but the lists of months and first characters, and state of a
//! request that outlives it.
//!
//! # One request
//!
//! `{ posts(first: 20) { nodes { title authors { name } } } }` by POST:
//!
//! 1. [`http::server`] takes the connection under its limits; `http::graphql` reads the body and what answer the client takes.
//! 2. [`graphql::guard`] scans the bytes before the parser meets them, parses, and counts fields, depth and variables.
//! 3. [`graphql::cost`] reckons how many storage requests the query can cost, and refuses it whole where that is too many.
//! 4. A [`content::Reader`] is made: one instant, one count of what is read; [`loaders`] on top of it, for this request alone.
//! 5. `posts` becomes a [`content::pages::PostList`]; the page loader hands the pages of one level to [`content::pages`].
//! 6. The list of months says which months the page touches; their ranges are read all at once, newest first.
//! 7. [`keys`] makes each RowKey range, [`store`] reads it, [`content::rows`] decodes the rows; nothing decoded is trusted.
//! 8. What is not published at the request's instant is skipped, and the page is filled from behind it.
//! 9. `authors` of all twenty posts are one batch: each author is one point read, however many posts name it.
//! 10. Errors get their codes, the answer is sent; `extensions.storage` tells the reads to whoever asked for them.
//!
//! # One write
//!
//! `publishPost` of a draft; an import is the same from the third step on, with many posts at once:
//!
//! 1. `graphql::mutation` asks for the actor's role, and hands the input to [`content::editor`].
//! 2. [`content::commands`], pure, says what the post is to be, or everything that the caller must mend; then nothing was written.
//! 3. [`content::write::plan`], pure, says which rows the post had and which it is to have.
//! 4. The intent, with the post before and after, is put into `Intents`; its lease is renewed while the change is made.
//! 5. A new slug is claimed in `PostKeys` by an insert that fails where it stands, so that a slug has one owner.
//! 6. The new pointers are put, with their mirrors and counts, a transaction a partition, and the month is listed. Until the
//!    commit readers skip them, for a pointer is believed only where the post's own row bears it out.
//! 7. A draft that is published moves to another partition: its rows there are put as pending, and name the old place.
//! 8. The commit: one transaction, under the ETag read, turns the old rows into a forwarding row. Every list shows the post at
//!    once. Where the ETag has moved on, the answer is a conflict.
//! 9. The settlement holds every row of the old and of the new state against the post as it is, and removes what does not hold.
//! 10. The intent is deleted. Where the process stopped before, [`content::write::recover`] does step 9 in its place.
//!
//! `docs/` says more: the tables and keys, the write protocol, operating, scaling, and why it was decided so.

pub mod app;
pub mod cli;
pub mod clock;
pub mod config;
pub mod content;
pub mod export;
pub mod graphql;
pub mod http;
pub mod import;
pub mod keys;
pub mod loaders;
pub mod model;
pub mod oidc;
pub mod store;
pub mod telemetry;
