//! Drafts and scheduled posts leave no trace (I4b). The rule: to every query, a site that has them gives the same answer as a site on which
//! they were never written. When the clock has passed the instant of a scheduled post, the post appears everywhere at once, without a job.
//!
//! A category, tag or author is an object of its own that is created before the posts that have it: it is shown with its name and without
//! posts, even if only a draft has it. Only such terms of a draft are shown. The storage cost of an answer is shown to editors alone, because
//! it also counts rows that the answer does not show.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{BaseType, FieldDefinition, Type, TypeKind, TypeSystemDefinition};
use serde_json::{Value, json};
use tidings::graphql::schema;
use tidings::model::{NodeId, Post, PostId, Term, TermId, TermKind, WholePost};
use tidings::testing::Change;
use tidings::testing::pages::{PostList, Scope};

use crate::support::lists::ListOf;
use crate::support::site::{NOW, Site, instant, post, shown_time, slug, slugs};
use crate::support::stores;

/// The instants of the scheduled posts: later in this month, in the next month, and years later.
const SCHEDULED: [&str; 4] =
    ["2026-06-15T12:00:00.001Z", "2026-06-20T00:00:00Z", "2026-07-01T00:00:00Z", "2030-02-03T00:00:00Z"];

fn with_terms(mut whole: WholePost, tags: &[&str]) -> WholePost {
    whole.post.tags = slugs(tags);
    whole.post.categories = slugs(&["news"]);
    whole.post.series = Some(slug("walks"));
    whole.post.authors = slugs(&["ada", if tags.contains(&"secret") { "mallory" } else { "grace" }]);
    whole
}

/// The public posts: ten posts over three months, the newest of them at `NOW`.
fn shown() -> Vec<WholePost> {
    let at = |n: u64| if n == 9 { NOW.to_owned() } else { format!("2026-0{}-{:02}T00:00:00Z", 4 + n % 3, 1 + n / 2) };
    (0..10)
        .map(|n| with_terms(post(n, instant(&at(n))), if n % 2 == 0 { &["open", "even"] } else { &["open"] }))
        .collect()
}

/// Scheduled posts, with terms of their own and terms that they share with public posts.
fn scheduled() -> Vec<WholePost> {
    let posts = SCHEDULED.iter().zip(100..).map(|(at, n)| {
        let mut whole = with_terms(post(n, instant(at)), &["open", "even", "secret"]);
        whole.post.former_slugs = slugs(&[&format!("old-{n}")]);
        whole
    });
    posts.collect()
}

/// Drafts; [`with_hidden`] publishes one of them first and takes it back.
fn drafts() -> Vec<WholePost> {
    (200..202)
        .map(|n| {
            let mut whole = with_terms(post(n, instant("2026-05-05T00:00:00Z")), &["open", "secret"]);
            whole.post.published_at = None;
            whole.post.former_slugs = slugs(&[&format!("old-{n}")]);
            whole
        })
        .collect()
}

/// Deleted posts, as they were before the deletion: a draft, a scheduled and a published post.
fn deleted() -> Vec<WholePost> {
    let instants = [("2026-05-06T00:00:00Z", false), ("2026-06-20T00:00:00Z", true), ("2026-05-07T00:00:00Z", true)];
    let posts = instants.iter().zip(300..).map(|((at, is_published), n)| {
        let mut whole = with_terms(post(n, instant(at)), &["open", "secret"]);
        whole.post.published_at = whole.post.published_at.filter(|_| *is_published);
        whole
    });
    posts.collect()
}

fn hidden() -> Vec<WholePost> {
    [scheduled(), drafts()].concat()
}

async fn change(site: &Site, before: &WholePost, after: Option<&WholePost>) {
    let inventory = site.content.inventory().await.expect("the inventory");
    let found = &inventory.posts[&before.post.id];
    let before = site.content.stored(&found.place, &found.slug).await.expect("a read").expect("a post");
    let writer = site.content.writer().expect("a writer");
    writer
        .change_posts_with(vec![Change { before: Some(before), after: after.cloned() }], &[], None)
        .await
        .expect("a change");
}

