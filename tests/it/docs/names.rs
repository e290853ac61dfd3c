//! The names that the project cites: invariants, budgets and rules (a letter and a number), tests, and files. The rule: `docs/design.md` defines
//! every cited name, every definition is cited or names the tests that guard it, and every test and file that a comment or page names exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use super::{pages, root, words};

/// The page that defines the names.
const PAGE: &str = "docs/design.md";
/// Where names are cited.
const CITED_IN: &[&str] = &["README.md", "benches", "docs", "scripts", "src", "tests"];
/// This file has made-up names.
const THIS_FILE: &str = "tests/it/docs/names.rs";
/// Folders of the repository: a word that starts with one of them and a slash is a path.
const FOLDERS: &[&str] =
    &[".ci", "benches", "docs", "examples", "fuzz", "packaging", "playground", "scripts", "src", "tests"];
/// The most files that somebody opens to follow one read or one write.
const PATH_FILES_MAX: usize = 20;
/// A name with so many underscores, on a page, is the name of a test. Metrics begin with `tidings_`.
const TEST_UNDERSCORES_MIN: usize = 5;

/// A file, a word in it that looks like a path, and what it is.
const NOT_PATHS: &[(&str, &str, &str)] = &[
    ("docs/clients.md", "src/main/graphql/schema.graphqls", "a path in the reader's own project"),
    ("docs/moving.md", "content/blog", "a folder of a site that Zola generates"),
    ("docs/moving.md", "content/images", "a folder of a Ghost server"),
    ("docs/moving.md", "content/posts", "a folder of a site that Hugo generates"),
    ("docs/moving.md", "src/content/blog", "a folder of a site that Astro generates"),
];

struct Definition {
    text: String,
    reason: String,
    /// The tests that guard it, or modules of tests.
    tests: Vec<String>,
}

/// The names of this form in a text: `I`, `B`, `L`, `N` or `W`, one or two digits, and at the most one small letter.
fn cited_names(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| is_name(word)).collect()
}

fn is_name(word: &str) -> bool {
    let Some(rest) = word.strip_prefix(['I', 'B', 'L', 'N', 'W']) else { return false };
    let digits = rest.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(rest);
    (1..=2).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_digit())
}

/// The rows `| **name** | definition | reason | tests |`.
fn definitions(page: &str) -> BTreeMap<String, Definition> {
    let mut found = BTreeMap::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("| **")) {
        let Some((name, rest)) = row.split_once("** | ").filter(|(name, _)| is_name(name)) else { continue };
        let cells: Vec<&str> = rest.trim_end_matches('|').split(" | ").map(str::trim).collect();
        let [text, reason, tests] = cells[..] else { panic!("{name} has {} cells after its name, not 3", cells.len()) };
        let tests = code_spans(tests).map(str::to_owned).collect();
        let definition = Definition { text: text.to_owned(), reason: reason.to_owned(), tests };
        assert!(found.insert(name.to_owned(), definition).is_none(), "{name} is defined twice");
    }
    found
}

/// The lines of a page outside of its code blocks, each with its number.
fn prose(page: &str) -> Vec<(usize, &str)> {
    let mut in_block = false;
    let outside = page.lines().zip(1..).filter(|(line, _)| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        !is_fence && !in_block
    });
    outside.map(|(line, number)| (number, line)).collect()
}

/// The texts between backticks.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The searched files below these folders, each with its path and text.
fn texts(within: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for path in words::files() {
        let name = path.strip_prefix(root()).expect("a file of the project").display().to_string();
        let is_within = within.iter().any(|folder| Path::new(&name).starts_with(folder));
        if is_within && name != THIS_FILE {
            found.extend(fs::read_to_string(&path).ok().map(|text| (name, text)));
        }
    }
    assert!(found.len() > 30, "only {} files were found in {within:?}", found.len());
    found
}

#[test]
fn every_cited_name_is_defined_in_the_design() {
    let defined = definitions(&read(PAGE));
    let mut bad = Vec::new();
    for (file, text) in texts(CITED_IN) {
        for (number, line) in text.lines().enumerate() {
            let undefined = cited_names(line).into_iter().filter(|name| !defined.contains_key(*name));
            bad.extend(undefined.map(|name| format!("{file}:{}: {name}", number + 1)));
        }
    }
    assert!(bad.is_empty(), "define these names in {PAGE}, as rows of its tables:\n{}", bad.join("\n"));
}

