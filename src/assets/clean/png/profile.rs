//! The profile of the colours of a PNG, which is compressed. The rule: it is unpacked within a bound, cleaned and
//! packed again, because a few kilobytes can unpack to gigabytes, and other bytes can follow the packed ones.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::assets::clean::{PROFILE_BYTES_MAX, icc};
use crate::assets::error::BadPicture;
use crate::model::AssetFormat;

/// The name that every profile gets, and the only method of compression.
const NAME: &[u8] = b"icc\0\0";

/// `None` if it is no profile, which a viewer ignores too.
pub(super) fn clean(data: &[u8]) -> Result<Option<Vec<u8>>, BadPicture> {
    // The name of the sender, which ends with 0, and the method.
    let Some(name) = data.iter().position(|byte| *byte == 0) else { return Ok(None) };
    let packed = data.get(name + 2..).unwrap_or_default();
    let mut profile = Vec::new();
    let unpacked = ZlibDecoder::new(packed).take(PROFILE_BYTES_MAX + 1).read_to_end(&mut profile);
    if profile.len() as u64 > PROFILE_BYTES_MAX {
        let what = "a colour profile of more than 4 MiB";
        return Err(BadPicture::Unsupported { format: AssetFormat::Png, what });
    }
    let Some(profile) = unpacked.ok().and_then(|_| icc::clean(&profile)) else { return Ok(None) };
    let mut packed = ZlibEncoder::new(NAME.to_vec(), Compression::best());
    // A vector takes every byte.
    let written = packed.write_all(&profile).and_then(|()| packed.finish());
    Ok(written.ok())
}