/// Writes all these posts to a site. Two of them are published first: one is then taken back to a draft, the other one is postponed.
async fn with_hidden(site: &Site) {
    site.publish(&shown()).await;
    for whole in hidden() {
        let was_shown = [whole.post.id == hidden()[1].post.id, whole.post.id == hidden()[5].post.id];
        if was_shown.contains(&true) {
            let mut before = whole.clone();
            before.post.published_at = Some(instant("2026-05-20T00:00:00Z"));
            site.publish(&[before.clone()]).await;
            change(site, &before, Some(&whole)).await;
        } else {
            site.publish(&[whole]).await;
        }
    }
    for whole in deleted() {
        site.publish(std::slice::from_ref(&whole)).await;
        change(site, &whole, None).await;
    }
    put_in_order(site).await;
    site.assert_sound().await;
}

/// Puts posts of the series in order, hidden ones between the others.
async fn put_in_order(site: &Site) {
    let order = [&scheduled()[0], &shown()[5], &drafts()[1], &deleted()[2], &shown()[2], &scheduled()[2]];
    let order: Vec<PostId> = order.into_iter().map(|whole| whole.post.id.clone()).collect();
    let edit = |found: Option<&Term>| Ok::<_, ()>(Term { order: order.clone(), ..found.expect("a series").clone() });
    let writer = site.content.writer().expect("a writer");
    writer.edit_term(TermKind::Series, &slug("walks"), edit).await.expect("an answer").expect("an order");
}

/// A site on which only these posts were ever written, with every term of the other site.
async fn site_of(posts: &[WholePost]) -> Site {
    let site = Site::in_memory().await;
    let elsewhere = Site::in_memory().await;
    elsewhere.publish(&[shown(), hidden()].concat()).await;
    let writer = site.content.writer().expect("a writer");
    for kind in TermKind::ALL {
        let terms = elsewhere.content.all_terms(kind).await.expect("terms");
        writer.save_terms(kind, terms).await.expect("terms are saved");
    }
    site.publish(posts).await;
    put_in_order(&site).await;
    site
}

/// The fields of every type, from the SDL, so that a new field is crawled without a change of this test.
struct Selections {
    fields: BTreeMap<String, Vec<FieldDefinition>>,
    interfaces: BTreeSet<String>,
}

impl Selections {
    fn of_the_schema() -> Self {
        let document = parse_schema(schema::sdl(&schema::build())).expect("our own SDL");
        let types = document.definitions.into_iter().filter_map(|definition| match definition {
            TypeSystemDefinition::Type(of) => Some(of.node),
            _ => None,
        });
        let mut interfaces = BTreeSet::new();
        let mut fields = Vec::new();
        for of in types {
            match of.kind {
                TypeKind::Object(object) => fields.push((of.name.node.to_string(), object.fields)),
                TypeKind::Interface(_) => drop(interfaces.insert(of.name.node.to_string())),
                _ => {}
            }
        }
        let is_open = |of: &str, field: &FieldDefinition| {
            field.name.node != GUARDED_OF_POST && (of, field.name.node.as_str()) != ("Series", GUARDED_OF_SERIES)
        };
        Self {
            interfaces,
            fields: fields
                .into_iter()
                .map(|(name, fields)| {
                    let open = fields.into_iter().map(|f| f.node).filter(|field| is_open(&name, field)).collect();
                    (name, open)
                })
                .collect(),
        }
    }

