//! Readers beside an import. The rule they hold: what stood before a walk began is met by it, once; nothing that is met is half there.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings::import::run::ImportReport;
use tidings::store::embedded::EmbeddedStore;

use crate::support::folder::{counts, import, write};
use crate::support::site::Site;

const BEFORE: usize = 60;
const ADDED: usize = 300;

/// Posts over eight months, ties among them; the days of those before and of those added lie among each other.
fn text(n: usize, title: &str) -> (String, String) {
    let (month, day) = (1 + n % 8, 1 + n / 8 % 28);
    let tags = if n.is_multiple_of(3) { "all, third" } else { "all" };
    let head = format!("title: {title} {n}\ntags: [{tags}]\nauthor: Author {}\ncategory: News", n % 5);
    (format!("2025-{month:02}-{day:02}-post-{n}.md"), format!("---\n{head}\n---\nThe body of post {n}.\n"))
}

/// A list as one reader walks it.
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
    /// Whether the post of this number is in the list.
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

    /// The nodes of the whole list, newest first, with a page for each step.
    async fn walk(&self, site: &Site) -> Vec<Value> {
        let (query, mut at, mut found) = (self.query(), Value::Null, Vec::new());
        loop {
            let data = site.query_with(&query, json!({ "c": at })).await;
            let page = if self.scope.is_empty() { &data["posts"] } else { &data["scope"]["posts"] };
            let mut nodes = page["nodes"].as_array().expect("nodes").clone();
            let (more, place) =
                if self.forward { ("hasNextPage", "endCursor") } else { ("hasPreviousPage", "startCursor") };
            let goes_on = page["pageInfo"][more] == json!(true);
            assert!(nodes.len() == self.size || !goes_on, "a page with a hole in it: {} of {}", nodes.len(), self.size);
            if self.forward {
                found.append(&mut nodes);
            } else {
                nodes.append(&mut found);
                found = nodes;
            }
            if !goes_on {
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

/// Every node whole, in order, once.
fn assert_walk(reading: Reading, nodes: &[Value]) {
    let numbers: Vec<usize> = nodes.iter().map(number).collect();
    assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len(), "a post was met twice: {numbers:?}");
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

/// A store in a file with the first posts in it.
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

/// Imports the folder while the readers read, each on a task of its own, until a walk that began after the import's end.
async fn import_beside<F>(imported: &Imported, read: impl Fn(Arc<Site>, Reading, Arc<AtomicBool>) -> F) -> ImportReport
where
    F: Future<Output = ()> + Send + 'static,
{
    let is_done = Arc::new(AtomicBool::new(false));
    let start = |reading| tokio::spawn(read(Arc::clone(&imported.site), reading, Arc::clone(&is_done)));
    let readers = READERS.map(start);
    let report = import(&imported.site.content, imported.folder.path()).await;
    is_done.store(true, Ordering::SeqCst);
    for reader in readers {
        reader.await.expect("a reader that found all well");
    }
    imported.site.assert_sound().await;
    report.expect("an import")
}

/// Each walk must meet the posts that stood when it began, as far as they are in its list.
async fn read_beside(site: Arc<Site>, reading: Reading, stood: HashSet<usize>, is_done: Arc<AtomicBool>) {
    let mut stood = stood;
    loop {
        let was_done = is_done.load(Ordering::SeqCst);
        let nodes = reading.walk(&site).await;
        assert_walk(reading, &nodes);
        let met: HashSet<usize> = nodes.iter().map(number).collect();
        let missed: Vec<_> = stood.difference(&met).filter(|n| reading.lists(**n)).collect();
        assert!(missed.is_empty(), "posts that stood were not met: {missed:?}");
        stood = met;
        if was_done {
            return;
        }
    }
}

/// As [`read_beside`], where a post on the move may be met at both of its places, on two pages: the others stay where they are.
async fn read_changing(site: Arc<Site>, reading: Reading, stays: HashSet<usize>, is_done: Arc<AtomicBool>) {
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
async fn readers_beside_an_import_meet_every_post_that_stood_once_and_whole() {
    let imported = imported().await;
    let before: HashSet<usize> = (0..BEFORE).map(|n| n * 6).collect();
    for n in (0..BEFORE + ADDED).filter(|n| !before.contains(n)) {
        let (name, text) = text(n, "Added");
        write(imported.folder.path(), &name, &text);
    }
    let read = |site, reading, is_done| read_beside(site, reading, before.clone(), is_done);
    let report = import_beside(&imported, read).await;
    assert_eq!(counts(&report), (ADDED, 0, BEFORE, 0));
    for reading in READERS {
        let expected = (0..BEFORE + ADDED).filter(|n| reading.lists(*n)).count();
        assert_eq!(reading.walk(&imported.site).await.len(), expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_beside_an_import_of_changes_meet_every_post_that_stays_once_and_whole() {
    let imported = imported().await;
    let (stays, moves): (HashSet<usize>, HashSet<usize>) =
        (0..BEFORE).map(|n| n * 6).partition(|n| n.is_multiple_of(4));
    for round in 1..=3 {
        for n in &moves {
            let (name, text) = text(*n, "Moved");
            let date = format!("title: Moved\ndate: 2024-{:02}-{round:02}", 1 + (n + round) % 12);
            let tags = format!("all, r{round}");
            write(
                imported.folder.path(),
                &name,
                &text.replace(&format!("title: Moved {n}"), &date).replace("all", &tags),
            );
        }
        let read = |site, reading, is_done| read_changing(site, reading, stays.clone(), is_done);
        let report = import_beside(&imported, read).await;
        assert_eq!(counts(&report), (0, moves.len(), stays.len(), 0));
    }
}
