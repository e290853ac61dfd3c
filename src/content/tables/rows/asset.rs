//! Rows of `Assets`. The rule: the row of an asset and its copy in the list have the same properties, and each contains the whole asset.

use std::str::FromStr;

use crate::keys::asset::{self as keys, AssetRow};
use crate::model::asset::{ALT_CHARS_MAX, CAPTION_CHARS_MAX, NAME_CHARS_MAX};
use crate::model::{Asset, AssetFacts, AssetHash, AssetKind, AssetName, ImageFacts, Instant};
use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

/// A ThumbHash has at most 25 bytes.
const PLACEHOLDER_CHARS_MAX: usize = 40;

/// The kind of an incomplete upload or deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The bytes are being written; the row of the asset follows.
    Upload,
    /// The row of the asset was deleted; its bytes are being deleted.
    Removal,
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Removal => "removal",
        }
    }
}

impl FromStr for Step {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Upload, Self::Removal].into_iter().find(|step| step.name() == text).ok_or(())
    }
}

/// An incomplete upload or deletion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    pub name: AssetName,
    pub step: Step,
    pub since: Instant,
    /// Distinguishes two changes of the same instant.
    pub random: i64,
}

pub fn row(asset: &Asset) -> Properties {
    let AssetFacts { name, byte_size, image } = &asset.facts;
    let of_image = |row: NewRow| match image {
        None => row,
        Some(ImageFacts { width, height, placeholder }) => row
            .int32("Width", i32::try_from(*width).unwrap_or(i32::MAX))
            .int32("Height", i32::try_from(*height).unwrap_or(i32::MAX))
            .text("Placeholder", placeholder),
    };
    of_image(NewRow::default())
        .text("Format", name.kind.extension())
        .int64("ByteSize", i64::try_from(*byte_size).unwrap_or(i64::MAX))
        .instant("CreatedAt", asset.created_at)
        .int32("Version", asset.version)
        .optional_text("OriginalName", asset.original_name.as_ref())
        .optional_text("Alt", asset.alt.as_ref())
        .optional_text("Caption", asset.caption.as_ref())
        .optional_text("FocalPoint", asset.focal_point.map(|point| point.to_string()))
        .build()
}

/// An asset, from its own row or from the list.
pub fn read(row: &Entity) -> Result<Asset, StoreError> {
    let fields = RowFields(row);
    let (hash, listed_at) = match keys::parse(&row.key) {
        Some(AssetRow::Asset(hash)) => (hash, None),
        Some(AssetRow::Listed(at, hash)) => (hash, Some(at)),
        Some(AssetRow::Pending(_)) | None => return Err(fields.damaged("RowKey")),
    };
    let created_at = fields.instant("CreatedAt")?;
    if listed_at.is_some_and(|at| at != created_at) {
        return Err(fields.damaged("CreatedAt"));
    }
    let byte_size = u64::try_from(fields.int64("ByteSize")?).map_err(|_| fields.damaged("ByteSize"))?;
    let mut name = name(&fields, hash)?;
    let image = name.kind.is_image().then(|| image(&fields)).transpose()?;
    name.size = image.as_ref().map(|image| (image.width, image.height));
    let version = fields.int32("Version")?;
    if version < 1 {
        return Err(fields.damaged("Version"));
    }
    Ok(Asset {
        facts: AssetFacts { name, byte_size, image },
        original_name: bounded(&fields, "OriginalName", NAME_CHARS_MAX)?,
        created_at,
        version,
        alt: bounded(&fields, "Alt", ALT_CHARS_MAX)?,
        caption: bounded(&fields, "Caption", CAPTION_CHARS_MAX)?,
        focal_point: fields.optional_parsed("FocalPoint")?,
    })
}

fn image(fields: &RowFields<'_>) -> Result<ImageFacts, StoreError> {
    let positive =
        |name: &str| u32::try_from(fields.int32(name)?).ok().filter(|n| *n > 0).ok_or_else(|| fields.damaged(name));
    let placeholder = bounded(fields, "Placeholder", PLACEHOLDER_CHARS_MAX)?;
    Ok(ImageFacts {
        width: positive("Width")?,
        height: positive("Height")?,
        placeholder: placeholder.ok_or_else(|| fields.damaged("Placeholder"))?,
    })
}

pub fn pending_row(pending: &Pending) -> Properties {
    NewRow::default()
        .text("Format", pending.name.kind.extension())
        .text("Step", pending.step.name())
        .instant("Since", pending.since)
        .int64("Random", pending.random)
        .build()
}

pub fn read_pending(row: &Entity) -> Result<Pending, StoreError> {
    let fields = RowFields(row);
    let Some(AssetRow::Pending(hash)) = keys::parse(&row.key) else { return Err(fields.damaged("RowKey")) };
    Ok(Pending {
        name: name(&fields, hash)?,
        step: fields.parsed("Step")?,
        since: fields.instant("Since")?,
        random: fields.int64("Random")?,
    })
}

fn name(fields: &RowFields<'_>, hash: AssetHash) -> Result<AssetName, StoreError> {
    let kind = AssetKind::of_extension(fields.text("Format")?).ok_or_else(|| fields.damaged("Format"))?;
    Ok(AssetName { hash, kind, size: None })
}

fn bounded(fields: &RowFields<'_>, name: &str, chars_max: usize) -> Result<Option<String>, StoreError> {
    match fields.optional_text(name)? {
        Some(text) if text.chars().count() > chars_max => Err(fields.damaged(name)),
        text => Ok(text.map(ToString::to_string)),
    }
}
