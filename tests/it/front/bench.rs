//! `scripts/bench`: its help, its lists and the parts that need no server. The benchmark itself is not a test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use tidings::config::table;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn printed_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(root().join(program)).args(arguments).output().expect("the script runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?}:\n{out}\n{err}");
    out.into_owned()
}

#[test]
fn the_help_of_the_benchmark_names_every_option() {
    let help = printed_by("scripts/bench", &["--help"]);
    let (script, program) = (read("scripts/bench"), read("benches/peers/run/arguments.js"));
    // What the script passes on, and what a user does not give.
    let internal = ["program", "tidings", "folder"];
    let passed = program.lines().filter_map(|line| line.trim().split_once(": { type: ")).map(|(name, _)| name);
    let own = script.lines().filter_map(|line| line.trim().strip_prefix("--")?.split_once(") ")).map(|(name, _)| name);
    let options: BTreeSet<_> = passed.chain(own).filter(|name| !internal.contains(name)).collect();
    assert!(options.len() >= 5, "{options:?}");
    for option in options {
        assert!(help.contains(&format!("scripts/bench --{option}")), "--{option} is not in:\n{help}");
    }
}

#[test]
fn a_wrong_name_is_refused_with_the_known_ones_before_anything_is_built() {
    let output = Command::new(root().join("scripts/bench")).args(["--only", "yogi"]).output().expect("the script runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.starts_with("unknown name yogi; known are tidings-file, "), "{err}");
}

#[test]
fn the_page_on_performance_names_what_the_benchmark_measures() {
    let list = printed_by("scripts/bench", &["--list"]);
    let listed: BTreeSet<&str> = list.lines().filter_map(|line| line.split('\t').next()).collect();
    assert!(listed.len() > 10, "{list}");
    let page = read("docs/performance.md");
    let cells = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let named: BTreeSet<&str> = cells.flat_map(|cell| cell.split(", ")).map(|name| name.trim_matches('`')).collect();
    assert_eq!(named, listed);
}

#[test]
fn the_benchmark_sets_only_settings_that_exist() {
    let variants = read("benches/peers/variants.js") + &read("benches/peers/run/servers.js");
    let words = variants.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let set: BTreeSet<&str> = words.filter(|word| word.starts_with("TIDINGS_")).collect();
    assert!(set.contains("TIDINGS_EDITOR_TOKEN"), "{set:?}");
    let known: BTreeSet<String> = table::all().into_iter().map(|setting| setting.variable()).collect();
    let unknown: Vec<_> = set.into_iter().filter(|name| !known.contains(*name)).collect();
    assert!(unknown.is_empty(), "no setting has these variables: {unknown:?}");
}

#[test]
fn the_parts_of_the_benchmark_do_what_they_say() {
    let output =
        Command::new("node").args(["--test", "benches/peers/tests/parts.test.js"]).current_dir(root()).output();
    let output = output.unwrap_or_else(|error| panic!("node does not run: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
