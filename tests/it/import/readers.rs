//! Readers during an import. The rule: a walk through a list returns every post that existed before the walk began exactly once, and every
//! returned post is complete.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings::ingest::ImportReport;
use tidings::store::embedded::EmbeddedStore;

use crate::support::folder::{counts, import, write};
use crate::support::site::Site;

const BEFORE: usize = 60;
const ADDED: usize = 300;

/// A post in one of eight months. Some posts have the same instant, and the days of existing and added posts are interleaved.
fn text(n: usize, title: &str) -> (String, String) {
    let (month, day) = (1 + n % 8, 1 + n / 8 % 28);
    let tags = if n.is_multiple_of(3) { "all, third" } else { "all" };
    let head = format!("title: {title} {n}\ntags: [{tags}]\nauthor: Author {}\ncategory: News", n % 5);
    (format!("2025-{month:02}-{day:02}-post-{n}.md"), format!("---\n{head}\n---\nThe body of post {n}.\n"))
}

/// A list, a page size and a direction.
#[derive(Clone, Copy)]
struct Reading {
    scope: &'static str,
    size: usize,
    forward: bool,
}

const READERS: [Reading; 4] = [
    Reading { scope: "", size: 7, forward: true },
    Reading { scope: "tag(slug: \"third\")", size: 3, forward: true },
    Reading { scope: "category(slug: \"news\")", size: 20, forward: false },
    Reading { scope: "", size: 5, forward: false },
];

impl Reading {
    /// Whether the list contains the post with this number.
    fn lists(&self, n: usize) -> bool {
        !self.scope.contains("third") || n.is_multiple_of(3)
    }

    fn query(&self) -> String {
        let (count, cursor) = if self.forward { ("first", "after") } else { ("last", "before") };
        let page = format!(
            "posts({count}: {}, {cursor}: $c) {{ totalCount pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }}
             nodes {{ id slug title publishedAt tags {{ slug }} author {{ name }} body {{ markdown }} newer {{ id }} older {{ id }} }} }}",
            self.size
        );
        let scoped = if self.scope.is_empty() { page } else { format!("scope: {} {{ {page} }}", self.scope) };
        format!("query($c: String) {{ {scoped} }}")
    }

    /// Reads the whole list page by page; returns the nodes, newest first.
    async fn walk(&self, site: &Site) -> Vec<Value> {
        let (query, mut at, mut found) = (self.query(), Value::Null, Vec::new());
        loop {
            let data = site.query_with(&query, json!({ "c": at })).await;
            let page = if self.scope.is_empty() { &data["posts"] } else { &data["scope"]["posts"] };
            let mut nodes = page["nodes"].as_array().expect("nodes").clone();
            let (more, place) =
                if self.forward { ("hasNextPage", "endCursor") } else { ("hasPreviousPage", "startCursor") };
            let has_more = page["pageInfo"][more] == json!(true);
            assert!(nodes.len() == self.size || !has_more, "a page that is not full: {} of {}", nodes.len(), self.size);
            if self.forward {
                found.append(&mut nodes);
            } else {
                nodes.append(&mut found);
                found = nodes;
            }
            if !has_more {
                return found;
            }
            at = page["pageInfo"][place].clone();
        }
    }
}

fn number(node: &Value) -> usize {
    let slug = node["slug"].as_str().expect("a slug");
    slug.strip_prefix("post-").and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{slug}"))
}

/// Checks that every node is complete, in order, and not repeated.
fn assert_walk(reading: Reading, nodes: &[Value]) {
    let numbers: Vec<usize> = nodes.iter().map(number).collect();
    assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len(), "a post was returned twice: {numbers:?}");
    let instants: Vec<&str> = nodes.iter().map(|node| node["publishedAt"].as_str().expect("an instant")).collect();
    assert!(instants.is_sorted_by(|a, b| a >= b), "not newest first: {instants:?}");
    for node in nodes {
        let n = number(node);
        assert_eq!(node["body"]["markdown"], json!(format!("The body of post {n}.\n")));
        assert_eq!(node["author"]["name"], json!(format!("Author {}", n % 5)));
        if reading.scope.contains("third") {
            assert!(node["tags"].as_array().is_some_and(|tags| tags.contains(&json!({ "slug": "third" }))), "{node}");
        }
    }
}

struct Imported {
    site: Arc<Site>,
    folder: TempDir,
    _store: TempDir,
}

