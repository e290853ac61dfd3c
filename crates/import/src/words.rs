//! Lists of words, such as the names of elements and fields. The rule: a list is one text with white space between its words.

use std::collections::BTreeSet;

/// Whether the list has the word, in this case.
pub(super) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// A note that ends with names, if there are any.
pub(super) fn note_of_names(start: &str, names: BTreeSet<String>) -> Option<String> {
    let names: Vec<_> = names.into_iter().collect();
    (!names.is_empty()).then(|| format!("{start}: {}", names.join(", ")))
}
