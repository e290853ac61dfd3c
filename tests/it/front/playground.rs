//! The playground in a real browser, and the comparison of its committed build with its source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Example;
use crate::support::command::{Blog, Serving};
use crate::support::folder::contents_of;
use crate::support::node::Package;

const TOKEN: &str = "an-editor-token-of-the-playground-tests";

fn run_in_browser(name: &str, origin: &str) {
    let pictures = pictures().display().to_string();
    let variables = [("ORIGIN", origin), ("TOKEN", TOKEN), ("TIDINGS_SCREENSHOTS", &pictures)];
    Package::at("tests/browser").node(&["--test", "--test-reporter=tap", name], &variables);
}

/// The folder of the checkout for screenshots, if `TIDINGS_SCREENSHOTS` names one; otherwise empty.
#[expect(clippy::disallowed_methods, reason = "a test run's own setting")]
pub(super) fn pictures() -> PathBuf {
    let folder = std::env::var_os("TIDINGS_SCREENSHOTS");
    folder.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap_or_default()
}

#[test]
fn the_playground_runs_examples_shows_documentation_and_accepts_a_token() {
    let example = Example::start(&[], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    run_in_browser("playground.test.js", &example.origin());
}

/// Without cached values each query reads the storage, however often it ran before.
#[test]
fn the_playground_draws_the_plan_of_a_query() {
    let settings = [
        ("TIDINGS_EDITOR_TOKEN", TOKEN),
        ("TIDINGS_LIMITS_VALUE_CACHE_BYTES", "0"),
        ("TIDINGS_LIMITS_STORAGE_REQUESTS", "1000"),
    ];
    let example = Example::start(&[], &settings);
    run_in_browser("plan.test.js", &example.origin());
}

#[test]
fn the_figures_behind_the_plan_are_right() {
    run_in_browser("plan-layout.test.js", "");
}

#[test]
fn a_playground_without_introspection_and_cost_says_so() {
    let example = Example::start(&["--no-introspection", "--report-storage=false"], &[]);
    run_in_browser("playground-bare.test.js", &example.origin());
}

#[test]
fn the_examples_run_on_an_empty_blog() {
    let blog = Blog::of(&[]);
    let serving = Serving::start(&["--create", "--store", &blog.store()]);
    run_in_browser("playground-empty.test.js", &format!("http://{}", serving.address));
}

/// Builds it with the command of its README, in a temporary folder.
#[test]
fn the_committed_build_equals_a_new_build() {
    let package = Package::at("playground");
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("dist");
    package.script("build", &["--outDir", &output.display().to_string()], &[]);
    let (committed, built) = (contents_of(&package.path().join("dist")), contents_of(&output));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&built), "build it again: npm run build --prefix playground");
    let differing: Vec<&PathBuf> =
        built.iter().filter(|(name, bytes)| committed[*name] != **bytes).map(|(name, _)| name).collect();
    assert_eq!(differing, [""; 0].map(Path::new), "build it again: npm run build --prefix playground");
}
