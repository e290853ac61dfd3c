//! Values that JSON contains as texts. The rule: a text is parsed as strictly as everywhere else, and a value is written in its display form.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{AssetHash, AssetName, FocalPoint, Instant, Language, PagePath, Slug};

macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
            }
        }
    )+};
}

as_text!(AssetHash, AssetName, FocalPoint, Instant, Language, PagePath, Slug);
