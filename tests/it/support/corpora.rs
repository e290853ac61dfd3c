//! The folder of the corpora. The rule: a test that needs them fails if they are missing, and says what to do.

use std::path::PathBuf;

/// `TIDINGS_CORPORA`, or `../shared/corpora` beside the checkout.
#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
pub fn corpora() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora");
    let folder = std::env::var_os("TIDINGS_CORPORA").map_or_else(beside, PathBuf::from);
    assert!(folder.is_dir(), "no corpora at {}: set TIDINGS_CORPORA to their folder", folder.display());
    folder
}
