//! A path pattern with placeholders, such as `/{year}/{slug}`. The rule: a pattern has the placeholder that distinguishes the addresses of two pages,
//! and no character that a URL contains only in percent-encoding.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placeholder {
    Slug,
    Path,
    Year,
    Month,
    Day,
}

impl Placeholder {
    fn text(self) -> &'static str {
        match self {
            Self::Slug => "{slug}",
            Self::Path => "{path}",
            Self::Year => "{year}",
            Self::Month => "{month}",
            Self::Day => "{day}",
        }
    }
}

/// A path with placeholders: texts, each followed by a placeholder, and the text at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    parts: Vec<(String, Placeholder)>,
    rest: String,
}

impl Pattern {
    /// `known`: the allowed placeholders. The first is required, because it distinguishes the addresses.
    pub(super) fn parse(text: &str, known: &[Placeholder]) -> Result<Self, String> {
        let names = || known.iter().map(|name| name.text()).collect::<Vec<_>>().join(", ");
        if !text.starts_with('/') {
            return Err(format!("{text:?} does not begin with a slash"));
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "/-._~!$&'()*+,;=:@%?{}".contains(c);
        if let Some(c) = text.chars().find(|c| !is_plain(*c)) {
            return Err(format!("{text:?} contains {c:?}, which a URL has only in percent-encoding"));
        }
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some(start) = rest.find(['{', '}']) {
            let found = known.iter().find(|name| rest[start..].starts_with(name.text()));
            let name = *found.ok_or_else(|| format!("{text:?} has a brace that is not part of {}", names()))?;
            parts.push((rest[..start].to_owned(), name));
            rest = &rest[start + name.text().len()..];
        }
        match known.first().filter(|needed| parts.iter().all(|(_, name)| name != *needed)) {
            None => Ok(Self { parts, rest: rest.to_owned() }),
            Some(needed) => {
                Err(format!("{text:?} does not contain {}, so all pages would have one address", needed.text()))
            }
        }
    }

    pub(super) fn fill(&self, value: impl Fn(Placeholder) -> String) -> String {
        let mut filled = String::new();
        for (text, name) in &self.parts {
            filled.push_str(text);
            filled.push_str(&value(*name));
        }
        filled + &self.rest
    }

    /// The part of a path that counts: without a slash at its end, and with its query only if the pattern has one, as in `/?p={slug}`.
    pub(super) fn counted<'p>(&self, path: &'p str) -> &'p str {
        let has_query = self.parts.iter().any(|(text, _)| text.contains('?')) || self.rest.contains('?');
        let end = path.find('?').filter(|_| !has_query).unwrap_or(path.len());
        path[..end].trim_end_matches('/')
    }

    /// The first result of `of` for a value of the distinguishing placeholder with which the pattern matches the path.
    pub(super) fn find<T>(&self, path: &str, mut of: impl FnMut(&str) -> Option<T>) -> Option<T> {
        self.find_from(0, self.counted(path), None, &mut of)
    }

    fn find_from<'p, T>(
        &self,
        at: usize,
        path: &'p str,
        found: Option<&'p str>,
        of: &mut dyn FnMut(&str) -> Option<T>,
    ) -> Option<T> {
        let Some((text, name)) = self.parts.get(at) else {
            return found.filter(|_| path == self.rest.trim_end_matches('/')).and_then(of);
        };
        let path = path.strip_prefix(text.as_str())?;
        let (longest, shortest) = name.lengths(path);
        (shortest..=longest).rev().find_map(|length| {
            let (value, rest) = path.split_at(length);
            match name.is_name() {
                // Both occurrences of a placeholder must have the same value.
                true if found.is_some_and(|found| found != value) => None,
                true => self.find_from(at + 1, rest, Some(value), of),
                false => self.find_from(at + 1, rest, found, of),
            }
        })
    }
}

impl Placeholder {
    /// Whether it distinguishes addresses.
    fn is_name(self) -> bool {
        matches!(self, Self::Slug | Self::Path)
    }

    /// The maximum and minimum length in bytes of its value at the start of a text.
    fn lengths(self, text: &str) -> (usize, usize) {
        let length_of = |is_part: &dyn Fn(u8) -> bool| text.bytes().take_while(|byte| is_part(*byte)).count();
        let is_of_slug = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte);
        let digits = |most: usize| length_of(&|byte: u8| byte.is_ascii_digit()).min(most);
        match self {
            Self::Slug => (length_of(&is_of_slug), 1),
            Self::Path => (length_of(&|byte: u8| is_of_slug(byte) || byte == b'/'), 1),
            Self::Year => (digits(4), 4),
            Self::Month | Self::Day => (digits(2), 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pattern: &str, known: &[Placeholder], path: &str) -> Vec<String> {
        let mut values = Vec::new();
        let pattern = Pattern::parse(pattern, known).expect("a pattern");
        assert_eq!(
            pattern.find(path, |value| {
                values.push(value.to_owned());
                None::<()>
            }),
            None
        );
        values
    }

    #[test]
    fn the_values_of_a_path_are_those_with_which_the_pattern_gives_it() {
        use Placeholder::{Day, Month, Path, Slug, Year};
        let all = [Slug, Year, Month, Day];
        for (pattern, path, expected) in [
            ("/posts/{slug}", "/posts/a-b", vec!["a-b"]),
            ("/posts/{slug}", "/posts/a-b/", vec!["a-b"]),
            ("/{slug}/", "/a", vec!["a"]),
            ("/{year}/{month}/{day}/{slug}.html", "/2026/01/02/a.html.html", vec!["a.html"]),
            ("/{year}/{slug}", "/202/a", vec![]),
            ("/{year}{month}-{slug}", "/202601-a", vec!["a"]),
            ("/{slug}/{slug}", "/a/a", vec!["a"]),
            ("/{slug}/{slug}", "/a/b", vec![]),
            ("/?p={slug}", "/?p=a", vec!["a"]),
            ("/{slug}.x{year}", "/a.x1.x2026", vec!["a.x1"]),
            ("/posts/{slug}", "/posts/", vec![]),
            ("/posts/{slug}", "/posts/a/b", vec![]),
            ("/posts/{slug}", "/posts/\u{e4}", vec![]),
        ] {
            assert_eq!(values(pattern, &all, path), expected, "{pattern} {path}");
        }
        assert_eq!(values("/{path}", &[Path], "/a/b-c/"), ["a/b-c"]);
        assert_eq!(values("/docs/{path}.html", &[Path], "/docs/a/b.html"), ["a/b"]);
        assert!(Pattern::parse("/?p={slug}", &all).is_ok_and(|pattern| pattern.counted("/?p=a/") == "/?p=a"));
    }
}
