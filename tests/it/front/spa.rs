//! `examples/spa` in a real Chromium: built from source, served by a small file server, and compared with the API. The tests in the browser
//! are in `tests/browser/spa`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use super::Example;
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
fn writers_write_preview_schedule_publish_and_lose_nothing() {
    run_on_one_origin(&["writing"]);
}

#[test]
fn a_conflict_shows_both_texts_and_each_choice_works() {
    run_on_one_origin(&["conflicts"]);
}

#[test]
fn every_view_is_accessible_in_light_and_dark_and_fits_a_phone() {
    run_on_one_origin(&["views"]);
}

#[test]
fn a_site_on_another_origin_reads_and_writes_by_cors() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = Site::start(&folder, None);
    let example = Example::start(&["--cors-origin", &site.origin], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    build(&folder, &[("VITE_TIDINGS_URL", &example.origin())]);
    run(&["elsewhere"], &site, &example);
}

/// The site forwards `/graphql` and the feeds to the server, like a proxy in front of both.
fn run_on_one_origin(subjects: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let example = Example::start(&["--site-url", "https://blog.example/"], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let site = Site::start(&folder, Some(&example.origin()));
    build(&folder, &[]);
    run(subjects, &site, &example);
}

fn build(folder: &TempDir, variables: &[(&str, &str)]) {
    let out = folder.path().to_str().expect("a path in UTF-8");
    script("build", &["--outDir", out, "--emptyOutDir"], variables);
}

/// Runs a script of its package.json. A lock lets only one run at a time, because each writes the generated types into the same folder.
fn script(name: &str, arguments: &[&str], variables: &[(&str, &str)]) {
    let package = Package::at("examples/spa");
    let lock = File::create(package.path().join("node_modules/.building")).expect("a file");
    lock.lock().expect("a lock");
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
    fn start(folder: &TempDir, server: Option<&str>) -> Self {
        let mut command = Command::new("node");
        command.arg("site.js").arg(folder.path()).args(server).current_dir(Package::at("tests/browser").path());
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
