//! The formats of files that are not pictures. The rule: no browser runs a script of a file that is served with one of these types, whatever its bytes are.

use std::str::FromStr;

/// The number of bytes at the start of a file that [`FileFormat::fits`] reads.
pub const SIGNED_BYTES: usize = 265;

/// A format of files that are stored and served as they are.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct FileFormat {
    extension: &'static str,
    content_type: &'static str,
    signature: Signature,
}

/// The bytes with which files of a format begin.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Signature {
    /// One of these byte strings, at this offset.
    At(usize, &'static [&'static [u8]]),
    /// Any bytes: the whole file is UTF-8 text without control characters.
    Text,
}

const OGG: Signature = Signature::At(0, &[b"OggS"]);
/// ISO base media: the first box names the kind of file.
const ISO_MEDIA: Signature = Signature::At(4, &[b"ftyp"]);
/// An archive, which may be empty.
const ZIP: Signature = Signature::At(0, &[b"PK\x03\x04", b"PK\x05\x06"]);
/// An ID3 tag, or the first bytes of a frame of MPEG 1 or 2, layer III.
const MP3: Signature = Signature::At(0, &[b"ID3", b"\xff\xfb", b"\xff\xfa", b"\xff\xf3", b"\xff\xf2"]);

/// All formats. The types are those that IANA lists.
pub static FILE_FORMATS: [FileFormat; 24] = [
    of("pdf", "application/pdf", Signature::At(0, &[b"%PDF-"])),
    of("epub", "application/epub+zip", ZIP),
    of("mp3", "audio/mpeg", MP3),
    of("m4a", "audio/mp4", ISO_MEDIA),
    of("aac", "audio/aac", Signature::At(0, &[b"\xff\xf1", b"\xff\xf9"])),
    of("ogg", "audio/ogg", OGG),
    of("opus", "audio/ogg", OGG),
    of("flac", "audio/flac", Signature::At(0, &[b"fLaC"])),
    of("wav", "audio/wav", Signature::At(8, &[b"WAVE"])),
    of("mp4", "video/mp4", ISO_MEDIA),
    of("mov", "video/quicktime", Signature::At(4, &[b"ftyp", b"moov", b"mdat", b"wide", b"free"])),
    of("webm", "video/webm", Signature::At(0, &[b"\x1a\x45\xdf\xa3"])),
    of("ogv", "video/ogg", OGG),
    of("woff", "font/woff", Signature::At(0, &[b"wOFF"])),
    of("woff2", "font/woff2", Signature::At(0, &[b"wOF2"])),
    of("ttf", "font/ttf", Signature::At(0, &[b"\x00\x01\x00\x00", b"true"])),
    of("otf", "font/otf", Signature::At(0, &[b"OTTO"])),
    of("zip", "application/zip", ZIP),
    of("gz", "application/gzip", Signature::At(0, &[b"\x1f\x8b"])),
    of("tar", "application/x-tar", Signature::At(257, &[b"ustar"])),
    of("txt", "text/plain; charset=utf-8", Signature::Text),
    of("csv", "text/csv; charset=utf-8", Signature::Text),
    of("ics", "text/calendar; charset=utf-8", Signature::Text),
    of("vtt", "text/vtt; charset=utf-8", Signature::Text),
];

const fn of(extension: &'static str, content_type: &'static str, signature: Signature) -> FileFormat {
    FileFormat { extension, content_type, signature }
}

impl FileFormat {
    /// `extension`: in lower case.
    pub fn of_extension(extension: &str) -> Option<&'static Self> {
        FILE_FORMATS.iter().find(|format| format.extension == extension)
    }

    /// The format of a file with this name, in any case.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        Self::of_extension(&name.rsplit_once('.')?.1.to_ascii_lowercase())
    }

    pub fn extension(&self) -> &'static str {
        self.extension
    }

    pub fn content_type(&self) -> &'static str {
        self.content_type
    }

    /// Whether a file of the format is text, which [`fits`](Self::fits) does not check.
    pub fn is_text(&self) -> bool {
        self.signature == Signature::Text
    }

    /// Whether a file that begins with these bytes, at least [`SIGNED_BYTES`] unless the file is shorter, can have the format.
    pub fn fits(&self, beginning: &[u8]) -> bool {
        match &self.signature {
            Signature::At(at, texts) => {
                beginning.get(*at..).is_some_and(|rest| texts.iter().any(|text| rest.starts_with(text)))
            }
            Signature::Text => true,
        }
    }
}

impl FromStr for &'static FileFormat {
    type Err = String;

    fn from_str(extension: &str) -> Result<Self, String> {
        FileFormat::of_extension(extension).ok_or_else(|| {
            let all: Vec<_> = FILE_FORMATS.iter().map(FileFormat::extension).collect();
            format!("{extension:?} is none of the formats {}", all.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AssetFormat;

    #[test]
    fn every_format_has_its_own_extension_and_its_signature_is_within_what_is_read() {
        for format in &FILE_FORMATS {
            assert_eq!(FileFormat::of_extension(format.extension), Some(format));
            assert_eq!(AssetFormat::of_extension(format.extension), None, "{}", format.extension);
            if let Signature::At(at, texts) = format.signature {
                assert!(texts.iter().all(|text| at + text.len() <= SIGNED_BYTES), "{}", format.extension);
                assert!(!format.fits(b"<script>alert(1)</script>"), "{}", format.extension);
            }
        }
    }

    #[test]
    fn no_type_is_one_whose_scripts_a_browser_runs() {
        for FileFormat { content_type, .. } in &FILE_FORMATS {
            let runs = ["html", "xml", "svg", "javascript", "ecmascript", "x-mixed"];
            assert!(!runs.iter().any(|text| content_type.contains(text)), "{content_type}");
        }
    }

    #[test]
    fn a_format_is_found_by_the_last_part_of_a_name() {
        let extension = |name: &str| FileFormat::of_name(name).map(FileFormat::extension);
        assert_eq!(extension("Slides of May.PDF"), Some("pdf"));
        assert_eq!(extension("backup.tar.gz"), Some("gz"));
        for name in ["pdf", "a.pdf.html", "a.html", "a.", "a.js", ""] {
            assert_eq!(extension(name), None, "{name}");
        }
    }
}
