//! Compares `docs/errors.md` with the code: the page lists every error code that a client can get, and no other.

use std::collections::BTreeSet;

use super::root;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the table below this heading.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = read("docs/errors.md");
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the heading");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| "));
    rows.map(|row| row.trim_end_matches(" |").split(" | ").map(str::to_owned).collect()).collect()
}

/// The codes in the first column of the table below this heading.
fn documented(heading: &str) -> BTreeSet<String> {
    rows(heading).iter().filter_map(|row| Some(row[0].strip_prefix('`')?.strip_suffix('`')?.to_owned())).collect()
}

#[test]
fn every_error_code_is_documented() {
    let codes: BTreeSet<String> = codes().into_iter().map(|(code, _)| code).collect();
    assert_eq!(documented("Errors of a query"), codes);
}

/// Each code in the list of `codes!`, and whether the request can be sent again.
fn codes() -> Vec<(String, bool)> {
    let source = read("src/graphql/error/code.rs");
    let list = source.split_once("\ncodes! {").expect("the list").1.split_once("\n}").expect("its end").0;
    let lines = list.lines().filter_map(|line| line.split_once(" = \"")?.1.strip_suffix(';')?.split_once("\", "));
    let codes: Vec<(String, bool)> = lines.map(|(code, retry)| (code.to_owned(), retry != "NEVER")).collect();
    assert!(codes.len() > 20, "the codes are no longer found: {codes:?}");
    codes
}

#[test]
fn the_page_says_which_requests_can_be_sent_again() {
    let table = rows("Errors of a query");
    for (code, can_be_sent_again) in codes() {
        let row = table.iter().find(|row| row[0] == format!("`{code}`")).expect("every code has a row");
        assert_eq!(row[3], if can_be_sent_again { "yes" } else { "no" }, "{code}");
    }
}

#[test]
fn no_code_is_both_an_error_and_a_user_error() {
    let errors: BTreeSet<String> = codes().into_iter().map(|(code, _)| code).collect();
    let both: Vec<String> = user_error_codes().intersection(&errors).cloned().collect();
    assert_eq!(both, Vec::<String>::new());
}

#[test]
fn every_user_error_code_is_documented() {
    assert_eq!(documented("User errors of a mutation"), user_error_codes());
}

fn user_error_codes() -> BTreeSet<String> {
    let schema = read("schema.graphql");
    let body = schema.split_once("enum UserErrorCode {").expect("the enum").1.split_once('}').expect("its end").0;
    let is_value = |line: &&str| !line.is_empty() && line.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    body.lines().map(str::trim).filter(is_value).map(str::to_owned).collect()
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
