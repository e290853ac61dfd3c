//! The language of a text: a tag of BCP 47 (RFC 5646), such as `en` or `pt-BR`. The rule: a [`Language`] has the case that the RFC recommends, so
//! equal tags are equal texts.

use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;

use super::slug::Slug;

/// The longest tag in bytes: RFC 5646 (section 4.4.1) requires programs to support at least 35.
pub const LANGUAGE_BYTES_MAX: usize = 35;

/// A tag begins with a language subtag of two or three letters, or is private (`x-…`). `i-klingon`, which RFC 5646 only tolerates, is refused, and so
/// is `english`: the RFC reserves four to eight letters and has registered no language with them.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(CompactString);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a language tag such as en, pt-BR or zh-Hant: BCP 47, at most {LANGUAGE_BYTES_MAX} characters, in front the two or three letters of the language"
)]
pub struct BadLanguage(pub String);

impl Language {
    /// Reads a tag of a file, possibly with white space around it and with `_` instead of `-`, as operating systems write locales.
    pub fn of_locale(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > LANGUAGE_BYTES_MAX { None } else { text.replace('_', "-").parse().ok() }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The partition of the language in the index of posts: the tag in lower case.
    pub fn index_slug(&self) -> Slug {
        self.0.to_ascii_lowercase().parse().expect("groups of letters and digits between hyphens are a slug")
    }
}

impl FromStr for Language {
    type Err = BadLanguage;

    fn from_str(text: &str) -> Result<Self, BadLanguage> {
        match text.len() <= LANGUAGE_BYTES_MAX && is_well_formed(text) {
            true => Ok(Self(in_usual_case(text))),
            false => Err(BadLanguage(text.chars().take(64).collect())),
        }
    }
}

/// The syntax of RFC 3066 (section 2.1), with a language of two or three letters, or private: which subtags may follow which is not checked.
fn is_well_formed(text: &str) -> bool {
    let is_alphanumeric = |subtag: &str| subtag.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let (language, rest) = text.split_once('-').map_or((text, None), |(language, rest)| (language, Some(rest)));
    let is_language = (2..=3).contains(&language.len()) && language.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_private = language.eq_ignore_ascii_case("x") && rest.is_some();
    let mut subtags = rest.into_iter().flat_map(|rest| rest.split('-'));
    (is_language || is_private) && subtags.all(|subtag| (1..=8).contains(&subtag.len()) && is_alphanumeric(subtag))
}

/// The case of section 2.1.1: lower case, but `BR` and `Hant` unless it is the first subtag or follows a subtag of one character.
fn in_usual_case(text: &str) -> CompactString {
    let mut tag = CompactString::with_capacity(text.len());
    let mut is_after_singleton = false;
    for (place, subtag) in text.split('-').enumerate() {
        if place > 0 {
            tag.push('-');
        }
        let is_plain = place == 0 || is_after_singleton;
        for (at, letter) in subtag.chars().enumerate() {
            let is_capital = !is_plain && (subtag.len() == 2 || (subtag.len() == 4 && at == 0));
            tag.push(if is_capital { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() });
        }
        is_after_singleton |= subtag.len() == 1;
    }
    tag
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These tags are from RFC 5646, appendix A, and other sources.
    #[test]
    fn a_well_formed_tag_gets_the_usual_case() {
        for (text, expected) in [
            ("de", "de"),
            ("EN", "en"),
            ("PT-br", "pt-BR"),
            ("zh-hant", "zh-Hant"),
            ("zh-cmn-hans-cn", "zh-cmn-Hans-CN"),
            ("sr-LATN-rs", "sr-Latn-RS"),
            ("es-419", "es-419"),
            ("sl-rozaj-biske-1994", "sl-rozaj-biske-1994"),
            ("de-CH-1901", "de-CH-1901"),
            ("hy-latn-IT-AREVELA", "hy-Latn-IT-arevela"),
            ("az-Arab-x-AZE-derbend", "az-Arab-x-aze-derbend"),
            ("x-Whatever", "x-whatever"),
            ("en-CA-x-CA", "en-CA-x-ca"),
            ("en-a-BBB-x-A-ccc", "en-a-bbb-x-a-ccc"),
            ("zh-yue-abc-xyz-HK", "zh-yue-abc-xyz-HK"),
            ("ar-u-NU-latn", "ar-u-nu-latn"),
        ] {
            let language: Language = text.parse().expect(text);
            assert_eq!((language.as_str(), language.to_string().parse()), (expected, Ok(language.clone())));
            assert_eq!(language.index_slug().as_str(), expected.to_lowercase());
        }
    }

    #[test]
    fn another_text_is_no_language() {
        let long = format!("x{}", "-abcdefgh".repeat(4));
        for text in [
            "",
            "e",
            "english",
            "python",
            "de_DE",
            " de",
            "de-",
            "-de",
            "de--DE",
            "d1",
            "12",
            "ü",
            "de-ü",
            "a-DE",
            "x",
            "x-",
            "en-abcdefghi",
            "i-klingon",
            "en\n",
            &long,
        ] {
            assert!(text.parse::<Language>().is_err(), "{text:?}");
        }
        assert!(long[..LANGUAGE_BYTES_MAX].parse::<Language>().is_ok());
    }

    #[test]
    fn a_locale_of_a_file_is_read() {
        let read = |text: &str| Language::of_locale(text).map(|language| language.to_string());
        assert_eq!(read(" pt_br ").as_deref(), Some("pt-BR"));
        assert_eq!(read("en_US.UTF-8"), None);
    }
}
