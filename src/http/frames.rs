//! Limits the frames of an HTTP/2 connection that carry no content: PING, SETTINGS, PRIORITY, WINDOW_UPDATE, RST_STREAM, empty DATA and
//! frames of unknown types. The rule: a client may send as many of them as its requests and answers need, and a few more each second. Each
//! costs processor time, and h2, which would answer them for ever (RFC 9113, section 10.5), limits only some of them.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, ReadBuf},
    time::Instant,
};

use super::activity::Activity;

/// The first bytes that an HTTP/2 client sends (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types and flags of frames. The last frame of a head has the flag `END_HEADERS` (RFC 9113, sections 6.2 and 6.10).
const DATA: u8 = 0x0;
const HEADERS: u8 = 0x1;
const CONTINUATION: u8 = 0x9;
const END_HEADERS: u8 = 0x4;
const FRAME_HEAD_BYTES: usize = 9;

/// The bytes of bodies and answers that earn one such frame. Clients send one or two WINDOW_UPDATE for about 16 KiB of an answer.
const FRAME_BYTES: u64 = 1024;
/// The frames that the head of a request earns: for its PRIORITY, its RST_STREAM, or a PING while it waits for its answer.
const FRAMES_OF_HEAD: u64 = 8;
/// The frames that a connection earns each second without requests, such as one that is kept open by PING.
const FRAMES_A_SECOND: u64 = 20;
/// The maximum credit, which a new connection has.
const FRAMES_MAX: u64 = 1_000;

/// What a client sends. Reading from it fails if there are too many frames without content.
pub(super) struct FrameLimit<Stream> {
    stream: Stream,
    activity: Activity,
    protocol: Protocol,
}

enum Protocol {
    /// So far, only this many bytes have arrived, all of them part of the preface.
    Unknown(usize),
    Http1,
    Http2(Frames),
}

impl<Stream> FrameLimit<Stream> {
    pub(super) fn new(stream: Stream, activity: Activity) -> Self {
        Self { stream, activity, protocol: Protocol::Unknown(0) }
    }

    /// Returns false if the client may not send these bytes.
    fn see(&mut self, mut bytes: &[u8]) -> bool {
        if let Protocol::Unknown(seen) = &mut self.protocol {
            let rest = &PREFACE[*seen..];
            let count = rest.len().min(bytes.len());
            *seen += count;
            if bytes[..count] != rest[..count] {
                self.protocol = Protocol::Http1;
            } else if *seen == PREFACE.len() {
                self.protocol = Protocol::Http2(Frames::default());
                bytes = &bytes[count..];
            }
        }
        let Protocol::Http2(frames) = &mut self.protocol else { return true };
        frames.credit.add(self.activity.take_sent());
        frames.see(bytes)
    }
}

/// The position in the frames of a connection.
#[derive(Default)]
struct Frames {
    head: [u8; FRAME_HEAD_BYTES],
    /// Bytes of the current frame's head that have arrived.
    head_seen: usize,
    /// Bytes of the current frame's payload that have not arrived yet.
    left: usize,
    credit: Credit,
}

impl Frames {
    fn see(&mut self, mut bytes: &[u8]) -> bool {
        let mut has_credit = true;
        while !bytes.is_empty() {
            let count = if self.head_seen < FRAME_HEAD_BYTES {
                let count = bytes.len().min(FRAME_HEAD_BYTES - self.head_seen);
                self.head[self.head_seen..self.head_seen + count].copy_from_slice(&bytes[..count]);
                self.head_seen += count;
                self.left = self.length();
                count
            } else {
                let count = bytes.len().min(self.left);
                self.left -= count;
                count
            };
            bytes = &bytes[count..];
            if self.head_seen == FRAME_HEAD_BYTES && self.left == 0 {
                has_credit &= self.end_frame();
            }
        }
        has_credit
    }

