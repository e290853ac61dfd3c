//! The assets of a site: writes their rows, and decides when their bytes are written and deleted. The rule: a row of an asset exists only while its bytes exist
//! (I11).
//!
//! No transaction covers a row and a file, so a change of bytes is announced by a *step row* first. An upload inserts the step row, writes the bytes, and then,
//! in one transaction, replaces the step row with the asset and its place in the list. A deletion does the reverse: one transaction replaces the asset with a
//! step row, then the bytes are deleted, then the step row. If a process stops in between, [`recover`] deletes the bytes that no row names.

mod edit;
mod pending;
mod read;

pub(crate) use edit::{AssetChanges, AssetEditor, NewAsset};
pub(super) use pending::{of_bytes, recover};
pub(crate) use read::{cursor, name_of_row};
