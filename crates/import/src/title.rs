//! The title of a post that has none: the words of its name. The rule: no post is without a title.

/// `hello-my_world` as a title: `Hello my world`.
pub fn in_words(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| "Untitled".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}