/// A store file with the existing posts.
async fn imported() -> Imported {
    let (folder, store) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let site = Arc::new(Site::over(Arc::new(EmbeddedStore::open(store.path()).expect("a store"))).await);
    for n in 0..BEFORE {
        let (name, text) = text(n * 6, "Before");
        write(folder.path(), &name, &text);
    }
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!(counts(&report), (BEFORE, 0, 0, 0));
    Imported { site, folder, _store: store }
}

/// Imports the folder while the readers read, each on a task of its own. A reader ends after the first walk that began after the import.
async fn import_with_readers<F>(
    imported: &Imported,
    read: impl Fn(Arc<Site>, Reading, Arc<AtomicBool>) -> F,
) -> ImportReport
where
    F: Future<Output = ()> + Send + 'static,
{
    let is_done = Arc::new(AtomicBool::new(false));
    let start = |reading| tokio::spawn(read(Arc::clone(&imported.site), reading, Arc::clone(&is_done)));
    let readers = READERS.map(start);
    let report = import(&imported.site.content, imported.folder.path()).await;
    is_done.store(true, Ordering::SeqCst);
    for reader in readers {
        reader.await.expect("the reader found no error");
    }
    imported.site.assert_sound().await;
    report.expect("an import")
}

/// Each walk must return the posts of its list that existed when it began.
async fn read_during_import(site: Arc<Site>, reading: Reading, existing: HashSet<usize>, is_done: Arc<AtomicBool>) {
    let mut existing = existing;
    loop {
        let was_done = is_done.load(Ordering::SeqCst);
        let nodes = reading.walk(&site).await;
        assert_walk(reading, &nodes);
        let returned: HashSet<usize> = nodes.iter().map(number).collect();
        let missed: Vec<_> = existing.difference(&returned).filter(|n| reading.lists(**n)).collect();
        assert!(missed.is_empty(), "existing posts were not returned: {missed:?}");
        existing = returned;
        if was_done {
            return;
        }
    }
}

/// Like [`read_during_import`], but checks only the unchanged posts: a post whose date changes may be returned at its old and its new position,
/// on two pages.
async fn read_during_changes(site: Arc<Site>, reading: Reading, stays: HashSet<usize>, is_done: Arc<AtomicBool>) {
    let expected = stays.iter().filter(|n| reading.lists(**n)).count();
    loop {
        let was_done = is_done.load(Ordering::SeqCst);
        let nodes = reading.walk(&site).await;
        let stayed: Vec<Value> = nodes.into_iter().filter(|node| stays.contains(&number(node))).collect();
        assert_walk(reading, &stayed);
        assert_eq!(stayed.len(), expected);
        if was_done {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_during_an_import_get_every_existing_post_once_and_complete() {
    let imported = imported().await;
    let before: HashSet<usize> = (0..BEFORE).map(|n| n * 6).collect();
    for n in (0..BEFORE + ADDED).filter(|n| !before.contains(n)) {
        let (name, text) = text(n, "Added");
        write(imported.folder.path(), &name, &text);
    }
    let read = |site, reading, is_done| read_during_import(site, reading, before.clone(), is_done);
    let report = import_with_readers(&imported, read).await;
    assert_eq!(counts(&report), (ADDED, 0, BEFORE, 0));
    for reading in READERS {
        let expected = (0..BEFORE + ADDED).filter(|n| reading.lists(*n)).count();
        assert_eq!(reading.walk(&imported.site).await.len(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_during_an_import_of_changes_get_every_unchanged_post_once_and_complete() {
    let imported = imported().await;
    let (stays, moves): (HashSet<usize>, HashSet<usize>) =
        (0..BEFORE).map(|n| n * 6).partition(|n| n.is_multiple_of(4));
    for iteration in 1..=3 {
        for n in &moves {
            let (name, text) = text(*n, "Moved");
            let date = format!("title: Moved\ndate: 2024-{:02}-{iteration:02}", 1 + (n + iteration) % 12);
            let tags = format!("all, r{iteration}");
            write(
                imported.folder.path(),
                &name,
                &text.replace(&format!("title: Moved {n}"), &date).replace("all", &tags),
            );
        }
        let read = |site, reading, is_done| read_during_changes(site, reading, stays.clone(), is_done);
        let report = import_with_readers(&imported, read).await;
        assert_eq!(counts(&report), (0, moves.len(), stays.len(), 0));
    }
}
