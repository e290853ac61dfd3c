//! Documents that clients name instead of sending their text. The rule: a name means the same text as long as the process runs: it is the hash of the text, or
//! comes from a manifest of the operator.
//!
//! [`PersistedDocuments`] are registered by clients under their hashes, within a size limit. [`TrustedDocuments`] are those of the manifests; they are checked
//! at startup and never dropped.

mod hash;
mod manifest;
mod store;
mod trusted;

pub use hash::{DocumentHash, HashedDocument};
pub use manifest::{ManifestError, read_text};
pub use store::{BYTES_MAX, BYTES_MIN, PersistedDocuments};
pub use trusted::{TrustedDocument, TrustedDocuments};
