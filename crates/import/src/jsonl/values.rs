//! Serializes the values of the records. The rule: a value is parsed as strictly as everywhere else, and keeps its text.

use std::fmt::Display;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{ImportedCover, ImportedLanguage};
use tidings_model::{AssetHash, Language, Metadata, NodeId};

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

/// Serializes a value as its displayed text.
pub(super) mod as_text {
    use super::*;

    pub(in crate::jsonl) fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(in crate::jsonl) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
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
pub(super) mod as_cover {
    use super::*;

    pub(in crate::jsonl) fn serialize<S: Serializer>(value: &ImportedCover, serializer: S) -> Result<S::Ok, S::Error> {
        let asset = match value {
            ImportedCover::Asset(hash) => Some(hash.clone()),
            ImportedCover::None | ImportedCover::Unknown | ImportedCover::File { .. } => None,
        };
        as_asset::serialize(&asset, serializer)
    }

    pub(in crate::jsonl) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ImportedCover, D::Error> {
        Ok(as_asset::deserialize(deserializer)?.map_or(ImportedCover::None, ImportedCover::Asset))
    }
}

/// A language tag, or null.
pub(super) mod as_language {
    use super::*;

    pub(in crate::jsonl) fn serialize<S: Serializer>(
        value: &ImportedLanguage,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        as_text_or_null::serialize(&value.tag().cloned(), serializer)
    }

    pub(in crate::jsonl) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ImportedLanguage, D::Error> {
        let language: Option<Language> = as_text_or_null::deserialize(deserializer)?;
        Ok(language.into())
    }
}

pub(super) mod as_texts {
    use super::*;

    pub(in crate::jsonl) fn serialize<T: Display, S: Serializer>(
        values: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(T::to_string))
    }

    pub(in crate::jsonl) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let texts = Vec::<String>::deserialize(deserializer)?;
        texts.into_iter().map(|text| text.parse().map_err(de::Error::custom)).collect()
    }
}

pub(super) mod as_text_or_null {
    use super::*;

    pub(in crate::jsonl) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(T::to_string).serialize(serializer)
    }

    pub(in crate::jsonl) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(de::Error::custom)).transpose()
    }
}
