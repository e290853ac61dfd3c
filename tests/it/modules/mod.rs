//! The dependency rules between the modules of `src/`: which module may use which, and which words only some modules may use. The module
//! overview in `src/lib.rs` gives the reasons. `facades.rs` checks the façades inside `content`, `cycles.rs` the dependencies between files. These
//! tests check every file and report each line that breaks a rule.

mod cycles;
mod facades;
mod files;
mod reading;
mod rules;

use files::source_files;
use reading::{dependencies, words};
use rules::{BANS, DEPENDENCIES, MODULES};

#[test]
fn dependencies_between_modules_go_one_way() {
    assert_none(source_files().iter().flat_map(|(path, text)| dependency_violations(path, text)).collect());
}

#[test]
fn restricted_words_occur_only_in_their_modules() {
    assert_none(source_files().iter().flat_map(|(path, text)| restriction_violations(path, text)).collect());
}

#[test]
fn every_file_starts_with_a_doc_comment() {
    let undocumented = source_files().into_iter().filter(|(_, text)| !text.starts_with("//! "));
    assert_none(undocumented.map(|(path, _)| format!("src/{path}:1: does not start with a `//!` line")).collect());
}

/// Checks the dependencies of a file against [`DEPENDENCIES`]: the rule with the longest matching path applies.
fn dependency_violations(path: &str, text: &str) -> Vec<String> {
    let own = top_module_of(path);
    let rule = DEPENDENCIES.iter().filter(|rule| path.starts_with(rule.from)).max_by_key(|rule| rule.from.len());
    let Some(rule) = rule else {
        return vec![format!("src/{path}: no rule of DEPENDENCIES matches; see the module overview in src/lib.rs")];
    };
    let reached = dependencies(&module_path_of(path), text).into_iter();
    let violating =
        reached.filter(|dependency| dependency.module != own && !rule.to.contains(&dependency.module.as_str()));
    violating
        .map(|dependency| match MODULES.contains(&dependency.module.as_str()) {
            true => format!("src/{path}:{}: {own} depends on {}; {}", dependency.line, dependency.module, rule.because),
            false => format!(
                "src/{path}:{}: {} is not a known module; write the module and the item in it",
                dependency.line, dependency.module
            ),
        })
        .collect()
}

fn restriction_violations(path: &str, text: &str) -> Vec<String> {
    let words = words(text);
    let bans = BANS.iter().filter(|ban| starts_with_any(path, ban.within) && !starts_with_any(path, ban.except));
    bans.flat_map(|ban| {
        let named = words.iter().filter(|(_, word)| ban.words.contains(&word.as_str()));
        named.map(move |(line, word)| format!("src/{path}:{line}: {word} is not allowed here; {}", ban.because))
    })
    .collect()
}

fn starts_with_any(path: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| path.starts_with(beginning))
}

/// `content/write/plan/mod.rs` is `content`, `clock.rs` is `clock`.
fn top_module_of(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap_or_default()
}

/// The module path of a file: `content/write/mod.rs` is `content`, `write`.
fn module_path_of(path: &str) -> Vec<&str> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    if matches!(path, "lib" | "main") { Vec::new() } else { path.split('/').collect() }
}

#[track_caller]
fn assert_none(violations: Vec<String>) {
    assert!(violations.is_empty(), "{} violations:\n{}", violations.len(), violations.join("\n"));
}

#[test]
fn a_forbidden_dependency_is_found_in_every_form() {
    let forms = [
        "use crate::http::router;",
        "use crate::{http::router, store::Key};",
        "use {crate::http};",
        "pub(crate) use crate::{\n    http as server,\n};",
        "fn f() -> crate::http::Router { todo() }",
        "fn f() { vec![crate::http::run()]; }",
        "use super::super::http::router;",
        "use super::super::{http, keys};",
        "use self::super::super::http::router;",
        "use ::tidings::http::router;",
        "mod inner { use super::super::super::http::router; }",
        "macro_rules! m { () => { $crate::http::run() } }",
        "#[cfg(test)]\nmod tests { use tidings::http::run; }",
    ];
    let missed = forms.into_iter().filter(|form| {
        let violations = dependency_violations("content/pages.rs", form);
        !matches!(violations.as_slice(), [one] if one.contains("content depends on http"))
    });
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn comments_strings_and_allowed_paths_are_not_reported() {
    let text = r#"
        //! See [`run`](crate::http::run).
        use super::super::keys::Key;
        use super::http::Client;
        use crate::content::error::{ContentError, Result};
        use crate::store::{Key, Store};
        /* crate::http */
        pub(in crate::content) fn f<'a>() -> &'a str { "use crate::http;" } // crate::http
        mod inner { use super::super::http; use self::http; }
    "#;
    assert_eq!(dependency_violations("content/pages.rs", text), Vec::<String>::new());
}

#[test]
fn a_violation_is_reported_with_its_file_and_line() {
    let violations =
        dependency_violations("model/slug.rs", "//! Slugs.\n\nuse std::fmt;\nuse crate::{clock::Clock};\n");
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert!(violations[0].starts_with("src/model/slug.rs:4: model depends on clock; "), "{violations:?}");
}

#[test]
fn an_unknown_module_is_reported() {
    let unknown = dependency_violations("content/pages.rs", "use crate::utils::join;");
    assert!(unknown[0].contains("utils is not a known module"), "{unknown:?}");
    assert!(dependency_violations("content/pages.rs", "use crate::*;")[0].contains("* is not a known module"));
    assert!(dependency_violations("utils.rs", "")[0].contains("no rule of DEPENDENCIES"));
}

#[test]
fn the_planner_has_stricter_rules_than_its_module() {
    let clock = "use crate::clock::Clock;";
    assert_eq!(dependency_violations("content/write/retry.rs", clock), Vec::<String>::new());
    assert_eq!(dependency_violations("content/write/plan/mod.rs", clock).len(), 1);
    assert_eq!(restriction_violations("content/write/plan/mod.rs", "// async\npub async fn plan() {}").len(), 1);
}

#[test]
fn a_restricted_word_is_reported_only_outside_its_modules() {
    let text = "use redb::Database;\nlet engine = \"redb\";";
    assert_eq!(restriction_violations("store/embedded/open.rs", text), Vec::<String>::new());
    let violations = restriction_violations("store/mod.rs", text);
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert!(violations[0].starts_with("src/store/mod.rs:1: redb is not allowed here"), "{violations:?}");
}

#[test]
fn every_path_in_the_rules_exists() {
    let files = source_files();
    let known = |beginning: &&str| files.iter().any(|(path, _)| path.starts_with(beginning));
    let beginnings = DEPENDENCIES.iter().map(|rule| rule.from);
    let beginnings = beginnings.chain(BANS.iter().flat_map(|ban| ban.within.iter().chain(ban.except).copied()));
    assert_eq!(beginnings.filter(|beginning| !known(beginning)).collect::<Vec<_>>(), Vec::<&str>::new());
}