    /// All fields of a type. At depth 0, an object that has an id is selected by its id alone. One without an id that has objects of its own type
    /// (`NavigationItem.items`) is selected without them.
    fn all(&self, type_name: &str, depth: usize) -> String {
        let Some(fields) = self.fields.get(type_name) else { return " { __typename id }".to_owned() };
        let has_id = fields.iter().any(|field| field.name.node == "id");
        if depth == 0 && has_id {
            return " { __typename id }".to_owned();
        }
        let depth = if has_id { depth - 1 } else { depth };
        let is_finite = |field: &&FieldDefinition| has_id || named(&field.ty.node) != type_name;
        let each: Vec<String> = fields.iter().filter(is_finite).map(|field| self.field(field, depth)).collect();
        format!(" {{ __typename {} }}", each.join(" "))
    }

    fn field(&self, field: &FieldDefinition, depth: usize) -> String {
        let (name, of) = (&field.name.node, named(&field.ty.node));
        let is_plain = !self.fields.contains_key(of) && !self.interfaces.contains(of);
        // Small pages, so that the whole query stays below the cost limit; other queries walk the lists to their ends.
        let takes = |name: &str| field.arguments.iter().any(|a| a.node.name.node == name);
        let size = match name.as_str() {
            "translation" => "(language: \"de\")",
            _ if takes("first") => "(first: 4)",
            _ => "",
        };
        if is_plain { name.to_string() } else { format!("{name}{size}{}", self.all(of, depth)) }
    }

    /// A query for each field of the root without required arguments, with all its subfields.
    fn roots(&self) -> Vec<String> {
        let needs = |field: &FieldDefinition| field.arguments.iter().any(|a| !a.node.ty.node.nullable);
        // The positions of `changes` differ in each answer: `graphql::change_feed` compares it.
        let is_same = |field: &FieldDefinition| field.name.node != "changes";
        let open = self.fields["Query"].iter().filter(|field| !needs(field) && is_same(field));
        open.map(|field| format!("{{ {} }}", self.field(field, 1))).collect()
    }

    /// The selection for an object of any type.
    fn object(&self) -> String {
        let each: Vec<String> = ["Post", "Category", "Tag", "Author", "Series"]
            .iter()
            .map(|name| format!("... on {name}{}", self.aliased(name)))
            .collect();
        format!("{{ __typename id {} }}", each.join(" "))
    }

    /// With aliases, because fields of different types with the same name, such as `description` and `posts`, may not merge.
    fn aliased(&self, type_name: &str) -> String {
        let each: Vec<String> = self.fields[type_name]
            .iter()
            .map(|field| format!("{type_name}_{}: {}", field.name.node, self.field(field, 0)))
            .collect();
        format!(" {{ {} }}", each.join(" "))
    }
}

fn named(of: &Type) -> &str {
    match &of.base {
        BaseType::Named(name) => name,
        BaseType::List(inner) => named(inner),
    }
}

/// Which answers are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Crawl {
    /// Those of the root, its lists, and of the ids, slugs and cursors of hidden posts.
    Guessed,
    /// Those of every id and slug in these answers too; a multiple of the time.
    Followed,
}

/// Every answer that a reader can get who starts at the root and guesses what is hidden.
async fn crawl(site: &Site, depth: Crawl, sizes: &[usize]) -> BTreeMap<String, Value> {
    let selections = Selections::of_the_schema();
    let mut answers = BTreeMap::new();
    let mut queries: VecDeque<String> = selections.roots().into();
    let mut names = BTreeSet::new();
    for whole in hidden().into_iter().chain(deleted()) {
        follow(
            &json!({ "id": NodeId::Post(whole.post.id.clone()).to_string() }),
            &selections,
            &mut names,
            &mut queries,
        );
        for slug in whole.post.former_slugs.iter().chain([&whole.post.slug]) {
            follow(&json!({ "slug": slug.to_string() }), &selections, &mut names, &mut queries);
        }
    }
    queries.extend(forged(&hidden()));
    for whole in hidden().into_iter().chain(deleted()).chain(shown()) {
        let version = NodeId::Revision(whole.post.id, whole.post.version);
        let fields = selections.aliased("Revision");
        queries.push_back(format!("{{ node(id: \"{version}\") {{ id ... on Revision {fields} }} }}"));
    }
    while let Some(query) = queries.pop_front() {
        if let Entry::Vacant(unasked) = answers.entry(query) {
            let answer = ask_anonymously(site, unasked.key()).await;
            if depth == Crawl::Followed {
                follow(&answer, &selections, &mut names, &mut queries);
            }
            unasked.insert(answer);
        }
    }
    for list in lists(&names) {
        for (size, forward) in sizes.iter().flat_map(|size| [(*size, true), (*size, false)]) {
            let walked = list.walk(site, size, forward).await;
            answers.insert(format!("{list:?} by {size}, forward: {forward}"), json!(walked));
        }
    }
    answers
}

