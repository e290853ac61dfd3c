//! Formats and parses every key of every table; no other module does. The rule of this module: a key is a pure function of the
//! model; a text that does not parse is an error, never a panic.
//!
//! | table | PartitionKey | RowKey |
//! |---|---|---|
//! | `Posts` | [`month`](place) | [time key, mirror key](time), `s-{slug}`, `!count` |
//! | `Drafts` | month of creation | the same |
//! | `PostsByCategory`, `PostsByTag`, `PostsByAuthor`, `PostsBySeries`, `PostsByLanguage` | slug, or tag of the language in lower case | time key, mirror key, `!count` |
//! | `FeaturedPosts` | `all` | the same |
//! | `PostsByField` | [field and value](crate::model::field_index::field_partition) | the same; partition `!fields`: [`fields`](field_index) |
//! | `PostKeys` | [bucket](lookup) | `i-{id}`, `s-{slug}` |
//! | `Months` | `all`, `drafts` | inverted ticks of the month's first tick |
//! | `Categories`, `Tags`, `Authors`, `Series` | first character | slug, `!count`; partition `!`: the first characters; of `Categories`, partition `!tree`: [`!tree`](category_tree) |
//! | `Revisions` | [post](history) | version, the newest first |
//! | `Changes` | [year](history) | inverted ticks and a random id |
//! | `ChangeLog` | [`log`](change_log) | `head`, `log-` and a sequence number, `due-` and an instant with the id of a post or page |
//! | `Log` | `log` | on tables, and in a file that is backed up, of [`store::log`](crate::store::log): `!head`, `e-` and a number, `d-` with an instant, an id and a part |
//! | `Tokens` | [`tokens`](token) | the token's id; partition `keys`: `previews`, `restoring` |
//! | `Webhooks` | [`webhooks`](webhook) | the webhook's id, `!sender` |
//! | `Pages` | [`pages`](site_page) | `!tree`, `i-{id}`, `p-{path}`, `c-…` and `d-…` for the children of a page, `s-…` for those that are scheduled |
//! | `Idempotency` | [first byte of a hash](idempotency) | the rest of the hash |
//! | `ViewMonths` | [`months`](views) | `yyyy-MM` |
//! | `Views202611` | [`views`] | `p-{id}`, `t-{day}`, `w-{writer}` |
//! | `Assets` | [`assets`](asset) | `h-{hash}`, `p-{hash}`, `t-{inverted ticks}-{hash}` |

pub mod asset;
pub mod category_tree;
pub mod change_log;
pub mod change_name;
pub mod cursor;
pub mod field_index;
pub mod history;
pub mod idempotency;
pub mod lookup;
pub mod place;
pub mod site_page;
pub mod table;
pub mod tag;
pub mod term;
pub mod time;
pub mod token;
pub mod translation;
pub mod views;
pub mod webhook;

pub use place::{Collection, PostPlace};
pub use table::Table;

use compact_str::CompactString;

use crate::store::{Key, RowRange};

/// The RowKey of the row that counts its partition. It sorts before every other row.
pub const COUNT_ROW: &str = "!count";

/// A key from parts that this module has made, so they contain only valid characters.
fn key(partition: impl Into<CompactString>, row: impl Into<CompactString>) -> Key {
    Key::new(partition, row).expect("keys are made of digits, slugs and ids, which every store accepts")
}

fn range(partition: impl Into<String>, from: Option<String>, to: Option<String>) -> RowRange {
    RowRange::new(partition, from, to).expect("ranges are made of digits, slugs and ids, which every store accepts")
}

/// Distinguishes entries with the same number in two logs of changes.
pub fn change_log_mark(change: &str) -> u64 {
    stable_hash(change.as_bytes())
}

/// FNV-1a with 64 bits. It must never change, because keys and cursors contain it.
fn stable_hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
