//! The enclosure of a post in its front matter: the audio or video file that a podcast theme names. The rule: under the key `enclosure` any file counts, under
//! the other keys of themes only an address with the extension of audio or video. The keys also stay in the metadata.

use std::path::Path;

use tidings_model::Enclosure;

use super::value::Value;
use super::{addresses, fields, pictures};
use crate::PictureFile;

pub(super) const ENCLOSURE: &str = "enclosure";
/// Castanet has `podcast_file`, Jekyll Podcast Feed `podcast_link`, Octopod a table `audio`.
const OTHERS: &str = "podcast_file podcast_link podcast_url audio_url audio_file audio file mp3";
/// The keys of the address, if the enclosure is a table.
const URLS: &str = "url src href file path mp3 m4a opus ogg";
const LENGTHS: &str = "length size bytes";
const TYPES: &str = "type mime mime_type";
/// The top-level keys of the length.
const LENGTHS_BESIDE: &str = "enclosure_length podcast_bytes podcast_length audio_length";
const TYPES_BESIDE: &str = "enclosure_type audio_type";

/// The enclosure as written. Its address may be a file of the folder.
pub(super) fn enclosure(front: &Value) -> Option<Enclosure> {
    let of_keys = |keys| fields::values(front, keys).filter_map(move |value| of_value(front, value.items().first()?));
    let is_media = |found: &Enclosure| ["audio/", "video/"].iter().any(|start| found.content_type.starts_with(start));
    of_keys(ENCLOSURE).next().or_else(|| of_keys(OTHERS).find(is_media))
}

fn of_value(front: &Value, value: &Value) -> Option<Enclosure> {
    let beside = |keys| fields::values(front, keys).find_map(Value::text);
    let url = value.text().or_else(|| value.first_text(URLS)).filter(|url| url.contains(['/', '.']))?;
    let length = value.first_text(LENGTHS).or_else(|| beside(LENGTHS_BESIDE));
    let byte_size = length.and_then(|text| text.parse().ok()).filter(|bytes| *bytes > 0);
    Some(Enclosure::named(url, byte_size, value.first_text(TYPES).or_else(|| beside(TYPES_BESIDE))))
}

/// Why the enclosure is not imported, if it is not a file of the folder.
pub(super) fn note(enclosure: Option<&Enclosure>) -> Option<String> {
    let enclosure = enclosure.filter(|enclosure| !addresses::is_local(&enclosure.url))?;
    Some(format!("its enclosure {}; it is only in the metadata", enclosure.check().err()?))
}

/// The file of an enclosure, if its address means a file of the folder.
pub(super) fn file_of(root: &Path, origin: &str, enclosure: Option<&Enclosure>) -> Option<PictureFile> {
    let enclosure = enclosure.filter(|found| addresses::is_local(&found.url) && found.asset().is_none())?;
    let (address, origin) = (enclosure.url.clone(), origin.to_owned());
    let file = pictures::resolve(root, &origin, &address);
    Some(PictureFile { origin, address, alt: None, file })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::yaml;

    #[test]
    fn an_enclosure_is_read_in_the_forms_of_podcast_themes() {
        let of = |text: &str| {
            let found = enclosure(&yaml::parse(text).expect("YAML"))?;
            Some((found.url, found.byte_size, found.content_type))
        };
        let read = |url: &str, bytes, content_type: &str| Some((url.to_owned(), bytes, content_type.to_owned()));
        let url = "https://a.example/b.mp3";
        for (text, expected) in [
            ("enclosure: https://a.example/b.mp3", read(url, None, "audio/mpeg")),
            (
                "enclosure: {url: 'https://a.example/b.mp3', length: 7, type: audio/mp3}",
                read(url, Some(7), "audio/mp3"),
            ),
            ("enclosure: [{url: 'https://a.example/b.mp3', length: '7'}]", read(url, Some(7), "audio/mpeg")),
            (
                "enclosure: {src: 'https://a.example/b', type: video/mp4}",
                read("https://a.example/b", None, "video/mp4"),
            ),
            ("enclosure: https://a.example/b", read("https://a.example/b", None, "")),
            ("podcast_file: b.mp3\npodcast_bytes: '12103984'", read("b.mp3", Some(12_103_984), "audio/mpeg")),
            (
                "podcast_link: https://a.example/b.mp3\npodcast_file_size: 13.7 MB\npodcast_length: 13654375",
                read(url, Some(13_654_375), "audio/mpeg"),
            ),
            ("audio: {mp3: b.mp3, ogg: b.ogg}", read("b.mp3", None, "audio/mpeg")),
            ("file: /episodes/b.m4a\nlength: '14:02'", read("/episodes/b.m4a", None, "audio/mp4")),
            ("params: {enclosure: b.mp3}", read("b.mp3", None, "audio/mpeg")),
            ("audio: true\nfile: a.pdf\nmp3: none\nenclosure: true", None),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
