//! The title of a post without one: the words of its name. The rule: every post has a title.

use tidings_model::markdown;

/// The title of a post of an export: the given one, the first heading of the body, or else the slug in words.
pub(super) fn title_of(given: Option<String>, body: &str, slug: Option<&str>) -> String {
    given.or_else(|| markdown::first_heading(body)).unwrap_or_else(|| in_words(slug.unwrap_or_default()))
}

/// Converts `hello-my_world` to `Hello my world`.
pub fn in_words(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| "Untitled".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}
