//! The table in docs/operating.md of what a client can make the server hold: every setting and every test that the table names exists.

use std::collections::BTreeSet;
use std::path::Path;

use tidings::config::table;

use super::root;

/// The cells of each row, without those of the head.
fn rows() -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(root().join("docs/operating.md")).expect("the page");
    let (_, section) = page.split_once("\n## What a client can make the server hold\n").expect("the section");
    let lines = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The name of each function below a folder.
fn functions(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the checkout").flatten() {
        let path = entry.path();
        if path.is_dir() {
            functions(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a file of the checkout");
            let names = text.lines().filter_map(|line| line.split_once("fn ")?.1.split_once('('));
            found.extend(names.map(|(name, _)| name.to_owned()));
        }
    }
}

#[test]
fn every_bound_names_settings_and_tests_that_exist() {
    let mut known = BTreeSet::new();
    ["src", "crates", "tests/it"].iter().for_each(|folder| functions(&root().join(folder), &mut known));
    let settings: BTreeSet<&str> = table::all().iter().map(|setting| setting.key).collect();
    let rows = rows();
    assert!(rows.len() > 20, "{rows:?}");
    for row in &rows {
        let [resource, bound, setting, _, tests] = row.as_slice() else { panic!("not five cells: {row:?}") };
        assert!(!bound.is_empty(), "{resource} has no bound");
        assert!(setting == "none" || quoted(setting).next().is_some(), "{resource}: {setting}");
        for key in quoted(setting).filter(|key| !key.contains('…')) {
            assert!(settings.contains(key), "{resource}: there is no setting {key}");
        }
        assert!(quoted(tests).next().is_some(), "{resource} has no test");
        for test in quoted(tests) {
            assert!(known.contains(test), "{resource}: there is no test {test}");
        }
    }
}