/// Fields of the root that require a token.
const GUARDED: [&str; 8] =
    ["assets", "auditLog", "draftPages", "draftPosts", "scheduledPages", "scheduledPosts", "tokens", "webhooks"];
/// A field of a post that requires a token: without one, only this field is null. It is queried separately.
const GUARDED_OF_POST: &str = "revisions";
/// The same of a series.
const GUARDED_OF_SERIES: &str = "orderedPostIds";

/// The answer to a query without a token. Guarded fields, and no others, are refused, whatever their value would be.
async fn ask_anonymously(site: &Site, query: &str) -> Value {
    let answer = site.post_graphql(json!({ "query": query })).await.body;
    let is_guarded = GUARDED.iter().any(|field| query.starts_with(&format!("{{ {field}")));
    let errors = answer["errors"].as_array().into_iter().flatten();
    let is_of_post = |error: &&Value| {
        let field = error["path"].as_array().and_then(|path| path.last()?.as_str());
        field.is_some_and(|field| [GUARDED_OF_POST, GUARDED_OF_SERIES].iter().any(|guarded| field.ends_with(guarded)))
    };
    let (of_posts, others): (Vec<&Value>, Vec<&Value>) = errors.partition(is_of_post);
    let code = |error: &Value| error["extensions"]["code"].clone();
    assert!(of_posts.into_iter().all(|error| code(error) == "UNAUTHENTICATED"), "{answer}");
    let codes: Vec<Value> = others.into_iter().map(code).collect();
    assert_eq!(codes, if is_guarded { vec!["UNAUTHENTICATED"] } else { vec![] }, "{query}");
    answer
}

/// Adds the queries for each id and slug of an answer that is new.
fn follow(answer: &Value, selections: &Selections, names: &mut BTreeSet<String>, queries: &mut VecDeque<String>) {
    match answer {
        Value::Array(items) => items.iter().for_each(|item| follow(item, selections, names, queries)),
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = value
                    .as_str()
                    .filter(|_| ["id", "slug"].iter().any(|end| field == end || field.ends_with(&format!("_{end}"))));
                match name {
                    Some(name) if names.insert(name.to_owned()) => queries.extend(probes(name, selections)),
                    Some(_) => {}
                    None => follow(value, selections, names, queries),
                }
            }
        }
        _ => {}
    }
}

