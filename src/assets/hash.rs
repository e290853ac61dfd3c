//! The hash that names an asset. The rule: it depends on the cleaned bytes and the format alone, so the same file is stored once, however often it is uploaded,
//! and files of different formats have different names.

use ring::digest::{Context, Digest, SHA256, digest};

use crate::model::file_format::FileFormat;
use crate::model::{AssetHash, AssetKind};

/// The hash of a picture, whose bytes determine its format.
pub(super) fn of(bytes: &[u8]) -> AssetHash {
    named(&digest(&SHA256, bytes))
}

/// The hash of a file that is read in pieces.
pub(super) struct FileHash(Context);

impl FileHash {
    pub(super) fn of(format: &FileFormat) -> Self {
        let mut context = Context::new(&SHA256);
        context.update(format.extension().as_bytes());
        context.update(b"\0");
        Self(context)
    }

    pub(super) fn of_kind(kind: AssetKind) -> Self {
        match kind {
            AssetKind::Image(_) => Self(Context::new(&SHA256)),
            AssetKind::File(format) => Self::of(format),
        }
    }

    pub(super) fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub(super) fn finish(self) -> AssetHash {
        named(&self.0.finish())
    }
}

/// The SHA-256 of a file that is not an asset.
pub(super) struct Sha256(Context);

impl Default for Sha256 {
    fn default() -> Self {
        Self(Context::new(&SHA256))
    }
}

impl Sha256 {
    pub(super) fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    pub(super) fn digits(self) -> String {
        self.0.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn named(hash: &Digest) -> AssetHash {
    let bytes = hash.as_ref().try_into().expect("SHA-256 has 32 bytes");
    AssetHash::new(bytes)
}
