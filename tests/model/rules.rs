//! The rules of `docs/design.md`, each of which can be switched off, so that a test shows that the checker detects its absence.

/// `true` is what the design says. W10 has no switch, because the model has no answer that is given later than the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// A change starts only when the intents that the row names are closed.
    pub one_at_a_time: bool,
    /// It writes nothing before they are.
    pub wait_before_insert: bool,
    /// A pointer or claim that exists already is written again.
    pub rewrite_needed_rows: bool,
    /// Before a post is taken, its change only inserts rows that are absent.
    pub overwrite_after_take: bool,
    /// A deletion is recorded before its marker is removed.
    pub record_before_marker: bool,
    /// A row is removed during reconciliation under its ETag, while the intent is open.
    pub read_check_remove: bool,
    /// An aborted change removes only what names it,
    pub remove_own_rows_only: bool,
    /// and only if the post, read after the row, does not have it.
    pub remove_unneeded_rows_only: bool,
    /// Whether a change was made is read from its name on the row, not from what the post looks like.
    pub commit_is_named: bool,
    /// A commit is made under the ETag of the take, and a recovery changes that ETag before it aborts.
    pub fence: bool,
    /// A writer stops with its lease,
    pub stop_with_lease: bool,
    /// and a recovered intent is kept until nothing can arrive late.
    pub keep_recovered: bool,
    /// A listing that exists is written again before a row is put into its partition.
    pub rewrite_listing: bool,
    /// A listing is set to 0 only if no open intent may still put a row into the partition.
    pub look_before_unlisting: bool,
    /// A writer of posts reads the terms after it has opened its intent.
    pub terms_last: bool,
    /// A deletion marks the term before it checks whether posts use it.
    pub mark_before_look: bool,
    /// A claim of another post is an orphan only if the post, read after the intents, does not have the slug.
    pub claim_post_last: bool,
    /// The listing names the changes that need it. Without this, a change that reads the count as 0 checks the open intents instead.
    pub listing_names_changes: bool,
    /// An aborted change copies the count to the listings that it has written.
    pub abort_copies_count: bool,
    /// A term whose deletion is closed is read again before it is used.
    pub read_term_again: bool,
    /// The creation of a term, too, commits under the ETag of a row that it has inserted before.
    pub reserve_term: bool,
    /// A deletion removes slug rows only while the identity row says that the term is gone, by this deletion.
    pub slug_rows_first: bool,
    /// A writer that has lost the answer to its commit, and its lease before its own fence, does not say that it was refused.
    pub unknown_without_fence: bool,
    /// A wait with an open intent ends, with a refusal.
    pub bounded_waits: bool,
    /// Revisions name no intent: the sweep removes those of a post that is gone.
    pub sweep_revisions: bool,
    /// A tag that is made with a post waits for the deletion of the tag that was there.
    pub wait_for_deletion: bool,
    /// A new term that takes the place of a deleted term's slug row takes that row out of the count.
    pub count_replaced_rows: bool,
}

impl Rules {
    pub const ALL: Self = Self {
        one_at_a_time: true,
        wait_before_insert: true,
        rewrite_needed_rows: true,
        overwrite_after_take: true,
        record_before_marker: true,
        read_check_remove: true,
        remove_own_rows_only: true,
        remove_unneeded_rows_only: true,
        commit_is_named: true,
        fence: true,
        stop_with_lease: true,
        keep_recovered: true,
        rewrite_listing: true,
        look_before_unlisting: true,
        terms_last: true,
        mark_before_look: true,
        claim_post_last: true,
        listing_names_changes: true,
        abort_copies_count: true,
        read_term_again: true,
        reserve_term: true,
        slug_rows_first: true,
        unknown_without_fence: true,
        bounded_waits: true,
        sweep_revisions: true,
        wait_for_deletion: true,
        count_replaced_rows: true,
    };
}
