//! The rules of `docs/design.md`, each of which can be switched off, so that a test shows that the checker detects its absence.

/// `true` is what the page says.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// R1. An append is made under the ETag of the head.
    pub head_etag: bool,
    /// R1. After a lost answer, the writer looks in the log for its entry before it plans again.
    pub look_for_own: bool,
    /// R1. A refusal counts only if the head has not moved since it was read.
    pub verify_refusal: bool,
    /// R2. A transaction replaces the watermark under the ETag with which it was read.
    pub mark_etag: bool,
    /// R2. A watermark stays when the last row of its partition is removed.
    pub keep_mark: bool,
    /// R2. A watermark has the number of the step, not only of the entry.
    pub number_steps: bool,
    /// R3. What is new is written before objects, what is removed after them.
    pub order: bool,
    /// R1. A writer makes sure that the last entry is applied before it plans.
    pub apply_first: bool,
    /// R5. The horizon goes to an entry only when the entry is applied.
    pub wait_for_applied: bool,
    /// R5. What was being read while its partition was dropped is not kept.
    pub check_generation: bool,
    /// I1. A change is acknowledged when it is applied,
    pub applied_before_ack: bool,
    /// and when the horizon of its own server has reached it.
    pub horizon_before_ack: bool,
    /// A server answers a client that has a position only when its horizon has reached it.
    pub wait_for_position: bool,
    /// R6. A pointer counts only if its post confirms it.
    pub confirm_pointer: bool,
    /// R6. A reader that does not find the post which a slug names reads the slug again.
    pub read_slug_again: bool,
    /// R1. What was refused on the base of another change of the append is answered after the append.
    pub refuse_after_append: bool,
    /// R3. A follower waits until what it has read of is applied.
    pub confirm_report: bool,
    /// R3. No row passes from one object to another within an append.
    pub no_handover: bool,
    /// Jobs. The job is a row that its first entry writes,
    pub job_row: bool,
    /// and each step is planned on what is there.
    pub plan_each_step: bool,
}

impl Rules {
    pub const ALL: Self = Self {
        head_etag: true,
        look_for_own: true,
        verify_refusal: true,
        mark_etag: true,
        keep_mark: true,
        number_steps: true,
        order: true,
        apply_first: true,
        wait_for_applied: true,
        check_generation: true,
        applied_before_ack: true,
        horizon_before_ack: true,
        wait_for_position: true,
        confirm_pointer: true,
        read_slug_again: true,
        refuse_after_append: true,
        confirm_report: true,
        no_handover: true,
        job_row: true,
        plan_each_step: true,
    };
}
