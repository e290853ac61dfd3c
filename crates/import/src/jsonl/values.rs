//! Serializes the values of the records. The rule: a value is parsed as strictly as everywhere else, and keeps its text.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{ImportedCover, ImportedLanguage};
use tidings_model::{AssetHash, Metadata, NodeId};

pub(super) fn first_version() -> i32 {
    1
}

/// The highest version of an imported object, since each later change adds 1.
const VERSION_MAX: i32 = 1_000_000_000;

pub(super) fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    checked_version(i32::deserialize(deserializer)?.into()).map_err(de::Error::custom)
}

/// # Errors
/// If an imported object must not have this version.
pub(crate) fn checked_version(version: i64) -> Result<i32, String> {
    let fitting = i32::try_from(version).ok().filter(|version| (1..=VERSION_MAX).contains(version));
    fitting.ok_or_else(|| format!("version is {version}; it must be 1 to {VERSION_MAX}"))
}

/// Serializes metadata as a JSON object, with the text of its numbers.
pub(super) mod as_json {
    use serde_json::value::RawValue;

    use super::*;

    pub(in crate::jsonl) fn serialize<S: Serializer>(
        value: &Option<Metadata>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = value.as_ref().map(|metadata| RawValue::from_string(metadata.text().to_owned()));
        text.transpose().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }

    pub(in crate::jsonl) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Metadata>, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        Metadata::parse(text.get()).map(Some).map_err(|bad| de::Error::custom(format!("metadata {bad}")))
    }
}

/// The id of a picture, or null.
pub(super) mod as_asset {
    use super::*;

    pub(in crate::jsonl) fn serialize<S: Serializer>(
        value: &Option<AssetHash>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(hash) => serializer.collect_str(&NodeId::Asset(hash.clone())),
            None => serializer.serialize_none(),
        }
    }

    pub(in crate::jsonl) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<AssetHash>, D::Error> {
        let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
        match text.parse() {
            Ok(NodeId::Asset(hash)) => Ok(Some(hash)),
            _ => Err(de::Error::custom(format!("{text:?} is not the id of a picture"))),
        }
    }
}

/// The id of the cover of a post or page, or null.
impl Serialize for ImportedCover {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let asset = if let Self::Asset(hash) = self { Some(hash.clone()) } else { None };
        as_asset::serialize(&asset, serializer)
    }
}

impl<'de> Deserialize<'de> for ImportedCover {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(as_asset::deserialize(deserializer)?.map_or(Self::None, Self::Asset))
    }
}

/// A language tag, or null.
impl Serialize for ImportedLanguage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.tag().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ImportedLanguage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}
