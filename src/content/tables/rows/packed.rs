//! Long values in binary properties: gzip, cut at 64 KiB. The rule: the size of an unpacked value is bounded, whatever the row contains.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::DeflateEncoder;

use crate::store::limits::BINARY_BYTES_MAX;
use crate::store::{Properties, StoreError, Value};

use super::RowFields;

/// The maximum size of an unpacked value: the limit of a body, and far more than any other value needs.
pub const UNPACKED_BYTES_MAX: usize = 8 << 20;
/// The maximum number of 64 KiB pieces in one row. The JSON of a row is also limited; there, binaries are a third longer, and the other properties need space.
pub const PIECES_MAX: usize = 11;

/// Values up to this size, such as the items of a small change, are stored uncompressed: compression would take longer than the rest of the row, and save some
/// ten bytes.
const STORED_BYTES_MAX: u16 = 384;

/// The value is too large for one row. The sizes are unpacked and packed.
#[derive(Debug, thiserror::Error)]
#[error("{unpacked} bytes ({packed} packed) do not fit a row: at most {UNPACKED_BYTES_MAX} bytes, {} packed", PIECES_MAX * BINARY_BYTES_MAX)]
pub struct TooLarge {
    pub unpacked: usize,
    pub packed: usize,
}

/// Stores `bytes` in `{name}0`, `{name}1` and so on.
pub fn pack(properties: &mut Properties, name: &str, bytes: &[u8]) -> Result<(), TooLarge> {
    let packed = compress(bytes);
    if bytes.len() > UNPACKED_BYTES_MAX || packed.len() > PIECES_MAX * BINARY_BYTES_MAX {
        return Err(TooLarge { unpacked: bytes.len(), packed: packed.len() });
    }
    for (i, piece) in packed.chunks(BINARY_BYTES_MAX).enumerate() {
        properties.set(&format!("{name}{i}"), Value::Binary(Arc::from(piece)));
    }
    Ok(())
}

pub(crate) fn unpack(row: &RowFields<'_>, name: &str) -> Result<Vec<u8>, StoreError> {
    let mut packed = Vec::new();
    for i in 0.. {
        match row.0.properties.get(&format!("{name}{i}")) {
            Some(Value::Binary(piece)) => packed.extend_from_slice(piece),
            _ => break,
        }
    }
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice())
        .take(UNPACKED_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .ok()
        .filter(|length| *length <= UNPACKED_BYTES_MAX)
        .ok_or_else(|| row.damaged(name))?;
    Ok(bytes)
}

/// A gzip stream of one member. Its header and trailer are written here, because the raw deflate encoder can be reused, and the gzip encoder cannot: a new
/// encoder clears some hundred KB of memory, which takes longer than compressing a short body.
fn compress(bytes: &[u8]) -> Vec<u8> {
    // The header: magic number, deflate, no flags, no time, fastest, unknown system.
    let mut gzip = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
    match u16::try_from(bytes.len()).ok().filter(|length| *length <= STORED_BYTES_MAX) {
        Some(length) => {
            // One stored block, which is the last one.
            gzip.push(1);
            gzip.extend_from_slice(&length.to_le_bytes());
            gzip.extend_from_slice(&(!length).to_le_bytes());
            gzip.extend_from_slice(bytes);
        }
        None => gzip = deflate(gzip, bytes),
    }
    gzip.extend_from_slice(&crc32fast::hash(bytes).to_le_bytes());
    // The length modulo 2³², as gzip defines it.
    gzip.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    gzip
}

/// Appends the compressed bytes.
fn deflate(to: Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    thread_local! {
        static ENCODER: RefCell<DeflateEncoder<Vec<u8>>> =
            RefCell::new(DeflateEncoder::new(Vec::new(), Compression::fast()));
    }
    ENCODER
        .with_borrow_mut(|encoder| {
            *encoder.get_mut() = to;
            encoder.write_all(bytes)?;
            // Finishes the stream, and begins the next one.
            encoder.reset(Vec::new())
        })
        .expect("writing to memory does not fail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_gzip_whatever_was_packed_before() {
        let text = |length: usize| (0..length).map(|n| (n * n % 251) as u8).collect::<Vec<_>>();
        for length in [0, 1, 383, 384, 385, 5_000, 2, 70_000, 1_000, 300_000, 386] {
            let (bytes, mut unpacked) = (text(length), Vec::new());
            GzDecoder::new(compress(&bytes).as_slice()).read_to_end(&mut unpacked).expect("it is gzip");
            assert!(unpacked == bytes, "{length} bytes");
        }
    }

    #[test]
    fn a_long_value_is_compressed() {
        assert!(compress(&b"word ".repeat(1_000)).len() < 200);
        assert!(compress(&b"word ".repeat(20)).len() < 130);
    }
}