/// All queries that take an id or a slug.
fn probes(name: &str, selections: &Selections) -> Vec<String> {
    let object = selections.object();
    let mut probes = vec![
        format!("{{ node(id: {name:?}) {object} }}"),
        format!("{{ nodes(ids: [{name:?}, \"post-000000000000\"]) {{ __typename id }} }}"),
    ];
    for (one, many, of) in
        [("category", "categories", "Category"), ("tag", "tags", "Tag"), ("author", "authors", "Author")]
    {
        probes.push(format!("{{ {one}(slug: {name:?}){} }}", selections.all(of, 1)));
        let lists = ["all", "any", "none"].map(|set| {
            let filter = format!("filter: {{ {many}: {{ {set}: [{name:?}] }} }}");
            format!("{set}: posts({filter}) {{ totalCount nodes {{ id slug }} pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} }}")
        });
        probes.push(format!("{{ {} }}", lists.join(" ")));
    }
    probes.push(format!("{{ series(slug: {name:?}){} }}", selections.all("Series", 1)));
    probes.push(format!("{{ series(slug: {name:?}) {{ {GUARDED_OF_SERIES} }} }}"));
    probes.push(format!("{{ post(slug: {name:?}) {{ series {{ number previous {{ id }} next {{ id }} }} }} }}"));
    probes.push(format!("{{ post(slug: {name:?}){} }}", selections.all("Post", 1)));
    probes.push(format!("{{ post(slug: {name:?}) {{ id slug }} }}"));
    probes.push(format!("{{ post(slug: {name:?}) {{ {GUARDED_OF_POST} {{ nodes {{ version }} }} }} }}"));
    probes
}

/// Lists with cursors and bounds at the positions of hidden posts.
fn forged(posts: &[WholePost]) -> Vec<String> {
    let mut queries = Vec::new();
    let page = "{ totalCount nodes { id slug } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }";
    for whole in posts {
        let post = Post { published_at: Some(whole.post.key().at), ..whole.post.clone() };
        let of_tag = Scope::Term(TermId { kind: TermKind::Tag, first_slug: slug("open") });
        let series = Term::new(TermKind::Series, slug("walks"), "");
        let by_time = PostList::of(Scope::Term(series.id.clone()));
        let newest = "orderBy: { field: PUBLISHED_AT, direction: DESC }, ";
        for (scope, list, order) in [
            (PostList::all(), "posts", ""),
            (PostList::of(of_tag), "tag(slug: \"open\") { posts", ""),
            (PostList::of_series(&series), "series(slug: \"walks\") { posts", ""),
            (by_time, "series(slug: \"walks\") { posts", newest),
        ] {
            let cursor = scope.cursors().of(&post);
            let close = if list.contains('{') { " }" } else { "" };
            for arguments in ["first: 3, after", "first: 3, before", "last: 3, after", "last: 3, before"] {
                queries.push(format!("{{ {list}({order}{arguments}: {cursor:?}) {page}{close} }}"));
            }
        }
        let at = shown_time(post.key().at);
        for operator in ["gt", "gte", "lt", "lte"] {
            queries.push(format!("{{ posts(filter: {{ publishedAt: {{ {operator}: {at:?} }} }}) {page} }}"));
        }
    }
    queries.push(format!("{{ posts(filter: {{ publishedAt: {{ gt: {NOW:?} }} }}) {page} }}"));
    queries
}

/// The lists of the root, and the posts of each term whose id is among the names.
fn lists(names: &BTreeSet<String>) -> Vec<ListOf> {
    let mut lists: Vec<ListOf> = ["posts", "categories", "tags", "authors"].map(ListOf::root).to_vec();
    for name in names {
        if let Ok(NodeId::Term(id)) = name.parse() {
            let TermId { kind, first_slug } = id.key;
            lists.push(ListOf::within(&format!("{}(slug: \"{first_slug}\")", kind.noun()), "posts"));
        }
    }
    lists
}

/// Reports only the first answer that differs, because a whole crawl is too long to print.
fn assert_same(found: &BTreeMap<String, Value>, expected: &BTreeMap<String, Value>) {
    assert!(found.len() > 300, "the crawl is too short: {} answers", found.len());
    for (query, answer) in found {
        assert_eq!(Some(answer), expected.get(query), "{query}");
    }
    assert_eq!(found.len(), expected.len());
}

fn assert_no_trace(answers: &BTreeMap<String, Value>, of: &[WholePost]) {
    let everything: String = answers.values().map(Value::to_string).collect();
    for whole in of {
        let Post { id, slug, title, .. } = &whole.post;
        for trace in [format!("post-{id}"), format!("\"{slug}\""), format!("\"{title}\""), id.to_string()] {
            assert!(!everything.contains(&trace), "{trace} shows");
        }
    }
}

