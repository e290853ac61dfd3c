//! The version of Node.js that README.md names. The rule: it is the one that the app asks for, and every package of both examples accepts it, so that
//! `npm ci` prints no warning.

use std::fs;

use serde_json::Value;

use super::root;

type Version = [u64; 3];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `22`, `22.15`, `22.15.0` or `22.*`; what is left out is 0. `None`: another notation, such as `22.x`.
fn version(text: &str) -> Option<Version> {
    let mut version = [0; 3];
    let mut parts = text.trim().split('.');
    for (number, part) in version.iter_mut().zip(&mut parts) {
        *number = if part == "*" { 0 } else { part.parse().ok()? };
    }
    parts.next().is_none().then_some(version)
}

/// Whether one of the alternatives of a range (`^20.19.0 || >=22.12.0`) accepts the version. An alternative in another notation accepts nothing.
fn accepts(range: &str, node: Version) -> bool {
    range.split("||").map(str::trim).any(|alternative| {
        if alternative == "*" {
            return true;
        }
        if let Some(least) = alternative.strip_prefix(">=") {
            return version(least).is_some_and(|least| node >= least);
        }
        // For Node.js, whose major version is never 0, `^22.1` and a plain `22` are the same major version.
        let caret = alternative.strip_prefix('^').unwrap_or(alternative);
        let is_major = alternative.starts_with('^') || !alternative.contains('.');
        version(caret).is_some_and(|least| is_major && node[0] == least[0] && node >= least)
    })
}

/// Every `Node.js X or later` of a page.
fn named(page: &str) -> Vec<String> {
    let text = read(page);
    let after = text.split("Node.js ").skip(1).filter_map(|rest| rest.split_once(" or later"));
    let versions = after.map(|(version, _)| version).filter(|text| version(text).is_some());
    versions.map(str::to_owned).collect()
}

#[test]
fn the_pages_name_the_version_of_node_that_every_package_of_the_examples_accepts() {
    let example = json("examples/spa/package.json");
    let range = example["engines"]["node"].as_str().expect("a range").to_owned();
    let least = range.strip_prefix(">=").expect("a least version");
    for page in ["README.md", "docs/contributing.md", "CONTRIBUTING.md"] {
        let versions = named(page);
        assert!(!versions.is_empty(), "{page} names no version of Node.js");
        assert!(versions.iter().all(|version| version == least), "{page} names {versions:?}, the example {least}");
    }

    let node = version(least).expect("a version");
    for example in ["examples/spa", "examples/astro"] {
        let range = json(&format!("{example}/package.json"))["engines"]["node"].clone();
        let lock = json(&format!("{example}/package-lock.json"));
        let packages = lock["packages"].as_object().expect("the packages");
        assert_eq!(packages[""]["engines"]["node"], range, "run npm install in {example}");
        let refused: Vec<_> = packages
            .iter()
            .filter_map(|(name, package)| Some((name, package["engines"]["node"].as_str()?)))
            .filter(|(_, range)| !accepts(range, node))
            .collect();
        assert!(refused.is_empty(), "Node.js {least} is too old for these packages of {example}: {refused:?}");
    }
}

#[test]
fn a_range_accepts_what_npm_says() {
    for range in [
        "*",
        ">=22.15.0",
        ">= 4",
        "6.* || >= 10.*",
        "^20.19.0 || >=22.12.0",
        ">=23.5.0 || ^22.13.0 || ^20.17.0",
        "18 || 20 || 22",
    ] {
        assert!(accepts(range, [22, 15, 0]), "{range}");
    }
    for range in [">=22.15.1", ">=23", "^20.19.0 || ^22.16.0", "18 || 20", "22.14.0", "6.*"] {
        assert!(!accepts(range, [22, 15, 0]), "{range}");
    }
}
