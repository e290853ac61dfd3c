//! Times of the parts of a request, measured with criterion: `cargo bench --bench parts`. The rule: each part is called through the
//! function that the server calls.

#[path = "../figures/posts.rs"]
#[expect(dead_code, reason = "the other benchmark uses the rest")]
mod posts;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::Request;
use criterion::{BatchSize, Criterion};
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::cost::{CostModel, Sizes};
use tidings::graphql::guard::{Limits, admit};
use tidings::graphql::outline::OperationOutline;
use tidings::graphql::schema;
use tidings::graphql::type_map::TypeMap;
use tidings::keys::cursor;
use tidings::model::{TermKind, render};
use tidings::store::embedded::EmbeddedStore;
use tidings::testing::pages::posts::read_page;
use tidings::testing::pages::{Filter, PageArguments, PostList, RequestedFields, Scope, SlugFilter};
use tidings::{import, ingest};
use tokio::runtime::Runtime;

const POSTS: u64 = 2_000;
const FRONT_PAGE: &str = "{ posts(first: 20) { nodes { title slug excerpt publishedAt authors { name } categories { name } tags { name slug } } \
                          pageInfo { hasNextPage endCursor } } }";

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    documents(&mut criterion);
    cursors(&mut criterion);
    bodies(&mut criterion);
    pages(&mut criterion);
    criterion.final_summary();
}

fn documents(criterion: &mut Criterion) {
    let admitted = || match admit(Request::new(FRONT_PAGE), &Limits::default()) {
        Ok(admitted) => admitted.request,
        Err(refusal) => panic!("{}", refusal.message),
    };
    criterion.bench_function("admit a document: scan, parse, limits", |bencher| bencher.iter(admitted));
    let types = TypeMap::of(&schema::sdl(&schema::build())).expect("the schema");
    let costs = CostModel::new(Arc::new(types));
    let sizes = Sizes::default();
    criterion.bench_function("the bound of its cost", |bencher| {
        bencher.iter_batched_ref(
            admitted,
            |request| {
                let operation = OperationOutline::of(request).expect("a document").expect("an operation");
                black_box(costs.cost(&operation, &request.variables, &sizes).bound())
            },
            BatchSize::SmallInput,
        );
    });
}

fn cursors(criterion: &mut Criterion) {
    let (list, key) = (cursor::ListTag::of("posts"), posts::Generated::new(1).key());
    criterion.bench_function("encode and decode a cursor", |bencher| {
        bencher.iter(|| cursor::decode_post(list, &cursor::encode_post(list, black_box(&key))));
    });
}

fn bodies(criterion: &mut Criterion) {
    let markdown = posts::Generated::new(1).markdown;
    criterion.bench_function("render a body of 2 KB", |bencher| bencher.iter(|| render(black_box(&markdown))));
}

/// Pages from a store file whose rows are in the cache: the newest posts from one index, and those of any of three tags, merged from three indexes.
fn pages(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let runtime = Runtime::new().expect("threads");
    let content = runtime.block_on(imported(folder.path()));
    let tags = (0..3).map(|number| posts::term_slug(TermKind::Tag, number)).collect();
    let of_tags = Filter { tags: SlugFilter { any: Some(tags), ..SlugFilter::default() }, ..Filter::default() };
    let of_tags = PostList::checked(Scope::All, of_tags).expect("a filter");
    for (name, list) in [("read the newest 20 posts", PostList::all()), ("merge 20 posts of any of 3 tags", of_tags)] {
        let arguments = PageArguments { first: Some(20), last: None, after: None, before: None };
        let requested = RequestedFields { items: true, has_next: true, has_previous: false };
        let page = || {
            runtime.block_on(async {
                let reader = content.reader();
                read_page(&reader, &reader, &list, &arguments, requested).await.expect("a page")
            })
        };
        assert_eq!(page().items.len(), 20, "{name}");
        criterion.bench_function(name, |bencher| bencher.iter(page));
    }
}

async fn imported(folder: &Path) -> Content {
    let file = folder.join("site.jsonl");
    posts::write_json_lines(&file, POSTS).expect("a file");
    let store = Arc::new(EmbeddedStore::open(&folder.join("store")).expect("a store"));
    let content = Content::open(store, Clock::System, Sharing::Alone).await.expect("tables");
    let source = Arc::new(import::open(&file, None).expect("an export"));
    let report = ingest::import(&content, source, ingest::ImportOptions::default(), |_, _| {}).await;
    assert_eq!(report.expect("an import").made as u64, POSTS);
    content
}
