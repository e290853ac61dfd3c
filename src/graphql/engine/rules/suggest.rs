//! Suggests names that are similar to an unknown one. The rule: the work and the result are small, however long the name is.

/// The maximum number of suggested names.
const NAMES_MAX: usize = 3;
/// Former names of the schema, or names of other schemas, with the present name.
const RENAMED: [(&str, &str); 29] = [
    ("url", "canonicalUrl"),
    ("date", "publishedAt"),
    ("content", "body"),
    ("summary", "excerpt"),
    ("name", "title"),
    ("title", "name"),
    ("slug", "path"),
    ("lang", "language"),
    ("locale", "language"),
    ("limit", "first"),
    ("take", "first"),
    ("page", "after"),
    ("offset", "after"),
    ("skip", "after"),
    ("where", "filter"),
    ("tags", "tagSlugs"),
    ("bio", "description"),
    ("order", "orderedPostIds"),
    ("nodes", "changes"),
    ("dearest", "mostExpensive"),
    ("nodeId", "id"),
    ("translationOf", "translationOfId"),
    ("ContentChange", "Change"),
    ("ChangeConnection", "AuditLogEntryConnection"),
    ("ChangeEdge", "AuditLogEntryEdge"),
    ("CategoryFilter", "TermFilter"),
    ("TagFilter", "TermFilter"),
    ("AuthorFilter", "TermFilter"),
    ("DeleteCategoryInput", "DeleteInput"),
];
/// Longer names have no similar names.
const NAME_BYTES_MAX: usize = 64;

/// Returns `. Did you mean "a" or "b"?` with the most similar names first; empty if none is similar.
pub(super) fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let is_similar = |known: &&str| {
        let most = name.len().max(known.len()) * 2 / 5;
        RENAMED.contains(&(name, *known)) || name.len().abs_diff(known.len()) <= most && distance(name, known) <= most
    };
    either(name, known.filter(is_similar), str::to_owned)
}

/// Like [`did_you_mean`], with all of these names. `shown`: formats a name.
pub(super) fn either<'a>(name: &str, known: impl Iterator<Item = &'a str>, shown: impl Fn(&str) -> String) -> String {
    let mut found: Vec<(usize, &str)> = known.map(|known| (distance(name, known), known)).collect();
    found.sort_unstable();
    found.truncate(NAMES_MAX);
    let names: Vec<String> = found.iter().map(|(_, name)| format!("\"{}\"", shown(name))).collect();
    match names.as_slice() {
        [] => String::new(),
        [name] => format!(". Did you mean {name}?"),
        [first @ .., last] => format!(". Did you mean {} or {last}?", first.join(", ")),
    }
}

/// The edit distance of a name from a known one; zero for a renamed one.
fn distance(name: &str, known: &str) -> usize {
    match RENAMED.contains(&(name, known)) {
        true => 0,
        false if name.len() > NAME_BYTES_MAX => usize::MAX,
        false => strsim::damerau_levenshtein(&name.to_ascii_lowercase(), &known.to_ascii_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn similar_names_are_suggested_and_others_not() {
        let known = ["title", "titles", "markdown", "publishAt", "tags", "description"];
        for (name, suggested) in [
            ("titel", ". Did you mean \"title\" or \"titles\"?"),
            ("publishat", ". Did you mean \"publishAt\"?"),
            ("body", ""),
            ("name", ". Did you mean \"title\"?"),
            ("bio", ". Did you mean \"description\"?"),
            ("", ""),
        ] {
            assert_eq!(did_you_mean(name, known.into_iter()), suggested, "{name}");
        }
        assert_eq!(did_you_mean(&"x".repeat(100_000), known.into_iter()), "");
    }
}
