//! Bound and cost of every example query and mutation of the README, the documentation, the playground and the example sites, on the sample blog, with nothing
//! cached.

use std::path::Path;

use serde_json::{Value, json};

use super::{Asked, Asking, Way};
use crate::docs::block::{Mark, blocks};
use crate::support::folder::import;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// The bound of each example query is at most this many times what the query needs.
const RATIO_MAX: f64 = 20.0;
/// Of half of the queries.
const RATIO_MEDIAN: f64 = 4.0;
/// The same of the mutations, whose bounds assume that each text of the input names something, and that a post has as many terms as it can have.
const MUTATION_RATIO_MAX: f64 = 120.0;
const MUTATION_RATIO_MEDIAN: f64 = 8.0;

pub(in crate::graphql) struct Example {
    pub place: String,
    pub query: String,
    pub variables: Value,
}

/// The operations of which examples are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::graphql) enum Kind {
    Query,
    Mutation,
}

impl Kind {
    fn keyword(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Mutation => "mutation",
        }
    }
}

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

/// The operations of a page that succeed.
fn of_page(path: &str, kind: Kind) -> Vec<Example> {
    let blocks = blocks(&text(path));
    let of_block = |(at, block): (usize, &crate::docs::block::Block)| {
        let mut below = blocks[at + 1..].iter().take_while(|next| next.language == "json");
        let variables = below.find(|next| next.mark == Mark::Variables);
        Example {
            place: format!("{path}:{}", block.line),
            query: block.text.clone(),
            variables: variables.map_or(json!({}), |json| serde_json::from_str(&json.text).expect("JSON")),
        }
    };
    let queries = blocks.iter().enumerate().filter(|(_, block)| {
        let is_mutation = block.text.trim_start().starts_with("mutation");
        let is_of_kind = block.language == "graphql" && is_mutation == (kind == Kind::Mutation);
        is_of_kind && !matches!(block.mark, Mark::Refused(_))
    });
    queries.map(of_block).collect()
}

