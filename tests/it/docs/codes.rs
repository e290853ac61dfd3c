//! Compares `docs/errors.md` with the code: the page lists every error code that a client can get, and no other.

use std::collections::BTreeSet;

use super::root;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The codes in the first column of the table below this heading.
fn documented(heading: &str) -> BTreeSet<String> {
    let page = read("docs/errors.md");
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" |").next());
    cells
        .flat_map(|cell| cell.split(' '))
        .filter_map(|word| word.strip_prefix('`')?.strip_suffix('`'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_error_code_is_documented() {
    let code = read("src/graphql/error/code.rs");
    let arms = code.lines().filter_map(|line| line.trim().strip_prefix("Self::")?.split_once(" => \""));
    let codes: BTreeSet<String> = arms.filter_map(|(_, rest)| Some(rest.split_once('"')?.0.to_owned())).collect();
    assert!(codes.len() > 20, "the arms of Code::as_str are no longer found: {codes:?}");
    assert_eq!(documented("Errors of a query"), codes);
}

#[test]
fn every_user_error_code_is_documented() {
    let schema = read("schema.graphql");
    let body = schema.split_once("enum UserErrorCode {").expect("the enum").1.split_once('}').expect("its end").0;
    let is_value = |line: &&str| !line.is_empty() && line.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let codes: BTreeSet<String> = body.lines().map(str::trim).filter(is_value).map(str::to_owned).collect();
    assert_eq!(documented("User errors of a mutation"), codes);
}

/// These files set no error code as a string; they use `Code`.
#[test]
fn error_codes_are_defined_in_one_place() {
    let sources = [
        "src/graphql/failure.rs",
        "src/graphql/access.rs",
        "src/graphql/query.rs",
        "src/http/answer.rs",
        "src/http/graphql.rs",
        "src/http/body.rs",
    ];
    for path in sources {
        let set_by_hand = read(path).lines().any(|line| line.contains("set(\"code\", \""));
        assert!(!set_by_hand, "{path} sets a code as a string; use Code");
    }
}
