//! The rooms of `src/`: which may reach into which, and what may not be named where. The map in `src/lib.rs` says why; this holds the
//! code to it, and names each line that breaks it.

mod files;
mod reading;
mod rules;

use files::source_files;
use reading::{arrows, words};
use rules::{ARROWS, BANS, ROOMS};

/// A file that is longer holds two subjects (style: two subjects are two files).
const LINES_MAX: usize = 400;

#[test]
fn arrows_between_rooms_go_one_way() {
    assert_none(source_files().iter().flat_map(|(path, text)| arrow_offences(path, text)).collect());
}

#[test]
fn nothing_is_named_where_it_has_no_place() {
    assert_none(source_files().iter().flat_map(|(path, text)| ban_offences(path, text)).collect());
}

#[test]
fn every_file_opens_with_what_it_is_for() {
    let silent = source_files().into_iter().filter(|(_, text)| !text.starts_with("//! "));
    assert_none(silent.map(|(path, _)| format!("src/{path}:1: opens without a `//!` line")).collect());
}

#[test]
fn no_file_is_too_long_to_read() {
    let lengths = source_files().into_iter().map(|(path, text)| (path, text.lines().count()));
    let long = lengths.filter(|(_, lines)| *lines > LINES_MAX);
    assert_none(long.map(|(path, lines)| format!("src/{path}: {lines} lines, {LINES_MAX} at the most")).collect());
}

/// What `file` reaches into, against [`ARROWS`]: the line of the longest path that the file begins with is the one that counts.
fn arrow_offences(path: &str, text: &str) -> Vec<String> {
    let own = room_of(path);
    let rule = ARROWS.iter().filter(|rule| path.starts_with(rule.from)).max_by_key(|rule| rule.from.len());
    let Some(rule) = rule else {
        return vec![format!("src/{path}: no line of ARROWS says what it may reach; see the map in src/lib.rs")];
    };
    let reached = arrows(&module_of(path), text).into_iter();
    let offending = reached.filter(|arrow| arrow.room != own && !rule.to.contains(&arrow.room.as_str()));
    offending
        .map(|arrow| match ROOMS.contains(&arrow.room.as_str()) {
            true => format!("src/{path}:{}: {own} reaches into {}; {}", arrow.line, arrow.room, rule.because),
            false => format!("src/{path}:{}: {} is no room; name the room and what is in it", arrow.line, arrow.room),
        })
        .collect()
}

fn ban_offences(path: &str, text: &str) -> Vec<String> {
    let words = words(text);
    let bans = BANS.iter().filter(|ban| begins_with_any(path, ban.within) && !begins_with_any(path, ban.except));
    bans.flat_map(|ban| {
        let named = words.iter().filter(|(_, word)| ban.words.contains(&word.as_str()));
        named.map(move |(line, word)| format!("src/{path}:{line}: {word} has no place here; {}", ban.because))
    })
    .collect()
}

fn begins_with_any(path: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| path.starts_with(beginning))
}

/// `content/write/plan/mod.rs` is `content`, `clock.rs` is `clock`.
fn room_of(path: &str) -> &str {
    path.split(['/', '.']).next().unwrap_or_default()
}

/// The modules from the crate's root to the file: of `content/write/mod.rs`, `content` and `write`.
fn module_of(path: &str) -> Vec<&str> {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    if matches!(path, "lib" | "main") { Vec::new() } else { path.split('/').collect() }
}

#[track_caller]
fn assert_none(offences: Vec<String>) {
    assert!(offences.is_empty(), "{} to mend:\n{}", offences.len(), offences.join("\n"));
}

#[test]
fn an_arrow_the_wrong_way_is_found_in_every_form() {
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
        let offences = arrow_offences("content/pages.rs", form);
        !matches!(offences.as_slice(), [one] if one.contains("content reaches into http"))
    });
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&str>::new());
}

#[test]
fn what_is_no_arrow_is_let_pass() {
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
    assert_eq!(arrow_offences("content/pages.rs", text), Vec::<String>::new());
}

#[test]
fn an_arrow_is_told_with_its_file_and_line() {
    let offences = arrow_offences("model/slug.rs", "//! Slugs.\n\nuse std::fmt;\nuse crate::{clock::Clock};\n");
    assert_eq!(offences.len(), 1, "{offences:?}");
    assert!(offences[0].starts_with("src/model/slug.rs:4: model reaches into clock; "), "{offences:?}");
}

#[test]
fn a_room_that_the_map_does_not_have_is_found() {
    assert!(arrow_offences("content/pages.rs", "use crate::utils::join;")[0].contains("utils is no room"));
    assert!(arrow_offences("content/pages.rs", "use crate::*;")[0].contains("* is no room"));
    assert!(arrow_offences("utils.rs", "")[0].contains("no line of ARROWS"));
}

#[test]
fn the_planner_is_held_to_more_than_its_room() {
    let clock = "use crate::clock::Clock;";
    assert_eq!(arrow_offences("content/write/retry.rs", clock), Vec::<String>::new());
    assert_eq!(arrow_offences("content/write/plan/mod.rs", clock).len(), 1);
    assert_eq!(ban_offences("content/write/plan/mod.rs", "// async\npub async fn plan() {}").len(), 1);
}

#[test]
fn a_word_out_of_its_place_is_found_and_one_in_its_place_is_not() {
    let text = "use redb::Database;\nlet engine = \"redb\";";
    assert_eq!(ban_offences("store/embedded/open.rs", text), Vec::<String>::new());
    let offences = ban_offences("store/mod.rs", text);
    assert_eq!(offences.len(), 1, "{offences:?}");
    assert!(offences[0].starts_with("src/store/mod.rs:1: redb has no place here"), "{offences:?}");
}

#[test]
fn the_rules_name_what_there_is() {
    let files = source_files();
    let known = |beginning: &&str| files.iter().any(|(path, _)| path.starts_with(beginning));
    let beginnings = ARROWS.iter().map(|rule| rule.from);
    let beginnings = beginnings.chain(BANS.iter().flat_map(|ban| ban.within.iter().chain(ban.except).copied()));
    assert_eq!(beginnings.filter(|beginning| !known(beginning)).collect::<Vec<_>>(), Vec::<&str>::new());
}