    fn length(&self) -> usize {
        u32::from_be_bytes([0, self.head[0], self.head[1], self.head[2]]) as usize
    }

    /// Counts a frame; false if the credit is used up.
    fn end_frame(&mut self) -> bool {
        let (kind, flags) = (self.head[3], self.head[4]);
        self.head_seen = 0;
        match kind {
            HEADERS | CONTINUATION if flags & END_HEADERS == 0 => {}
            HEADERS | CONTINUATION => self.credit.add(FRAMES_OF_HEAD * FRAME_BYTES),
            DATA if self.length() > 0 => self.credit.add(self.length() as u64),
            _ => return self.credit.spend(),
        }
        true
    }
}

struct Credit {
    bytes: u64,
    earned_at: Instant,
}

impl Default for Credit {
    fn default() -> Self {
        Self { bytes: FRAMES_MAX * FRAME_BYTES, earned_at: Instant::now() }
    }
}

impl Credit {
    /// Adds the credit for bytes of bodies and answers.
    fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes).min(FRAMES_MAX * FRAME_BYTES);
    }

    /// Spends the credit for a frame without content; false if it is used up.
    fn spend(&mut self) -> bool {
        if self.bytes < FRAME_BYTES {
            let elapsed = self.earned_at.elapsed();
            self.earned_at += elapsed;
            self.add(earned(elapsed));
        }
        let left = self.bytes.checked_sub(FRAME_BYTES);
        self.bytes = left.unwrap_or(self.bytes);
        left.is_some()
    }
}

fn earned(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).saturating_mul(FRAMES_A_SECOND * FRAME_BYTES) / 1_000
}

impl<Stream: AsyncRead + Unpin> AsyncRead for FrameLimit<Stream> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        if self.see(&buffer.filled()[before..]) {
            return Poll::Ready(Ok(()));
        }
        tracing::debug!("http.frames_without_requests");
        Poll::Ready(Err(io::Error::other("the client sends frames and no requests")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: u8, flags: u8, length: u8) -> Vec<u8> {
        let mut frame = vec![0, 0, length, kind, flags, 0, 0, 0, 1];
        frame.resize(FRAME_HEAD_BYTES + usize::from(length), 7);
        frame
    }

    /// However its bytes are divided.
    #[tokio::test]
    async fn frames_without_content_are_counted_and_http1_is_not_looked_at() {
        let ping = frame(0x6, 0, 8);
        let flood = |count| [PREFACE, &ping.repeat(count)].concat();
        for pieces in [1, 7, 100_000] {
            let sent = |bytes: &[u8]| {
                let mut limit = FrameLimit::new((), Activity::begin());
                bytes.chunks(pieces).all(|piece| limit.see(piece))
            };
            let frames = FRAMES_MAX as usize;
            assert_eq!((sent(&flood(frames)), sent(&flood(frames + 1))), (true, false));
            assert!(sent(&flood(2 * frames)[1..]), "these are not the bytes of HTTP/2");
            let head = [frame(HEADERS, 0, 20), frame(CONTINUATION, END_HEADERS, 1)].concat();
            let requests = [flood(frames), head, ping.repeat(FRAMES_OF_HEAD as usize)].concat();
            assert!(sent(&requests));
            let body = [frame(DATA, 0, 200).repeat(6), ping.clone()].concat();
            assert!(sent(&[requests.clone(), body].concat()));
            assert!(!sent(&[requests, frame(DATA, 1, 0)].concat()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_may_send_some_frames_each_second_and_some_for_its_answers() {
        let mut credit = Credit::default();
        assert!((0..FRAMES_MAX).all(|_| credit.spend()));
        credit.add(16 * 1024);
        assert!((0..16).all(|_| credit.spend()));
        for _ in 0..100 {
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!((0..FRAMES_A_SECOND).all(|_| credit.spend()));
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!(0..=2 * FRAMES_A_SECOND).all(|_| credit.spend()));
    }
}
