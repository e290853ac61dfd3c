//! The names in the value of a property: options, persons, and pages of another database. The rule: a link to a page counts as its title.

use crate::folded;

use super::name;

/// Adds the missing names. Returns whether the value contains only names.
pub(super) fn add(names: &mut Vec<String>, value: &str) -> bool {
    let mut are_all = true;
    for part in parts(value) {
        let name = title_of(part);
        are_all &= name == part;
        if !names.iter().any(|known| folded(known) == folded(&name)) {
            names.push(name);
        }
    }
    are_all
}

/// Splits at commas outside brackets.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let parts = value.split(move |character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        matches!(character, ',' | '\n') && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

/// Reads `Ada (../Authors/Ada%20….md)`, or the address alone, as `Ada`.
fn title_of(part: &str) -> String {
    let linked = part.strip_suffix(')').and_then(|part| part.rsplit_once(" ("));
    let linked = linked.filter(|(name, address)| !name.trim().is_empty() && name::id_of_address(address).is_some());
    match linked {
        Some((name, _)) => name.trim().to_owned(),
        None => name::title_of_address(part).unwrap_or_else(|| part.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_divided_by_commas_and_links_are_titles() {
        let id = "00112233445566778899aabbccddeeff";
        for (value, expected, are_all) in [
            ("Ada, Grace Hopper,, ada".to_owned(), vec!["Ada", "Grace Hopper"], true),
            (format!("Ada (../Authors/Ada%20{id}.md), Bo"), vec!["Ada", "Bo"], false),
            (format!("Array (https://www.notion.so/Array-{id}?pvs=21)"), vec!["Array"], false),
            (
                format!("https://www.notion.so/Slow-Pointer-{id}, Authors/Ada%20{id}.md"),
                vec!["Slow Pointer", "Ada"],
                false,
            ),
            ("Ada (a, b), C".to_owned(), vec!["Ada (a, b)", "C"], true),
            ("(Ada, Bo".to_owned(), vec!["(Ada, Bo"], true),
            (String::new(), vec![], true),
        ] {
            let mut names = Vec::new();
            assert_eq!(
                (add(&mut names, &value), names),
                (are_all, expected.into_iter().map(str::to_owned).collect()),
                "{value}"
            );
        }
    }
}
