//! Converts redb's panics about a damaged file into errors. The rule: a damaged file causes an error for the caller and one log line; the process continues,
//! and no stack trace is printed.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::store::Result;
use crate::store::error::StoreError;

thread_local! {
    static IS_VISITING: Cell<bool> = const { Cell::new(false) };
}

/// Runs one visit to redb. redb asserts its own page layout, so it can panic on a page that was changed from outside.
///
/// After a panic the transaction is dropped with everything that was half done, so nothing that unwound is used again.
pub(super) fn guard<T>(visit: impl FnOnce() -> Result<T>) -> Result<T> {
    keep_panics_quiet();
    let was_visiting = IS_VISITING.replace(true);
    let visited = catch_unwind(AssertUnwindSafe(visit));
    IS_VISITING.set(was_visiting);
    visited.unwrap_or_else(|_| Err(damaged()))
}

/// Runs code other than redb's inside a visit: its panics are reported normally. It must not unwind.
pub(super) fn unguarded<T>(run: impl FnOnce() -> T) -> T {
    let was_visiting = IS_VISITING.replace(false);
    let returned = run();
    IS_VISITING.set(was_visiting);
    returned
}

/// Panics that are caught here are logged, not printed; all others go to the previous hook.
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| match IS_VISITING.get() {
            true => tracing::error!(%panicked, "store.page_unreadable"),
            false => previous(panicked),
        }));
    });
}

/// Like [`guard`]; an error about damage names the file.
pub(super) fn guard_file<T>(name: &str, visit: impl FnOnce() -> Result<T>) -> Result<T> {
    guard(visit).map_err(|error| match error {
        StoreError::Corrupt { what, source } if !what.contains(name) => {
            StoreError::Corrupt { what: format!("{name}: {what}"), source }
        }
        other => other,
    })
}

fn damaged() -> StoreError {
    StoreError::corrupt("a page of the store file cannot be read; restore it from a copy")
}
