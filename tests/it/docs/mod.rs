//! Tests of the documentation. The rule: each code block of a page is run, or a comment above it says why it is not. docs/contributing.md
//! describes these comments.

pub mod block;
mod bounds;
mod codes;
mod links;
mod node_version;
mod page;
mod printed;
mod queries;
mod script;
mod shell;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use page::Page;

/// The reasons for which a block may be left out. A new reason is added here, so that the list stays short.
const REASONS: &[&str] = &[
    "needs an Azure account",
    "needs a container engine",
    "needs minutes of building",
    "is what runs this test",
    "needs npm packages; tests of its own run it",
    "is a file of another program",
    "downloads from the internet",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The path of every page of the repository.
fn pages() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders: Vec<PathBuf> =
        ["docs", "examples", "playground", "editor"].iter().map(|name| root().join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry of a folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir()
                && !matches!(&*name, "node_modules" | "dist" | "authors" | "categories" | "pages" | "posts")
            {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.insert(path.strip_prefix(root()).expect("a file of the checkout").display().to_string());
            }
        }
    }
    found.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(str::to_owned));
    found
}

#[test]
fn every_reason_is_used_by_a_page() {
    let texts: String =
        pages().iter().map(|page| std::fs::read_to_string(root().join(page)).expect("a page")).collect();
    let unused: Vec<_> =
        REASONS.iter().filter(|reason| !texts.contains(&format!("<!-- not run: {reason} -->"))).collect();
    assert!(unused.is_empty(), "no page gives these reasons any more: {unused:?}");
}

/// A test for each page, so that a failure names its page, and one page can be tested alone.
macro_rules! pages {
    ($($name:ident: $path:literal,)+) => {
        $(#[test]
        fn $name() {
            Page::read($path).assert_true();
        })+

        #[test]
        fn every_page_has_a_test() {
            assert_eq!(pages(), [$($path.to_owned()),+].into(), "the list of pages in tests/it/docs/mod.rs is out of date");
        }
    };
}

pages! {
    readme: "README.md",
    changelog: "CHANGELOG.md",
    contributing_quickly: "CONTRIBUTING.md",
    security: "SECURITY.md",
    docs_index: "docs/README.md",
    access: "docs/access.md",
    agents: "docs/agents.md",
    assets: "docs/assets.md",
    azure: "docs/azure.md",
    backup: "docs/backup.md",
    blog: "docs/blog.md",
    changes: "docs/changes.md",
    clients: "docs/clients.md",
    configuration: "docs/configuration.md",
    contributing: "docs/contributing.md",
    decisions: "docs/decisions.md",
    design: "docs/design.md",
    editor: "docs/editor.md",
    errors: "docs/errors.md",
    feeds: "docs/feeds.md",
    fields: "docs/fields.md",
    frontend: "docs/frontend.md",
    glossary: "docs/glossary.md",
    http: "docs/http.md",
    moving: "docs/moving.md",
    nextjs: "docs/nextjs.md",
    operating: "docs/operating.md",
    performance: "docs/performance.md",
    persisted_documents: "docs/persisted-documents.md",
    proof: "docs/proof.md",
    scaling: "docs/scaling.md",
    schema: "docs/schema.md",
    search: "docs/search.md",
    subscriptions: "docs/subscriptions.md",
    tables: "docs/tables.md",
    telemetry: "docs/telemetry.md",
    upgrading: "docs/upgrading.md",
    views: "docs/views.md",
    webhooks: "docs/webhooks.md",
    writing: "docs/writing.md",
    example_astro: "examples/astro/README.md",
    examples: "examples/README.md",
    example_spa: "examples/spa/README.md",
    playground: "playground/README.md",
    editor_package: "editor/README.md",
}
