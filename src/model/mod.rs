//! The content itself: plain types and their rules. The rule of this module: no I/O, no clock, no async code, no imports of other
//! modules of this crate.

pub mod actor;
pub mod actor_snapshot;
pub mod asset;
pub mod change_id;
pub mod creation_id;
pub mod creation_key;
mod dom_names;
pub mod excerpt;
pub mod headings;
pub mod html;
pub mod html_cost;
pub mod html_links;
mod html_tags;
pub mod html_text;
pub mod instant;
pub mod json_value;
pub mod markdown;
pub mod metadata;
pub mod node_id;
pub mod post;
pub mod rules;
pub mod site;
pub mod slug;
pub mod term;
pub mod token;
pub mod words;

pub use actor::{Actor, ActorKind, Role};
pub use actor_snapshot::ActorSnapshot;
pub use asset::{Asset, AssetFacts, AssetFormat, AssetHash, AssetName};
pub use change_id::ChangeId;
pub use creation_id::CreationId;
pub use creation_key::CreationKey;
pub use instant::{Instant, Month};
pub use json_value::JsonValue;
pub use markdown::{Rendered, render};
pub use metadata::Metadata;
pub use node_id::{NodeId, TermNodeId};
pub use post::{Post, PostDetails, PostId, PostKey, PostStatus, WholePost};
pub use slug::Slug;
pub use term::{Term, TermId, TermKind};
pub use token::{Token, TokenId};
