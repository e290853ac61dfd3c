//! Long values in binary properties: gzip, cut at 64 KiB. The rule: the size of an unpacked value is bounded, whatever the row holds.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::store::limits::BINARY_BYTES_MAX;
use crate::store::{Properties, StoreError, Value};

use super::RowFields;

/// The most bytes of an unpacked value: the limit of a body, and far more than any intent needs.
pub const UNPACKED_BYTES_MAX: usize = 8 << 20;
/// Packed pieces in one row: 11 of 64 KiB. A row's JSON is limited too; in it binaries are a third longer, and the rest of the row needs space.
pub const PIECES_MAX: usize = 11;

/// The value is too large for one row: its size, unpacked and packed.
#[derive(Debug, thiserror::Error)]
#[error("{unpacked} bytes ({packed} packed) do not fit a row: at most {UNPACKED_BYTES_MAX} bytes, {} packed", PIECES_MAX * BINARY_BYTES_MAX)]
pub struct TooLarge {
    pub unpacked: usize,
    pub packed: usize,
}

/// Puts `bytes` into `{name}0`, `{name}1` and so on.
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

fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}