#[test]
fn every_defined_name_is_cited_or_guarded_and_has_a_reason() {
    let texts = texts(CITED_IN);
    let others = texts.iter().filter(|(file, _)| file != PAGE);
    let cited: BTreeSet<&str> = others.flat_map(|(_, text)| cited_names(text)).collect();
    let defined = definitions(&read(PAGE));
    assert!(defined.len() > 20, "only {} names are defined", defined.len());
    for (name, definition) in defined {
        assert!(!definition.text.is_empty() && !definition.reason.is_empty(), "{name} has no definition or no reason");
        let is_needed = cited.contains(&*name) || !definition.tests.is_empty();
        assert!(is_needed, "{name} is neither cited nor guarded by a test");
    }
}

/// The names of all tests of this binary, as nextest prints them.
fn tests() -> BTreeSet<String> {
    let listed =
        Command::new(env::current_exe().expect("this binary")).arg("--list").output().expect("a list of tests");
    let listed = String::from_utf8(listed.stdout).expect("UTF-8");
    listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

/// Whether a test or a module of tests has this name, or a test ends with it.
fn is_test(name: &str, tests: &BTreeSet<String>) -> bool {
    if name.contains("::") {
        let module = format!("{name}::");
        return tests.contains(name) || tests.iter().any(|test| test.starts_with(&module));
    }
    tests.iter().any(|test| test.rsplit("::").next() == Some(name))
}

/// The tests that a line of a page names: in the design every name with `::`, on other pages those that begin with a module of tests; and every
/// long name in snake case.
fn named_tests<'line>(page: &str, line: &'line str, modules: &BTreeSet<&str>) -> Vec<&'line str> {
    let is_snake = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c));
    let is_long = |name: &str| name.matches('_').count() >= TEST_UNDERSCORES_MIN && !name.starts_with("tidings_");
    let is_of_tests = |name: &str| match name.split_once("::") {
        Some((module, _)) => page == PAGE || modules.contains(module),
        None => is_long(name),
    };
    code_spans(line).filter(|name| is_snake(name) && is_of_tests(name)).collect()
}

#[test]
fn every_test_that_a_page_names_exists() {
    let tests = tests();
    assert!(tests.len() > 500, "only {} tests were listed", tests.len());
    // A module of the source has the name of a module of tests: only these pages name tests by their modules.
    let modules: BTreeSet<&str> = ["proof", "write", "repair", "import", "graphql"].into();
    let in_model = read("tests/model/main.rs") + &read("tests/model/feed.rs");
    let in_source: String = texts(&["src"]).into_iter().map(|(_, text)| text).collect();
    let mut bad = Vec::new();
    let mut count = 0;
    for page in pages().into_iter().filter(|page| page != "CHANGELOG.md") {
        for (number, line) in prose(&read(&page)) {
            for name in named_tests(&page, line, &modules) {
                let function = format!("fn {name}(");
                count += 1;
                if !is_test(name, &tests) && !in_model.contains(&function) && !in_source.contains(&function) {
                    bad.push(format!("{page}:{number}: {name}"));
                }
            }
        }
    }
    assert!(count > 50, "only {count} names of tests were found");
    assert!(bad.is_empty(), "no tests have these names:\n{}", bad.join("\n"));
}

#[test]
fn the_paths_of_one_read_and_one_write_have_at_most_20_files() {
    let page = read(PAGE);
    for heading in ["The path of one read", "The path of one write"] {
        let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the section");
        let items = section.lines().filter(|line| line.split_once(". `").is_some_and(|(n, _)| n.parse::<u8>().is_ok()));
        let files: Vec<&str> = items.filter_map(|line| code_spans(line).next()).collect();
        assert!((5..=PATH_FILES_MAX).contains(&files.len()), "{heading} has {} files", files.len());
        for file in files {
            assert!(root().join("src").join(file).is_file(), "{heading}: src/{file} does not exist");
        }
    }
}

/// The comments of a Rust file, each with the number of its line.
fn comments(text: &str) -> Vec<(usize, String)> {
    let comment = |line: &str| match line.trim_start().strip_prefix("//") {
        Some(comment) => Some(comment.to_owned()),
        None => line.split_once(" // ").map(|(_, comment)| comment.to_owned()),
    };
    text.lines().zip(1..).filter_map(|(line, number)| Some((number, comment(line)?))).collect()
}

/// The words of a line that look like a path of the repository: below one of its folders, with the ending of a Rust file, or between backticks
/// and below a module of `src`.
fn paths_in<'line>(line: &'line str, modules: &BTreeSet<String>) -> BTreeSet<&'line str> {
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
    let starts =
        |word: &str, folders: &dyn Fn(&str) -> bool| word.split_once('/').is_some_and(|(first, _)| folders(first));
    let between = |c: char| c.is_whitespace() || "`()[]{}<>\"'“”,;:|*=#".contains(c);
    let all = line.split(between).map(|word| word.trim_end_matches(['.', '/'])).filter(|word| is_plain(word));
    let is_path = |word: &&str| {
        let is_rust = word.strip_suffix(".rs").is_some_and(|stem| !stem.is_empty() && !stem.starts_with(['.', '/']));
        is_rust || starts(word, &|first| FOLDERS.contains(&first))
    };
    let short = code_spans(line).filter(|span| is_plain(span) && starts(span, &|first| modules.contains(first)));
    all.filter(is_path).chain(short).filter(|word| !word.contains("node_modules")).collect()
}

