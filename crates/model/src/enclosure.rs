//! The audio or video file of a post, which feeds name for podcast clients. The rule: its address is one of the web, or the path of an asset of the site, and
//! its media type is known.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use url::Url;

use super::asset::{AssetFacts, AssetName};
use super::file_format::FileFormat;
use super::rules::{URL_CHARS_MAX, is_web_address};

/// The longest media type: two names of 127 characters (RFC 6838).
const TYPE_CHARS_MAX: usize = 255;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enclosure {
    pub url: String,
    /// `None` if it is not known. An asset never changes, so this and the type are those of the asset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_size: Option<i32>,
    pub content_type: String,
}

impl Enclosure {
    /// `content_type`: if `None`, the type follows from the extension of the address.
    ///
    /// # Errors
    /// If a podcast client could not use it.
    pub fn of(url: &str, byte_size: Option<i32>, content_type: Option<&str>) -> Result<Self, String> {
        let enclosure = Self::named(url, byte_size, content_type);
        enclosure.check().map(|()| enclosure)
    }

    /// Like [`Self::of`], without checks. The type is empty if it is unknown.
    pub fn named(url: &str, byte_size: Option<i32>, content_type: Option<&str>) -> Self {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let of_extension = || FileFormat::of_name(path).map(FileFormat::content_type);
        let content_type = content_type.or_else(of_extension).unwrap_or_default().to_owned();
        Self { url: url.to_owned(), byte_size, content_type }
    }

    pub fn of_asset(facts: &AssetFacts) -> Self {
        Self::of_name(&facts.name, i32::try_from(facts.byte_size).ok())
    }

    pub fn of_name(name: &AssetName, byte_size: Option<i32>) -> Self {
        Self { url: name.path(), byte_size, content_type: name.kind.content_type().to_owned() }
    }

    /// The asset that the address names, if it is on this site.
    pub fn asset(&self) -> Option<AssetName> {
        self.url.strip_prefix("/assets/")?.parse().ok()
    }

    /// # Errors
    /// The reason why the enclosure is invalid.
    pub fn check(&self) -> Result<(), String> {
        let is_token = |text: &str| {
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
        };
        let mut names = self.content_type.split('/');
        let is_type = self.content_type.len() <= TYPE_CHARS_MAX
            && [names.next(), names.next()].into_iter().all(|name| name.is_some_and(is_token))
            && names.next().is_none();
        if !is_web_address(&self.url) && self.asset().is_none() {
            Err("has a URL that does not begin with http:// or https://".to_owned())
        } else if self.asset().is_none() && (self.url.trim() != self.url || Url::parse(&self.url).is_err()) {
            Err("has an address that is no URL".to_owned())
        } else if self.url.chars().count() > URL_CHARS_MAX {
            Err(format!("has a URL of more than {URL_CHARS_MAX} characters"))
        } else if self.byte_size.is_some_and(|bytes| bytes < 1) {
            Err("has a size of less than 1 byte".to_owned())
        } else if !is_type {
            Err(format!("has {:?} in place of a media type, such as audio/mpeg", self.content_type))
        } else {
            Ok(())
        }
    }
}

/// Three lines, as in WordPress: the address, the size in bytes (0 if unknown), and the media type.
impl fmt::Display for Enclosure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}", self.url, self.byte_size.unwrap_or_default(), self.content_type)
    }
}

impl FromStr for Enclosure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(str::trim);
        let url = lines.next().unwrap_or_default();
        let byte_size = lines.next().and_then(|bytes| bytes.parse().ok()).filter(|bytes| *bytes > 0);
        Self::of(url, byte_size, lines.next().filter(|name| !name.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enclosure_is_read_as_it_was_written() {
        let asset = format!("/assets/{}.mp3", "a".repeat(40));
        for (url, bytes, content_type) in
            [("https://a.example/b.mp3?c#d", Some(7), "audio/mpeg"), (&asset, None, "audio/mpeg")]
        {
            let enclosure = Enclosure::of(url, bytes, None).expect("an enclosure");
            assert_eq!(enclosure.content_type, content_type);
            assert_eq!(enclosure.to_string().parse(), Ok(enclosure));
        }
    }

    #[test]
    fn an_enclosure_of_wordpress_may_lack_its_size_and_have_more_lines() {
        for (text, bytes, content_type) in [
            ("https://a.example/b\r\n12\r\nvideo/mp4\r\na:1:{}", Some(12), "video/mp4"),
            ("https://a.example/b.mp3\n\naudio/mpeg\n", None, "audio/mpeg"),
            ("https://a.example/b.ogg", None, "audio/ogg"),
        ] {
            let read: Enclosure = text.parse().expect("an enclosure");
            assert_eq!((read.byte_size, read.content_type.as_str()), (bytes, content_type), "{text}");
        }
    }

    #[test]
    fn what_a_podcast_client_cannot_use_is_refused() {
        let long = format!("https://a.example/{}.mp3", "b".repeat(URL_CHARS_MAX));
        for (url, bytes, content_type) in [
            ("javascript:a.mp3", None, None),
            ("/b.mp3", None, None),
            ("/assets/b.mp3", None, None),
            ("https://a.example/b.mp3 c", None, None),
            ("https://a.example/b.mp3\u{3000}", None, Some("audio/mpeg")),
            ("https://[bad/b.mp3", None, None),
            (&long, None, None),
            ("https://a.example/b", None, None),
            ("https://a.example/b.mp3", Some(0), None),
            ("https://a.example/b.mp3", Some(-1), None),
            ("https://a.example/b.mp3", None, Some("audio")),
            ("https://a.example/b.mp3", None, Some("audio/")),
            ("https://a.example/b.mp3", None, Some("audio/mpeg; x=\"y\"")),
            ("https://a.example/b.mp3", None, Some("a/b/c")),
        ] {
            assert!(Enclosure::of(url, bytes, content_type).is_err(), "{url} {bytes:?} {content_type:?}");
        }
    }
}
