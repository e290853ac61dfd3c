//! Words that Tidings does not use, because they have a standard word (docs/glossary.md). The rule: they occur in no file of the project, in text
//! or in names, except where this list gives a reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::root;

/// Words on their own, or as a part of a name: `what_is_told`, `NoRoom`.
const WORDS: &[&str] = &[
    "anew",
    "arrow",
    "arrows",
    "bears",
    "borne",
    "forget",
    "forgets",
    "forgotten",
    "hears",
    "mend",
    "mended",
    "mending",
    "mends",
    "nearby",
    "reckon",
    "room",
    "rooms",
    "settle",
    "settled",
    "settlement",
    "settles",
    "shelf",
    "shelves",
    "sieved",
    "standing",
    "stands",
    "stood",
    "stranger",
    "strangers",
    "tells",
    "told",
    "wanted",
    "whoever",
];
/// Words that follow each other in a text.
const PHRASES: &[&str] = &[
    "at hand",
    "forwarding row",
    "given up",
    "gives up",
    "gives way",
    "hands on",
    "held against",
    "is none",
    "leads here",
    "leads nowhere",
    "leads on",
    "leads to",
    "may see",
    "of before",
    "once more",
    "pending row",
    "who asks",
];

/// A file, a word or phrase in it, and why it is there.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("Cargo.toml", "forget", "the name of a lint"),
    ("docs/blog.md", "leads here", "part of a command that is run"),
    ("packaging/tidings.service", "wanted", "a keyword of systemd"),
    ("playground/src/plan/tree-keys.js", "arrow", "the names of keys"),
    ("playground/src/server.js", "is none", "\"there is none\" is ordinary English"),
    ("src/store/embedded/handle.rs", "forget", "a function of the standard library and its lint"),
    ("tests/browser/plan.test.js", "arrow", "the names of keys"),
    ("tests/browser/spa/writing.test.js", "room", "the title of a post of the example blog"),
    ("tests/browser/spa/writing.test.js", "whoever", "the title of a post of the example blog"),
];

/// What is searched; folders with all that is in them.
const SEARCHED: &[&str] = &[
    ".ci",
    ".config",
    ".github",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "README.md",
    "SECURITY.md",
    "benches",
    "docs",
    "examples",
    "fuzz",
    "packaging",
    "playground/README.md",
    "playground/src",
    "schema.graphql",
    "scripts",
    "src",
    "tests",
];
/// Content, generated files, and what others wrote.
const LEFT_OUT: &[&str] = &[
    "node_modules",
    ".astro",
    "generated",
    "gql",
    "posts",
    "handbook",
    "seeds",
    "dist",
    "target",
    "__pycache__",
    ".venv",
    "corpus",
    "artifacts",
];
const ENDINGS: &[&str] = &[
    "rs",
    "md",
    "toml",
    "graphql",
    "js",
    "jsx",
    "astro",
    "ts",
    "tsx",
    "css",
    "html",
    "py",
    "sh",
    "service",
    "yml",
    "run",
    "Containerfile",
];

pub(super) fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> = SEARCHED.iter().map(|name| root().join(name)).collect();
    while let Some(path) = left.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !LEFT_OUT.contains(&&*name) {
                let children = fs::read_dir(&path).expect("a folder of the project");
                left.extend(children.map(|child| child.expect("an entry").path()));
            }
        } else if ENDINGS.contains(&name.rsplit('.').next().unwrap_or_default()) || !name.contains('.') {
            found.push(path);
        }
    }
    found
}

/// The words of a text in lower case; a name in snake case or camel case is several.
fn words(text: &str) -> BTreeSet<String> {
    let mut parted = String::with_capacity(text.len());
    let mut was_lower = false;
    for c in text.chars() {
        if was_lower && c.is_ascii_uppercase() {
            parted.push(' ');
        }
        was_lower = c.is_ascii_lowercase();
        parted.push(c.to_ascii_lowercase());
    }
    parted.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_owned).collect()
}

fn has_phrase(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    line.match_indices(phrase).any(|(at, _)| {
        !is_letter(line[..at].chars().next_back()) && !is_letter(line[at + phrase.len()..].chars().next())
    })
}

fn dropped_words_in(line: &str) -> Vec<&'static str> {
    let words = words(line);
    let single = WORDS.iter().filter(|word| words.contains(**word));
    single.chain(PHRASES.iter().filter(|phrase| has_phrase(line, phrase))).copied().collect()
}

#[test]
fn no_file_uses_a_word_that_has_a_standard_word() {
    let this_file = Path::new("tests/it/docs/words.rs");
    let (mut bad, mut used) = (Vec::new(), BTreeSet::new());
    let files = files();
    assert!(files.len() > 500, "only {} files were searched", files.len());
    for path in files {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let name = path.strip_prefix(root()).expect("a file of the project");
        if name == this_file {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for word in dropped_words_in(line) {
                let is_it = |(file, excepted, _): &&(&str, &str, &str)| Path::new(file) == name && *excepted == word;
                match EXCEPTIONS.iter().find(is_it) {
                    Some(exception) => drop(used.insert(exception)),
                    None => bad.push(format!("{}:{}: {word:?}", name.display(), number + 1)),
                }
            }
        }
    }
    assert!(bad.is_empty(), "write the standard word of docs/glossary.md:\n{}", bad.join("\n"));
    let unused: Vec<_> = EXCEPTIONS.iter().filter(|exception| !used.contains(exception)).collect();
    assert!(unused.is_empty(), "exceptions that no file needs any more: {unused:?}");
}

#[test]
fn a_dropped_word_is_found_in_text_and_in_names() {
    for line in ["what is told", "fn what_is_told()", "enum NoRoom", "it Leads to it", "isWanted"] {
        assert!(!dropped_words_in(line).is_empty(), "{line:?}");
    }
    for line in ["a mushroom", "untold", "x.is_none()", "amendment", "understands"] {
        assert!(dropped_words_in(line).is_empty(), "{line:?}: {:?}", dropped_words_in(line));
    }
}
