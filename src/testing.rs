//! The items inside `content` that tests, benchmarks and fuzz targets use. The rule: no module of `src` uses this one, and its exports are
//! the only access to the inside of `content`.

pub use crate::content::access::{NewToken, Tokens, operator};
pub use crate::content::commands::{Edited, Patch, PostChanges, Problem, UserError};
pub use crate::content::editor::{Editor, NamedTerms, NamedVersion, TermChanges};
pub use crate::content::maintenance::{Difference, RepairOptions, Repaired};
pub use crate::content::read::{Sizes, pages};
pub use crate::content::tables::rows;
pub use crate::content::write::{Change, Deleted, GoneTerm, Outcome, Renamed, Stored};
