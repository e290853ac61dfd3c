//! Detects when a head begins to arrive. The rule: the deadline of a head starts with its first byte, so that a client that sends a byte
//! now and then does not count as idle.
//!
//! Neither hyper nor h2 reports the bytes of an incomplete head, so this stream inspects all incoming bytes: in HTTP/1.1 every byte that
//! arrives while no request is in progress, in HTTP/2 the frames ("HTTP/2", RFC 9113, section 4.1). It also ends a connection whose client
//! sends frames but no requests, which h2 would answer for ever (section 10.5).

mod flood;

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::activity::Activity;
use flood::Credit;

/// The first bytes that an HTTP/2 client sends (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types and flags of frames. The last frame of a head has the flag `END_HEADERS` (RFC 9113, sections 6.2 and 6.10).
const DATA: u8 = 0x0;
const HEADERS: u8 = 0x1;
const CONTINUATION: u8 = 0x9;
const END_HEADERS: u8 = 0x4;
const FRAME_HEAD_BYTES: usize = 9;

/// A stream that reports to an [`Activity`] when heads begin and end.
pub(super) struct HeadWatch<Stream> {
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

impl<Stream> HeadWatch<Stream> {
    pub(super) fn new(stream: Stream, activity: Activity) -> Self {
        Self { stream, activity, protocol: Protocol::Unknown(0) }
    }

    fn count_written(&mut self, bytes: usize) {
        if let Protocol::Http2(frames) = &mut self.protocol {
            frames.credit.add(bytes as u64);
        }
    }

    fn see(&mut self, bytes: &[u8]) {
        let mut bytes = bytes;
        if let Protocol::Unknown(seen) = &mut self.protocol {
            let rest = &PREFACE[*seen..];
            let count = rest.len().min(bytes.len());
            if bytes[..count] == rest[..count] {
                *seen += count;
                bytes = &bytes[count..];
                self.activity.head_begins();
                if *seen == PREFACE.len() {
                    self.activity.speaks_http2();
                    self.activity.head_ends();
                    self.protocol = Protocol::Http2(Frames::default());
                }
            } else {
                self.protocol = Protocol::Http1;
            }
        }
        match &mut self.protocol {
            Protocol::Http1 if self.activity.idle_since().is_some() && !bytes.is_empty() => self.activity.head_begins(),
            Protocol::Http2(frames) if !bytes.is_empty() => frames.see(bytes, &self.activity),
            Protocol::Unknown(_) | Protocol::Http1 | Protocol::Http2(_) => {}
        }
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
    is_in_block: bool,
    credit: Credit,
}

impl Frames {
    fn see(&mut self, mut bytes: &[u8], activity: &Activity) {
        let mut has_ended = false;
        while !bytes.is_empty() {
            if self.head_seen < FRAME_HEAD_BYTES {
                let count = bytes.len().min(FRAME_HEAD_BYTES - self.head_seen);
                self.head[self.head_seen..self.head_seen + count].copy_from_slice(&bytes[..count]);
                self.head_seen += count;
                bytes = &bytes[count..];
                if self.head_seen == FRAME_HEAD_BYTES {
                    self.left = u32::from_be_bytes([0, self.head[0], self.head[1], self.head[2]]) as usize;
                }
            } else {
                let count = bytes.len().min(self.left);
                self.left -= count;
                bytes = &bytes[count..];
            }
            if self.head_seen == FRAME_HEAD_BYTES && self.left == 0 {
                self.end_frame();
                has_ended |= !self.is_in_block;
            }
        }
        // A head that is arriving now may be another one than before.
        if has_ended || !self.is_in_head() {
            activity.head_ends();
        }
        if self.is_in_head() {
            activity.head_begins();
        }
    }

    fn end_frame(&mut self) {
        let (kind, flags) = (self.head[3], self.head[4]);
        let length = u32::from_be_bytes([0, self.head[0], self.head[1], self.head[2]]);
        match kind {
            HEADERS | CONTINUATION => {
                self.is_in_block = flags & END_HEADERS == 0;
                if !self.is_in_block {
                    self.credit.add_head();
                }
            }
            DATA if length > 0 => self.credit.add(u64::from(length)),
            _ => self.credit.spend(),
        }
        self.head_seen = 0;
    }

    /// Whether the bytes so far end inside a head, or inside a frame that may be a head. Bodies have their own deadline.
    fn is_in_head(&self) -> bool {
        let kind_is_known = self.head_seen > 3;
        let may_be_head = !kind_is_known || self.head[3] == HEADERS;
        self.is_in_block || (self.head_seen > 0 && may_be_head)
    }
}

impl<Stream: AsyncRead + Unpin> AsyncRead for HeadWatch<Stream> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.see(&buffer.filled()[before..]);
        match &self.protocol {
            Protocol::Http2(frames) if frames.credit.is_used_up() => {
                tracing::debug!("http.frames_without_requests");
                Poll::Ready(Err(io::Error::other("the client sends frames and no requests")))
            }
            _ => Poll::Ready(Ok(())),
        }
    }
}

impl<Stream: AsyncWrite + Unpin> AsyncWrite for HeadWatch<Stream> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.count_written(written);
        Poll::Ready(Ok(written))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write_vectored(context, slices))?;
        self.count_written(written);
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
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

    /// Whether a head is arriving after each byte.
    fn seen(bytes: &[u8]) -> Vec<bool> {
        let mut watch = HeadWatch::new((), Activity::begin());
        let each = bytes.iter().map(|byte| {
            watch.see(&[*byte]);
            watch.activity.head_since().is_some()
        });
        each.collect()
    }

    #[tokio::test]
    async fn every_byte_before_a_request_belongs_to_its_head() {
        assert_eq!(seen(b"GET / HTTP/1.1"), [true; 14]);
        assert_eq!(seen(b"PRI * HTTP/1.1"), [true; 14]);
    }

    #[tokio::test]
    async fn in_http2_only_the_frames_of_an_incomplete_head_count() {
        let settings = frame(0x4, 0, 6);
        let cut_off = |bytes: &[u8], count: usize| bytes[..count].to_vec();
        for (frames, expected) in [
            (vec![settings.clone()], false),
            (vec![cut_off(&settings, 2)], true),
            (vec![cut_off(&frame(HEADERS, END_HEADERS, 20), 15)], true),
            (vec![frame(HEADERS, END_HEADERS, 20)], false),
            (vec![frame(HEADERS, 0, 20)], true),
            (vec![frame(HEADERS, 0, 20), frame(CONTINUATION, 0, 1)], true),
            (vec![frame(HEADERS, 0, 20), frame(CONTINUATION, END_HEADERS, 1)], false),
            (vec![frame(HEADERS, END_HEADERS, 1), cut_off(&frame(0x0, 0, 100), 50)], false),
            (vec![frame(0x6, 0, 8), frame(0x8, 0, 4)], false),
        ] {
            let bytes = [PREFACE, &frames.concat()].concat();
            assert_eq!(seen(&bytes).last(), Some(&expected), "{frames:?}");
            let mut whole = HeadWatch::new((), Activity::begin());
            whole.see(&bytes);
            assert_eq!(
                (whole.activity.head_since().is_some(), whole.activity.is_http2()),
                (expected, true),
                "{frames:?}"
            );
        }
    }
}
