//! Second requests of reads whose first one was slow (hedged reads). The rule: the store that sends one notes it at that moment, in the task that waits for
//! the read, and who has asked for the read counts it, also if nobody waits for the answer any more.

use std::sync::Arc;

/// Called for each second request.
pub(super) type NoteHedge = Arc<dyn Fn() + Send + Sync>;

tokio::task_local! {
    static NOTE: NoteHedge;
}

/// A read whose second requests are noted.
pub(super) async fn noting<F: Future>(note: NoteHedge, read: F) -> F::Output {
    NOTE.scope(note, read).await
}

/// The read that is being polled is sent again.
pub(super) fn note() {
    // Nobody counts the reads of a poll or of a check.
    let _ = NOTE.try_with(|note| note());
}
