//! `examples/astro`: built from a server of the example blog, and read file by file and in a real Chromium. The tests of the files are in
//! `tests/browser/astro`.

use std::process::Command;

use super::{Example, building};
use crate::support::command::{Blog, Serving};
use crate::support::node::Package;
use crate::support::random::{rebuilds, report_seed_on_failure, seeds};

const TOKEN: &str = "the-editors-token-of-these-tests";

/// The site as its server knows it.
const SITE: [(&str, &str); 5] = [
    ("TIDINGS_SITE_URL", "https://blog.example/"),
    ("TIDINGS_SITE_NAME", "The Lighthouse Log"),
    ("TIDINGS_SITE_DESCRIPTION", "Notes from a small observatory in a retired lighthouse, where there is also soup."),
    ("TIDINGS_SITE_LANGUAGE", "en-GB"),
    ("TIDINGS_SITE_NAVIGATION", super::MENU),
];

#[test]
fn the_astro_site_passes_its_type_check() {
    let package = Package::at("examples/astro");
    let _building = building(&package);
    package.script("check", &[], &[]);
}

#[test]
fn the_astro_site_has_every_post_link_feed_picture_and_a_search_page_and_is_accessible() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = folder.path().join("dist").display().to_string();
    let example = Example::start(&["--cors-origin", "*"], &SITE);
    let server = example.origin();
    build(&files, &[("TIDINGS_URL", &server), ("TIDINGS_SEARCH_URL", &format!("{server}/"))]);
    let pictures = super::playground::pictures().display().to_string();
    let variables =
        [("TIDINGS_FILES", files.as_str()), ("TIDINGS_SERVER", &server), ("TIDINGS_SCREENSHOTS", &pictures)];
    let tests =
        ["--test", "--test-concurrency=1", "astro/files.test.js", "astro/views.test.js", "astro/search.test.js"];
    Package::at("tests/browser").node(&tests, &variables);
}

#[test]
fn an_astro_site_in_three_languages_leads_to_each_translation_and_has_a_list_and_a_feed_for_each_language() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = folder.path().join("dist").display().to_string();
    let settings = [&SITE[..3], &[("TIDINGS_SITE_LANGUAGE", "en")]].concat();
    let example = Example::of("examples/languages", &[], &settings);
    let server = example.origin();
    build(&files, &[("TIDINGS_URL", &server)]);
    let variables = [("TIDINGS_FILES", files.as_str()), ("TIDINGS_SERVER", &server)];
    Package::at("tests/browser").node(&["--test", "astro/languages.test.js"], &variables);
}

#[test]
fn a_partial_astro_build_is_a_whole_one_after_each_random_change() {
    let (changes, builds) = rebuilds();
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let files = folder.path().join("dist").display().to_string();
        let example = Example::start(&[], &[&SITE[..], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]].concat());
        let (server, seed) = (example.origin(), seed.to_string());
        let variables = [
            ("TIDINGS_URL", server.as_str()),
            ("TIDINGS_TOKEN", TOKEN),
            ("TIDINGS_FILES", &files),
            ("TIDINGS_SEED", &seed),
            ("TIDINGS_CHANGES", &changes),
            ("TIDINGS_BUILDS", &builds),
        ];
        let _building = building(&Package::at("examples/astro"));
        print!("{}", Package::at("tests/browser").node(&["--test", "astro/partial.test.js"], &variables));
    }
}

fn build(files: &str, variables: &[(&str, &str)]) {
    let package = Package::at("examples/astro");
    let _building = building(&package);
    package.script("build", &["--outDir", files], variables);
}

#[test]
fn an_astro_build_without_a_server_or_an_address_of_the_site_stops_with_the_reason() {
    let blog = Blog::of(&[]);
    let serving = Serving::start(&["--create", "--store", &blog.store()]);
    let origin = format!("http://{}", serving.address);
    let refused = refused_build(&origin);
    assert!(refused.contains("start it with --site-url https://blog.example/ (site.url)"), "{refused}");
    assert_eq!(serving.stop().0, Some(0));
    let refused = refused_build(&origin);
    assert!(refused.contains(&format!("No Tidings server answers at {origin}. Start it")), "{refused}");
}

/// What a build prints that must not succeed.
fn refused_build(origin: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let package = Package::at("examples/astro");
    let _building = building(&package);
    let mut command = Command::new("npm");
    command.args(["run", "--silent", "build", "--", "--outDir"]).arg(folder.path().join("dist"));
    let output = command.env("TIDINGS_URL", origin).env("NO_COLOR", "1").current_dir(package.path()).output();
    let output = output.expect("npm runs");
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(!output.status.success(), "{printed}");
    printed
}
