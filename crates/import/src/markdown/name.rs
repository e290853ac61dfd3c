//! Reads a file's day, slug and language from its name and path, and whether it describes its folder. The rule: the front matter wins, and a day is in the time
//! zone of the site.

use crate::dates;
use tidings_model::{Instant, TimeZone};

use super::fields::PostFields;
use super::languages::{self, Translation};

/// The given date; if it is missing or malformed, the day in the file's name, or else in a path. An error if the given date is malformed and there is
/// no other.
pub(super) fn date(fields: &PostFields, name: &Name, origin: &str) -> Result<Option<Instant>, String> {
    let (given, zone) = (fields.date.as_deref(), &fields.time_zone);
    let elsewhere = || day(fields.path.as_deref(), name, origin, zone);
    match (given.and_then(|text| dates::parse_in(text, zone)).or_else(elsewhere), given) {
        (Some(at), _) => Ok(Some(at)),
        (None, Some(given)) => Err(format!("{given:?} is not a date, such as 2025-02-03 or 2025-02-03T04:05:06Z")),
        (None, None) => Ok(None),
    }
}

/// The date of a post. That of a draft may be malformed.
pub(super) fn date_unless_draft(fields: &PostFields, name: &Name, origin: &str) -> Result<Option<Instant>, String> {
    let date = date(fields, name, origin);
    if fields.is_draft { Ok(date.unwrap_or_default()) } else { date }
}

/// The day in the file's name, or else in a path. `path`: the path in the front matter.
pub(super) fn day(path: Option<&str>, name: &Name, origin: &str, zone: &TimeZone) -> Option<Instant> {
    name.day.or_else(|| dates::in_path(path?, zone)).or_else(|| dates::in_path(origin, zone))
}

/// The name of a file without its extension, or of the folder of an `index`, split into day and words.
pub(super) struct Name {
    pub day: Option<Instant>,
    pub words: String,
}

impl Name {
    pub(super) fn of(origin: &str, zone: &TimeZone) -> Self {
        let (folders, file) = origin.rsplit_once('/').unwrap_or(("", origin));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let folder = folders.rsplit('/').next().unwrap_or_default();
        let name = if stem == "index" && !folder.is_empty() { folder } else { stem };
        let (day, words) = dates::split_name(name, zone).map_or((None, name), |(day, words)| (Some(day), words));
        Self { day, words: if words.is_empty() { name } else { words }.to_owned() }
    }

    /// The name of the original followed by the language, because the two posts need different slugs.
    pub(super) fn of_translation(origin: &str, translation: Option<&Translation>, zone: &TimeZone) -> Self {
        let Some(Translation { original, language }) = translation else { return Self::of(origin, zone) };
        let Self { day, words } = Self::of(original, zone);
        Self { day, words: format!("{words}-{}", language.index_slug()) }
    }
}

/// Whether the file is in the drafts folder of Jekyll or Hexo.
pub(super) fn is_in_drafts(origin: &str) -> bool {
    origin.split('/').any(|part| part == "_drafts")
}

/// Whether the file has the name with which Zola and Hugo describe a folder, in any language: `_index.md`, `_index.de.md`.
pub(super) fn is_section(origin: &str) -> bool {
    let name = origin.rsplit('/').next().unwrap_or(origin);
    let rest = name.strip_prefix("_index.").unwrap_or_default();
    let (tag, ending) = rest.rsplit_once('.').map_or((None, rest), |(tag, ending)| (Some(tag), ending));
    matches!(ending, "md" | "markdown" | "mdx") && tag.is_none_or(|tag| languages::language(tag).is_some())
}

/// The folders around a file, innermost first, then the root.
pub(super) fn folders_above(origin: &str) -> Vec<&str> {
    origin.rmatch_indices('/').map(|(at, _)| &origin[..at]).chain([""]).collect()
}

/// The path of a folder before the names in it.
pub(super) fn with_slash(folder: &str) -> String {
    if folder.is_empty() { String::new() } else { format!("{folder}/") }
}

pub(super) fn folder_of(origin: &str) -> &str {
    origin.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::file::read_with;
    use super::super::generator_files;
    use super::super::outcome::ReadOutcome;
    use super::*;
    use crate::ReadOptions;
    use crate::found::FoundContent;

    #[test]
    fn a_date_without_a_zone_is_in_that_of_the_site() {
        let zone: TimeZone = "Asia/Tokyo".parse().expect("a zone");
        let options = ReadOptions { time_zone: zone, ..ReadOptions::default() };
        let site = generator_files::read((Path::new("blog"), &options), &[], &[], &mut FoundContent::default());
        for (origin, front) in
            [("a.md", "date: 2020-01-02"), ("2020-01-02-a.md", "title: A"), ("2020/01/02/a.md", "title: A")]
        {
            let ReadOutcome::Post(post, _) = read_with(&site, origin, format!("---\n{front}\n---\n").into()) else {
                panic!("no post")
            };
            assert_eq!(post.published_at.map(|at| at.to_string()).as_deref(), Some("2020-01-01T15:00:00Z"), "{origin}");
        }
    }
}