/// The texts between the backticks of a source file.
fn quoted(path: &str) -> Vec<String> {
    text(path).split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn of_playground(kind: Kind) -> Vec<Example> {
    let keyword = kind.keyword();
    let is_of_kind = |text: &String| text.contains(&format!("\n{keyword} "));
    let example = |query: String| Example {
        place: format!("playground {}", query.lines().find(|line| line.starts_with(keyword)).unwrap_or_default()),
        query,
        variables: variables(),
    };
    quoted("playground/src/examples.js").into_iter().filter(is_of_kind).map(example).collect()
}

/// The documents of the example sites, each with the fragments that it uses.
fn of_site(kind: Kind) -> Vec<Example> {
    let documents =
        ["examples/spa/src/posts/documents.ts", "editor/src/documents.ts", "examples/astro/src/tidings/documents.ts"];
    let texts: Vec<String> = documents.into_iter().flat_map(quoted).collect();
    let fragments: Vec<(String, &String)> = texts
        .iter()
        .filter_map(|text| Some((text.trim_start().strip_prefix("fragment ")?.split(' ').next()?.to_owned(), text)))
        .collect();
    let queries = texts.iter().filter(|text| text.trim_start().starts_with(&format!("{} ", kind.keyword())));
    let example = |text: &String| {
        let mut query = text.clone();
        while let Some((_, fragment)) = fragments
            .iter()
            .find(|(name, _)| query.contains(&format!("...{name}\n")) && !query.contains(&format!("fragment {name} ")))
        {
            query.push_str(fragment);
        }
        Example {
            place: format!("site {}", text.trim_start().lines().next().unwrap_or_default()),
            query,
            variables: variables(),
        }
    };
    queries.map(example).collect()
}

/// Values for the variables of all examples; a client sends those that a query does not declare in vain.
fn variables() -> Value {
    json!({
        "slug": "why-we-wash-our-html", "year": 2024, "all": ["telescopes"], "any": ["website", "volunteers"],
        "languages": ["pt-BR"], "at": "2026-01-01T00:00:00Z", "path": "docs/install", "text": "telescopes", "first": 10, "after": null, "before": null, "filter": null, "parent": null,
        "ids": ["asset-0123456789abcdef0123456789abcdef01234567"],
    })
}

fn of_issue() -> Vec<Example> {
    let queries = [
        "{ tags(first: 100) { nodes { name posts { totalCount } } } }",
        "{ posts(first: 20) { nodes { title authors { name } categories { name } tags { name } } } }",
        "{ tags(first: 20) { nodes { name posts { totalCount } } } }",
    ];
    let example = |query: &str| Example { place: query.to_owned(), query: query.to_owned(), variables: json!({}) };
    queries.map(example).into()
}

/// Every example of the README, the documentation, the playground and the example sites.
pub(in crate::graphql) fn all(kind: Kind) -> Vec<Example> {
    let pages =
        ["README.md", "docs/frontend.md", "docs/schema.md", "docs/access.md", "docs/clients.md", "docs/http.md"];
    let of_pages = pages.into_iter().flat_map(|page| of_page(page, kind));
    of_pages.chain(of_playground(kind)).chain(of_site(kind)).collect()
}

/// The sample blog, and the id of its newest post.
pub(in crate::graphql) async fn import_blog(site: &Site) -> Value {
    let blog = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog");
    import(&site.content, &blog).await.expect("an import");
    site.query("{ posts(first: 1) { nodes { id } } }").await["posts"]["nodes"][0]["id"].clone()
}

/// The page that the examples of pages ask for, and others at the top.
async fn create_pages(site: &Site) {
    for path in ["docs", "docs/install", "about", "guide", "imprint", "news", "team"] {
        let input = json!({ "path": path, "title": path, "markdown": "", "publish": true });
        let mutation = "mutation($input: CreatePageInput!) { createPage(input: $input) { userErrors { code } } }";
        let answer = site.mutate(mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
        assert_eq!(answer["data"]["createPage"]["userErrors"], json!([]), "{answer}");
    }
}

/// Featured posts in the language that an example asks for.
async fn translate_posts(site: &Site) {
    let posts = site.query("{ posts(first: 12) { nodes { id version } } }").await["posts"]["nodes"].clone();
    for post in posts.as_array().expect("posts") {
        let input =
            json!({ "id": post["id"], "expectedVersion": post["version"], "language": "pt-BR", "featured": true });
        let mutation = "mutation($input: UpdatePostInput!) { updatePost(input: $input) { userErrors { code } } }";
        let answer = site.mutate(mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
        assert_eq!(answer["data"]["updatePost"]["userErrors"], json!([]), "{answer}");
    }
}

/// Sets the variables that an example does not give.
pub fn complete(variables: &mut Value, query: &str, id: &Value) {
    variables["id"] = variables.get("id").unwrap_or(id).clone();
    if query.contains("$markdown: String!") {
        variables["markdown"] = json!("*Text.*");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bound_of_each_example_is_close_to_what_it_needs() {
    let site = Site::in_memory().await;
    let first = import_blog(&site).await;
    create_pages(&site).await;
    translate_posts(&site).await;
    let asking = Asking::of(&site);
    let examples = all(Kind::Query).into_iter().chain(of_issue());
    let mut ratios = Vec::new();
    for Example { place, query, mut variables } in examples {
        complete(&mut variables, &query, &first);
        site.invalidate_cached();
        let Asked { bound, spent, body } = asking.ask(&query, &variables, Way::Header("report")).await;
        assert_eq!(body.get("errors"), None, "{place} {body}");
        let ratio = bound as f64 / spent.max(1) as f64;
        assert!(ratio <= RATIO_MAX, "{bound} for {spent}: {place}");
        println!("{ratio:5.1} {bound:6} {spent:5} {place}");
        ratios.push((ratio, place));
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = ratios[ratios.len() / 2].0;
    println!("median {median:.2} of {}", ratios.len());
    assert!(ratios.len() > 20 && median <= RATIO_MEDIAN, "median {median:.2} of {}", ratios.len());
}

/// The input of a mutation that takes it as a variable. `number`: of the mutation, so that each changes something.
async fn input(asking: &Asking, query: &str, number: usize) -> Value {
    let takes = |name: &str| query.contains(&format!("$input: {name}!"));
    if takes("CreatePostInput") {
        return json!({ "title": "A new post", "markdown": "*Text.*", "tagSlugs": ["website"], "publishAt": "2026-01-02T00:00:00Z" });
    }
    let slug = if takes("PublishPostInput") { "a-draft" } else { "why-we-wash-our-html" };
    let look_up = format!("{{ post(slug: \"{slug}\") {{ id version revisions(last: 1) {{ nodes {{ id }} }} }} }}");
    let post = asking.ask(&look_up, &json!({}), Way::Plan).await.body["data"]["post"].take();
    match () {
        () if takes("CreatePreviewInput") => json!({ "contentId": post["id"] }),
        () if takes("UpdatePostInput") => {
            let tag = ["telescopes", "website"][number % 2];
            json!({ "id": post["id"], "expectedVersion": post["version"], "slug": format!("why-we-wash-{number}"), "tagSlugs": [tag] })
        }
        () if takes("RestoreRevisionInput") => {
            json!({ "revisionId": post["revisions"]["nodes"][0]["id"], "expectedVersion": post["version"] })
        }
        () => json!({ "id": post["id"], "expectedVersion": post["version"] }),
    }
}

/// Changes that no example makes.
const MORE: [&str; 6] = [
    "mutation { createTag(input: { name: \"New\", slug: \"new\" }) { tag { id } userErrors { code } } }",
    "mutation { updateTag(input: { @tag(new), slug: \"newer\", name: \"Newer\" }) { tag { slug } userErrors { code } } }",
    "mutation { deleteTag(input: { @tag(newer) }) { userErrors { code } } }",
    "mutation { createToken(input: { name: \"ci\", role: EDITOR }) { token { id } userErrors { code } } }",
    "mutation { revokePreviews { userErrors { code } } }",
    "mutation($input: DeleteInput!) { deletePost(input: $input) { deletedId userErrors { code } } }",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_bound_of_each_example_mutation_is_close_to_what_it_needs() {
    for site in [Site::in_memory().await, Site::over(MemoryStore::empty()).await] {
        let first = import_blog(&site).await;
        let asking = Asking::of(&site);
        let more = MORE.map(|query| Example { place: query.to_owned(), query: query.to_owned(), variables: json!({}) });
        let examples = all(Kind::Mutation).into_iter().chain(more);
        let mut ratios = Vec::new();
        for (number, Example { place, query, mut variables }) in examples.enumerate() {
            let query = site.with_ids(&query).await;
            variables["id"] = first.clone();
            variables["title"] = json!("A title");
            variables["markdown"] = json!("*Text.*");
            if query.contains("$input") && (variables.get("input").is_none() || place.contains("frontend")) {
                variables["input"] = input(&asking, &query, number).await;
            }
            site.invalidate_cached();
            let Asked { bound, spent, body } = asking.ask(&query, &variables, Way::Header("report")).await;
            assert_eq!(body.get("errors"), None, "{place} {body}");
            let ratio = bound as f64 / spent.max(1) as f64;
            println!("{ratio:5.1} {bound:6} {spent:5} {place:.120}");
            assert!(spent <= bound && ratio <= MUTATION_RATIO_MAX, "{bound} for {spent}: {place}");
            ratios.push(ratio);
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios[ratios.len() / 2];
        println!("median {median:.2} of {}", ratios.len());
        assert!(median <= MUTATION_RATIO_MEDIAN, "median {median:.2} of {}", ratios.len());
    }
}
