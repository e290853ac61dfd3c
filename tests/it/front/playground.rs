//! The playground in a real browser, and its build held to its source.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::Example;
use crate::support::command::{Blog, Serving};
use crate::support::node::Package;

const TOKEN: &str = "an-editor-token-of-the-playground-tests";

fn run_in_browser(name: &str, origin: &str) {
    let pictures = pictures().display().to_string();
    let variables = [("ORIGIN", origin), ("TOKEN", TOKEN), ("TIDINGS_SCREENSHOTS", &pictures)];
    Package::at("tests/browser").node(&["--test", "--test-reporter=tap", name], &variables);
}

/// The folder of the checkout that pictures of the page are put into, where one is named.
#[expect(clippy::disallowed_methods, reason = "a test run's own setting")]
fn pictures() -> PathBuf {
    let folder = std::env::var_os("TIDINGS_SCREENSHOTS");
    folder.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap_or_default()
}

#[test]
fn a_visitor_finds_an_answer_examples_that_run_documentation_and_a_place_for_a_token() {
    let example = Example::start(&["--tell-storage"], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    run_in_browser("playground.test.js", &example.origin());
}

#[test]
fn a_server_that_tells_neither_schema_nor_cost_has_a_playground_that_says_so() {
    let example = Example::start(&["--no-introspection"], &[]);
    run_in_browser("playground-bare.test.js", &example.origin());
}

#[test]
fn the_examples_run_on_a_blog_that_has_nothing() {
    let blog = Blog::of(&[]);
    let serving = Serving::start(&["--create", "--store", &blog.store()]);
    run_in_browser("playground-empty.test.js", &format!("http://{}", serving.address));
}

/// By the command of its README, in a folder of its own.
#[test]
fn the_committed_build_is_what_the_source_makes() {
    let package = Package::at("playground");
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("dist");
    package.script("build", &["--outDir", &output.display().to_string()], &[]);
    let (committed, made) = (contents_of(&package.path().join("dist")), contents_of(&output));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&made), "make it anew: npm run build --prefix playground");
    let unlike: Vec<&PathBuf> =
        made.iter().filter(|(name, bytes)| committed[*name] != **bytes).map(|(name, _)| name).collect();
    assert_eq!(unlike, [""; 0].map(Path::new), "make it anew: npm run build --prefix playground");
}

/// The files below a folder, by their paths from there.
fn contents_of(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut folders = vec![root.to_owned()];
    let mut files = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).expect("it is below").to_owned();
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    files
}