/// What exists in the repository.
struct Checkout {
    /// The Rust files.
    files: Vec<String>,
    /// The folders below `src`.
    modules: BTreeSet<String>,
}

impl Checkout {
    fn read() -> Self {
        let files: Vec<String> = texts(FOLDERS).into_iter().map(|(file, _)| file).collect();
        let folders = files.iter().filter_map(|file| file.strip_prefix("src/")?.split_once('/'));
        let modules = folders.map(|(folder, _)| folder.to_owned()).collect();
        Self { files, modules }
    }

    /// Whether a path exists: from the root; below `src`, if it starts with a module of `src`; otherwise as the end of the path of a file.
    fn has(&self, path: &str) -> bool {
        let first = path.split('/').next().unwrap_or_default();
        let below_src = root().join("src").join(path);
        if FOLDERS.contains(&first) && path.contains('/') {
            return root().join(path).exists();
        }
        if path.contains('/') && self.modules.contains(first) {
            return below_src.exists() || below_src.with_extension("rs").is_file();
        }
        let end = format!("/{path}");
        THIS_FILE.ends_with(&end) || self.files.iter().any(|file| file.ends_with(&end)) || root().join(path).exists()
    }
}

#[test]
fn every_path_in_comments_and_pages_exists() {
    let checkout = Checkout::read();
    let (mut bad, mut used, mut count) = (Vec::new(), BTreeSet::new(), 0);
    let sources = texts(&["src", "tests"]).into_iter().filter(|(file, _)| file.ends_with(".rs"));
    let mut lines: Vec<(String, usize, String)> = Vec::new();
    for (file, text) in sources {
        lines.extend(comments(&text).into_iter().map(|(number, line)| (file.clone(), number, line)));
    }
    for page in pages().into_iter().filter(|page| page.starts_with("docs/") || page == "README.md") {
        lines.extend(prose(&read(&page)).into_iter().map(|(number, line)| (page.clone(), number, line.to_owned())));
    }
    for (file, number, line) in lines {
        for path in paths_in(&line, &checkout.modules) {
            count += 1;
            match NOT_PATHS.iter().find(|(of, word, _)| *of == file && *word == path) {
                Some(exception) => drop(used.insert(exception)),
                None if checkout.has(path) => {}
                None => bad.push(format!("{file}:{number}: {path}")),
            }
        }
    }
    assert!(count > 100, "only {count} paths were found");
    assert!(bad.is_empty(), "these files do not exist:\n{}", bad.join("\n"));
    let unused: Vec<_> = NOT_PATHS.iter().filter(|exception| !used.contains(exception)).collect();
    assert!(unused.is_empty(), "exceptions that no file needs any more: {unused:?}");
}

#[test]
fn made_up_names_are_found() {
    assert_eq!(cited_names("See I99, (W4), B1a and `I5` to I7."), ["I99", "W4", "B1a", "I5", "I7"]);
    assert_eq!(cited_names("W3C, I, B123, UI1, I1_x, B1ab"), Vec::<&str>::new());
    let defined = definitions("| **I1** | A rule. | A reason. | `proof::readers` |\n| **name** | x |");
    assert_eq!(defined.keys().collect::<Vec<_>>(), ["I1"]);
    assert_eq!(defined["I1"].tests, ["proof::readers"]);

    let tests = BTreeSet::from(["proof::readers::a_post".to_owned()]);
    assert!(
        is_test("proof::readers", &tests) && is_test("proof::readers::a_post", &tests) && is_test("a_post", &tests)
    );
    assert!(!is_test("proof::reader", &tests) && !is_test("proof::readers::a", &tests) && !is_test("post", &tests));

    let checkout = Checkout::read();
    let missing = |line: &str| {
        let paths = paths_in(line, &checkout.modules).into_iter().filter(|path| !checkout.has(path));
        paths.map(str::to_owned).collect::<Vec<_>>()
    };
    for line in
        ["docs/made_up.md", "(src/made_up.rs)", "in `content/made/up`.", "see content/write/made_up.rs", "up.rs"]
    {
        assert_eq!(missing(line).len(), 1, "{line:?}");
    }
    for line in
        ["docs/design.md.", "`content/write`", "content/write/mod.rs", "words.rs", "and/or", "https://x.y/src/z"]
    {
        assert_eq!(missing(line), Vec::<String>::new(), "{line:?}");
    }
}
