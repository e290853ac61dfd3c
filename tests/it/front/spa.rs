//! `examples/spa` in a real Chromium: built from source, served by a small file server, and compared with the API. The tests in the browser
//! are in `tests/browser/spa`.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::{Example, building};
use crate::support::folder::contents_of;
use crate::support::node::Package;

const TOKEN: &str = "the-editors-token-of-these-tests";

#[test]
fn the_spa_passes_its_type_check_and_its_lint() {
    script("check", &[], &[]);
}

#[test]
fn readers_find_every_post_in_every_view() {
    run_on_one_origin(&["lists", "posts", "screenshots"]);
}

#[test]
fn readers_search_while_they_type_and_follow_the_correction_of_a_misspelt_word() {
    run_on_one_origin(&["search"]);
}

#[test]
fn every_view_is_accessible_in_light_and_dark_and_fits_a_phone() {
    run_on_one_origin(&["views"]);
}

#[test]
fn readers_change_to_each_translation_and_find_a_list_and_a_feed_for_each_language() {
    let variables = [("TIDINGS_EDITOR_TOKEN", TOKEN), ("TIDINGS_SITE_LANGUAGE", "en")];
    let example = Example::of("examples/languages", &["--site-url", "https://blog.example/"], &variables);
    let site = Site::start(&built(), Some(&example.origin()));
    run(&["languages"], &site, &example);
}

#[test]
fn a_site_on_another_origin_reads_and_writes_by_cors() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = Site::start(folder.path(), None);
    let example = Example::start(&["--cors-origin", &site.origin], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let out = folder.path().to_str().expect("a path in UTF-8");
    script("build", &["--outDir", out, "--emptyOutDir"], &[("VITE_TIDINGS_URL", &example.origin())]);
    run(&["elsewhere"], &site, &example);
}

/// The site forwards `/graphql` and the feeds to the server, like a proxy in front of both.
fn run_on_one_origin(subjects: &[&str]) {
    let variables = [("TIDINGS_EDITOR_TOKEN", TOKEN), ("TIDINGS_SITE_NAVIGATION", super::MENU)];
    let example = Example::start(&["--site-url", "https://blog.example/"], &variables);
    let site = Site::start(&built(), Some(&example.origin()));
    run(subjects, &site, &example);
}

/// The built site. Each test is a process of its own, so the first one leaves its build for the others, below the hash of what it was built from.
fn built() -> PathBuf {
    let package = Package::at("examples/spa");
    let _building = building(&package);
    let mut sources = DefaultHasher::new();
    for (name, contents) in contents_of(&package.path().join("src")) {
        if !name.starts_with("gql") {
            (name, contents).hash(&mut sources);
        }
    }
    for name in ["index.html", "package-lock.json", "vite.config.ts", "codegen.ts", "../../schema.graphql"] {
        fs::read(package.path().join(name)).expect("a file").hash(&mut sources);
    }
    contents_of(&package.path().join("public")).hash(&mut sources);
    let builds = package.path().join("node_modules/.built");
    let built = builds.join(format!("{:x}", sources.finish()));
    if !built.is_dir() {
        let _ = fs::remove_dir_all(&builds);
        let unfinished = builds.join("unfinished");
        let out = unfinished.to_str().expect("a path in UTF-8");
        package.script("build", &["--outDir", out, "--emptyOutDir"], &[]);
        fs::rename(&unfinished, &built).expect("the same disk");
    }
    built
}

fn script(name: &str, arguments: &[&str], variables: &[(&str, &str)]) {
    let package = Package::at("examples/spa");
    let _building = building(&package);
    package.script(name, arguments, variables);
}

fn run(subjects: &[&str], site: &Site, example: &Example) {
    let files: Vec<String> = subjects.iter().map(|subject| format!("spa/{subject}.test.js")).collect();
    let mut arguments = vec!["--test", "--test-concurrency=1"];
    arguments.extend(files.iter().map(String::as_str));
    let server = example.origin();
    let variables = [("TIDINGS_SITE", site.origin.as_str()), ("TIDINGS_SERVER", &server), ("TIDINGS_TOKEN", TOKEN)];
    Package::at("tests/browser").node(&arguments, &variables);
}

/// A server of the built files.
struct Site {
    child: Child,
    origin: String,
}

impl Site {
    fn start(folder: &Path, server: Option<&str>) -> Self {
        let mut command = Command::new("node");
        command.arg("site.js").arg(folder).args(server).current_dir(Package::at("tests/browser").path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("node runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let origin = line.trim_end().strip_prefix("Listening on ").expect("where it listens").to_owned();
        Self { child, origin }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
