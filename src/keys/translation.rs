//! The rows of a group of translations, in `PostKeys` and in `Pages`. The rule: a group has one row for each language, so no two of its posts or pages have the
//! same language.

use crate::model::{Language, Post, Slug, TranslationGroup};

/// The row of a member. `language`: as in an index; `None` for content without its own language.
pub(super) fn row(group: &TranslationGroup, language: Option<&Slug>) -> String {
    format!("t-{group}-{}", language.map_or("", Slug::as_str))
}

pub(super) fn row_of(post: &Post) -> Option<String> {
    let language = post.language.as_ref().map(Language::index_slug);
    post.translation_group.as_ref().map(|group| row(group, language.as_ref()))
}

/// The first row of a group, and the text after its last one.
pub(super) fn bounds(group: &TranslationGroup) -> (String, String) {
    (row(group, None), format!("t-{group}."))
}

/// `None` if the row does not belong to a group.
pub fn parse(row: &str) -> Option<(TranslationGroup, Option<Slug>)> {
    let (group, language) = row.strip_prefix("t-")?.split_once('-')?;
    let language = if language.is_empty() { None } else { Some(language.parse().ok()?) };
    Some((group.parse().ok()?, language))
}
