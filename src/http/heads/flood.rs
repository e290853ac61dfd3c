//! Limits the frames of an HTTP/2 connection that carry no content: PING, SETTINGS, PRIORITY, WINDOW_UPDATE, RST_STREAM, empty DATA and
//! frames of unknown types. The rule: a client may send as many of them as its requests and answers need, and a few more each second. Each
//! costs processor time, and h2 limits only some of them.

use std::time::Duration;

use tokio::time::Instant;

/// The bytes of bodies and answers that earn one such frame. Clients send one or two WINDOW_UPDATE for about 16 KiB of an answer.
const FRAME_BYTES: u64 = 1024;
/// The frames that the head of a request earns: for its PRIORITY, its RST_STREAM, or a PING while it waits for its answer.
const FRAMES_OF_HEAD: u64 = 8;
/// The frames that a connection earns each second without requests, such as one that is kept open by PING.
const FRAMES_A_SECOND: u64 = 20;
/// The maximum credit, which a new connection has.
const FRAMES_MAX: u64 = 1_000;

pub(super) struct Credit {
    bytes: u64,
    earned_at: Instant,
    is_used_up: bool,
}

impl Default for Credit {
    fn default() -> Self {
        Self { bytes: FRAMES_MAX * FRAME_BYTES, earned_at: Instant::now(), is_used_up: false }
    }
}

impl Credit {
    /// Whether the credit is used up. Then the connection ends.
    pub(super) fn is_used_up(&self) -> bool {
        self.is_used_up
    }

    /// Adds the credit for bytes of bodies and answers.
    pub(super) fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes).min(FRAMES_MAX * FRAME_BYTES);
    }

    pub(super) fn add_head(&mut self) {
        self.add(FRAMES_OF_HEAD * FRAME_BYTES);
    }

    /// Spends the credit for a frame without content.
    pub(super) fn spend(&mut self) {
        if self.bytes < FRAME_BYTES {
            let elapsed = self.earned_at.elapsed();
            self.earned_at += elapsed;
            self.add(earned(elapsed));
        }
        match self.bytes.checked_sub(FRAME_BYTES) {
            Some(left) => self.bytes = left,
            None => self.is_used_up = true,
        }
    }
}

fn earned(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).saturating_mul(FRAMES_A_SECOND * FRAME_BYTES) / 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_may_send_what_its_requests_need_and_no_flood() {
        let mut credit = Credit::default();
        (0..FRAMES_MAX).for_each(|_| credit.spend());
        assert!(!credit.is_used_up());
        credit.add_head();
        credit.add(16 * 1024);
        (0..FRAMES_OF_HEAD + 16).for_each(|_| credit.spend());
        assert!(!credit.is_used_up());
        for _ in 0..100 {
            tokio::time::advance(Duration::from_secs(1)).await;
            (0..FRAMES_A_SECOND).for_each(|_| credit.spend());
        }
        assert!(!credit.is_used_up());
        tokio::time::advance(Duration::from_secs(1)).await;
        (0..=2 * FRAMES_A_SECOND).for_each(|_| credit.spend());
        assert!(credit.is_used_up());
    }
}