#[tokio::test]
async fn hidden_posts_leave_no_trace_before_their_instant_and_appear_everywhere_after_it() {
    let site = Site::in_memory().await;
    with_hidden(&site).await;
    let mut published = shown();
    for (at, next) in [NOW].iter().chain(&SCHEDULED).zip(scheduled().into_iter().map(Some).chain([None])) {
        site.clock.set(instant(at));
        let twin = site_of(&published).await;
        twin.clock.set(instant(at));
        // Before all of the instants, and at the last one. The test in Azurite follows at the first one in another month.
        let depth = if [NOW, SCHEDULED[3]].contains(at) { Crawl::Followed } else { Crawl::Guessed };
        let found = crawl(&site, depth, &[1, 3]).await;
        assert_same(&found, &crawl(&twin, depth, &[1, 3]).await);
        let still_hidden: Vec<_> = hidden().into_iter().filter(|w| !published.contains(w)).chain(deleted()).collect();
        assert_no_trace(&found, &still_hidden);
        published.extend(next);
    }
    assert_eq!(published.len(), 14);
}

/// A server that cached the lists before the instant gives the same answer as a server that has just started.
#[tokio::test]
async fn a_cached_list_shows_a_scheduled_post_from_its_instant_on() {
    let site = Site::in_memory().await;
    with_hidden(&site).await;
    let query = "{ posts { totalCount } tag(slug: \"open\") { posts { totalCount } } archive { month postCount } }";
    for (at, visible) in [NOW].iter().chain(&SCHEDULED).zip(10..) {
        site.clock.set(instant(at));
        let warm = site.query(query).await;
        site.invalidate_cached();
        assert_eq!((site.query(query).await, &warm["posts"]["totalCount"]), (warm.clone(), &json!(visible)), "at {at}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hidden_posts_leave_no_trace_in_azurite() {
    let subject = stores::azurite().await;
    let site = Site::over(subject.store.clone()).await;
    with_hidden(&site).await;
    let mut published = shown();
    for (at, depth, more) in [(NOW, Crawl::Guessed, 0), (SCHEDULED[2], Crawl::Followed, 3)] {
        published.extend(scheduled().into_iter().take(more));
        site.clock.set(instant(at));
        let twin = site_of(&published).await;
        twin.clock.set(instant(at));
        assert_same(&crawl(&site, depth, &[3]).await, &crawl(&twin, depth, &[3]).await);
    }
}

/// The name of a term is public; whether hidden posts have the term is not.
#[tokio::test]
async fn a_term_that_only_hidden_posts_have_is_shown_without_posts() {
    let site = Site::in_memory().await;
    with_hidden(&site).await;
    let query = "{ tag(slug: \"secret\") { name posts { totalCount nodes { id } pageInfo { hasNextPage } } } tags { totalCount nodes { slug } } }";
    let expected = json!({
        "tag": { "name": "The tag secret", "posts": { "totalCount": 0, "nodes": [], "pageInfo": { "hasNextPage": false } } },
        "tags": { "totalCount": 3, "nodes": [{ "slug": "even" }, { "slug": "open" }, { "slug": "secret" }] },
    });
    assert_eq!(site.query(query).await, expected);
}

/// The number of rows read would distinguish a draft from a missing post, so it is shown to editors alone.
#[tokio::test]
async fn the_storage_cost_is_not_shown_to_anonymous_clients() {
    let site = Site::in_memory().await;
    with_hidden(&site).await;
    let body = json!({ "query": "{ post(slug: \"post-200\") { id } }" }).to_string();
    for header in ["GraphQL-Cost", "GraphQL-Explain"] {
        let request = crate::support::graphql::json_request("application/json").header(header, "report");
        assert_eq!(site.send(request, None, body.clone()).await.body, json!({ "data": { "post": null } }));
    }
}
