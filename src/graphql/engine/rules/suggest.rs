//! Suggests names that are similar to an unknown one. The rule: the work and the result are small, however long the name is.

/// The maximum number of suggested names.
const NAMES_MAX: usize = 3;
/// Longer names have no similar names.
const NAME_BYTES_MAX: usize = 64;

/// Returns `. Did you mean "a" or "b"?` with the most similar names first, or an empty text if none is similar.
pub(super) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    if name.len() > NAME_BYTES_MAX {
        return String::new();
    }
    let lower = name.to_ascii_lowercase();
    let edits = |known: &'a str| {
        let edits = strsim::damerau_levenshtein(&lower, &known.to_ascii_lowercase());
        (edits <= name.len().max(known.len()) * 2 / 5).then_some((edits, known))
    };
    let mut similar: Vec<(usize, &str)> = known.filter_map(edits).collect();
    similar.sort_unstable();
    similar.truncate(NAMES_MAX);
    let names: Vec<String> = similar.iter().map(|(_, name)| format!("\"{name}\"")).collect();
    match names.as_slice() {
        [] => String::new(),
        [name] => format!(". Did you mean {name}?"),
        [first @ .., last] => format!(". Did you mean {} or {last}?", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn similar_names_are_suggested_and_others_not() {
        let known = ["title", "titles", "markdown", "publishAt", "tags"];
        for (name, suggested) in [
            ("titel", ". Did you mean \"title\" or \"titles\"?"),
            ("publishat", ". Did you mean \"publishAt\"?"),
            ("body", ""),
            ("", ""),
        ] {
            assert_eq!(did_you_mean(name, known.into_iter()), suggested, "{name}");
        }
        assert_eq!(did_you_mean(&"x".repeat(100_000), known.into_iter()), "");
    }
}
