//! The title of a post without one: the words of its name. The rule: every post has a title.

/// Converts `hello-my_world` to `Hello my world`.
pub fn in_words(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut chars = words.chars();
    chars.next().map_or_else(|| "Untitled".to_owned(), |first| first.to_uppercase().chain(chars).collect())
}
