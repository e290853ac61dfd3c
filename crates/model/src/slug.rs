//! Slugs: names for URLs and keys. The rule: every `Slug` can be used in a key without encoding.

use std::fmt;
use std::str::FromStr;

use compact_str::{CompactString, format_compact};
use percent_encoding::percent_decode_str;

use super::composed::composed;

/// The longest slug in bytes. A key adds a short prefix and must be much shorter than 512.
pub const SLUG_BYTES_MAX: usize = 200;

/// 1 to 200 characters of `[a-z0-9._-]`, the first and the last a letter or digit. Up to 24 bytes are stored inline, without an allocation, because a
/// page of posts contains some hundred slugs.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slug(CompactString);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a slug: 1 to 200 characters of a-z, 0-9, '.', '_' and '-', the first and the last a letter or digit"
)]
pub struct BadSlug(pub String);

impl Slug {
    /// The slug of a name in any script: transliterated, in lower case, `[a-z0-9._-]` kept, other characters replaced by one `-`, cut at 200. A name
    /// that is already a slug is unchanged. `None` if no character of the name can be part of a slug.
    pub fn from_name(name: &str) -> Option<Self> {
        if let Ok(slug) = name.parse() {
            return Some(slug);
        }
        let plain = deunicode::deunicode_with_tofu(&composed(name), "-");
        let mut slug = String::with_capacity(plain.len().min(SLUG_BYTES_MAX));
        for c in plain.chars().map(|c| c.to_ascii_lowercase()) {
            let kept = if is_slug_char(c) { c } else { '-' };
            if kept != '-' || !slug.ends_with('-') {
                slug.push(kept);
            }
        }
        Self::trimmed(&slug)
    }

    /// The slug of a part of a site's address: [`from_name`](Self::from_name) of the decoded part, because a web site knows its former addresses but not how a
    /// name in another script was transliterated.
    pub fn from_address(part: &str) -> Option<Self> {
        if let Ok(slug) = part.parse() {
            return Some(slug);
        }
        Self::from_name(&percent_decode_str(part).decode_utf8_lossy())
    }

    /// The slug for the `n`-th name with this slug: it ends with `-2`, `-3` and so on; the first is unchanged.
    pub fn numbered(&self, n: u32) -> Self {
        if n <= 1 {
            return self.clone();
        }
        self.followed_by(&format_compact!("{n}"))
    }

    pub fn with_suffix(&self, suffix: &Self) -> Self {
        self.followed_by(&suffix.0)
    }

    /// `suffix`: letters, digits and hyphens, shorter than a slug.
    fn followed_by(&self, suffix: &str) -> Self {
        let head_bytes_max = SLUG_BYTES_MAX.saturating_sub(suffix.len() + 1);
        let head = self.0[..self.0.len().min(head_bytes_max)].trim_end_matches(is_edge_mark);
        Self(format_compact!("{head}-{suffix}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part of a text of `[a-z0-9._-]*` from its first to its last letter or digit, at most 200 bytes.
    fn trimmed(text: &str) -> Option<Self> {
        let start = text.trim_start_matches(is_edge_mark);
        let cut = &start[..start.len().min(SLUG_BYTES_MAX)];
        let slug = cut.trim_end_matches(is_edge_mark);
        (!slug.is_empty()).then(|| Self(slug.into()))
    }
}

fn is_slug_char(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9') || is_edge_mark(c)
}

fn is_edge_mark(c: char) -> bool {
    matches!(c, '.' | '_' | '-')
}

impl FromStr for Slug {
    type Err = BadSlug;

    fn from_str(text: &str) -> Result<Self, BadSlug> {
        let fits = (1..=SLUG_BYTES_MAX).contains(&text.len())
            && text.bytes().all(|byte| is_slug_char(char::from(byte)))
            && !text.starts_with(is_edge_mark)
            && !text.ends_with(is_edge_mark);
        if fits { Ok(Self(text.into())) } else { Err(BadSlug(text.chars().take(64).collect())) }
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl AsRef<str> for Slug {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Slug {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_script_become_slugs() {
        let slug = |name| Slug::from_name(name).map(|s| s.to_string());
        assert_eq!(slug("Łukasz / Ĳ").as_deref(), Some("lukasz-ij"));
        assert_eq!(slug("C++ & Rust 1.0").as_deref(), Some("c-rust-1.0"));
        assert_eq!(slug("  --北京--  ").as_deref(), Some("bei-jing"));
        assert_eq!(slug("mattr-").as_deref(), Some("mattr"));
        assert_eq!(slug("two--dashes").as_deref(), Some("two--dashes"));
        assert_eq!(slug("!?").as_deref(), None);
    }

    #[test]
    fn a_part_of_an_address_names_the_slug_that_its_text_became() {
        for (part, slug) in [
            ("привет-мир", "privet-mir"),
            ("%D0%BF%D1%83%D1%82%D1%8C", "put"),
            ("Old-Post", "old-post"),
            ("caf%C3%A9", "cafe"),
            ("cafe\u{301}", "cafe"),
            ("100%", "100"),
            ("a%20b", "a-b"),
            ("%FF", ""),
            ("%2e%2e", ""),
        ] {
            let found = Slug::from_address(part).map(|slug| slug.to_string()).unwrap_or_default();
            assert_eq!(found, Slug::from_name(slug).map(|slug| slug.to_string()).unwrap_or_default(), "{part}");
        }
        let (composed, decomposed) = ("\u{304c}\u{439}", "\u{304b}\u{3099}\u{438}\u{306}");
        assert_eq!(Slug::from_name(composed), Slug::from_name(decomposed));
    }

    #[test]
    fn a_number_never_makes_a_slug_too_long() {
        let long = Slug::from_name(&"a".repeat(500)).expect("a slug");
        assert_eq!(long.as_str().len(), SLUG_BYTES_MAX);
        let second = long.numbered(2);
        assert!(second.as_str().ends_with("a-2") && second.as_str().parse::<Slug>().is_ok());
    }
}
