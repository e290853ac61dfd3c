//! Content as Markdown for programs that read text: a post or page with a head of facts, and the list of them, `llms.txt` (llmstxt.org). The rule:
//! the body is the source as it was written, and a fact is one line of YAML, so that no title can end the head.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::query::{Own, OwnDocument, Refused};
use crate::http::cached::ToCache;
use crate::model::feed_path::MarkdownPath;
use crate::model::site::LocatedSite;

pub(in crate::http) const MEDIA_TYPE: &str = "text/markdown; charset=utf-8";

/// The memory of an answer's values and of the text that is made of them, for each byte of the answer.
const MEMORY_FACTOR: u64 = 3;

/// The queries of one post or page, also of the tool `read`; and the list.
pub(in crate::http) static QUERIES: LazyLock<OwnDocument> = LazyLock::new(|| {
    OwnDocument::of(
        "\
query Post($slug: String!) { content: post(slug: $slug) { ...Whole } }
query Page($path: String!) { content: page(path: $path) { ...Whole } }
query Node($id: ID!) { content: node(id: $id) { ...Whole } }
query List($posts: Int!) {
  pageLinks(atMost: 10000) { path title }
  posts(first: $posts) { nodes { slug title excerpt } }
}
fragment Whole on Content {
  type: __typename
  id
  slug
  version
  status
  title
  subtitle
  language
  canonicalUrl
  updatedAt
  body { markdown }
  ... on Post { publishedAt authors { name } categories { slug } tags { slug } }
  ... on Page { path }
}
",
    )
});

/// The answer to a query of one post or page. It is null if there is none for this client, and has no fields if it is something else.
#[derive(Deserialize)]
pub(in crate::http) struct Found {
    content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Whole(Box<Whole>),
    Other {},
}

impl Found {
    pub(in crate::http) fn whole(self) -> Option<Whole> {
        match self.content? {
            Content::Whole(whole) => Some(*whole),
            Content::Other {} => None,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct Whole {
    r#type: String,
    id: String,
    slug: String,
    path: Option<String>,
    version: u64,
    status: String,
    title: String,
    subtitle: Option<String>,
    language: Option<String>,
    canonical_url: Option<String>,
    published_at: Option<String>,
    updated_at: String,
    #[serde(default)]
    authors: Vec<Named>,
    #[serde(default)]
    categories: Vec<Slugged>,
    #[serde(default)]
    tags: Vec<Slugged>,
    body: Body,
}

#[derive(Deserialize)]
struct Body {
    markdown: String,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

#[derive(Deserialize)]
struct Slugged {
    slug: String,
}

impl Whole {
    pub(in crate::http) fn to_markdown(&self) -> String {
        let slugs = |terms: &[Slugged]| -> Vec<String> { terms.iter().map(|term| term.slug.clone()).collect() };
        let authors: Vec<&str> = self.authors.iter().map(|author| author.name.as_str()).collect();
        let mut text = "---\n".to_owned();
        fact(&mut text, "title", Some(&self.title));
        fact(&mut text, "subtitle", self.subtitle.as_ref());
        fact(&mut text, "type", Some(&self.r#type));
        fact(&mut text, "id", Some(&self.id));
        match &self.path {
            Some(path) => fact(&mut text, "path", Some(path)),
            None => fact(&mut text, "slug", Some(&self.slug)),
        }
        fact(&mut text, "version", Some(self.version));
        fact(&mut text, "status", Some(&self.status));
        fact(&mut text, "date", self.published_at.as_ref());
        fact(&mut text, "updated", Some(&self.updated_at));
        fact(&mut text, "language", self.language.as_ref());
        fact(&mut text, "authors", Some(authors).filter(|authors| !authors.is_empty()));
        fact(&mut text, "categories", Some(slugs(&self.categories)).filter(|slugs| !slugs.is_empty()));
        fact(&mut text, "tags", Some(slugs(&self.tags)).filter(|slugs| !slugs.is_empty()));
        fact(&mut text, "url", self.canonical_url.as_ref());
        text.push_str("---\n\n");
        text.push_str(&self.body.markdown);
        text
    }
}

/// A value as JSON, which is YAML too.
fn fact(text: &mut String, name: &str, value: Option<impl Serialize>) {
    if let Some(value) = value.and_then(|value| serde_json::to_string(&value).ok()) {
        let _ = writeln!(text, "{name}: {value}");
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct List {
    page_links: Vec<PageLink>,
    posts: Posts,
}

#[derive(Deserialize)]
struct PageLink {
    path: String,
    title: String,
}

#[derive(Deserialize)]
struct Posts {
    nodes: Vec<PostLink>,
}

#[derive(Deserialize)]
struct PostLink {
    slug: String,
    title: String,
    excerpt: String,
}

pub(super) enum Written {
    Text(String),
    /// The address of the current slug or path, relative to the request.
    Moved(String),
}

pub(super) async fn write(
    own: &mut Own<'_>,
    asked: MarkdownPath<'_>,
    to_cache: Option<&ToCache>,
) -> Result<Written, Refused> {
    let (operation, variables) = match asked {
        MarkdownPath::List => ("List", json!({ "posts": own.api.settings.feeds.posts })),
        MarkdownPath::Post(slug) => ("Post", json!({ "slug": slug })),
        MarkdownPath::Page(path) => ("Page", json!({ "path": path })),
    };
    let queried = own.query(&QUERIES, (operation, variables), to_cache).await?;
    own.charge(queried.length().saturating_mul(MEMORY_FACTOR)).await?;
    let (asked, up) = match asked {
        MarkdownPath::List => return Ok(Written::Text(list(own.site, &queried.parse()?))),
        MarkdownPath::Post(slug) => (slug, String::new()),
        MarkdownPath::Page(path) => (path, "../".repeat(path.matches('/').count())),
    };
    let whole = queried.parse::<Found>()?.whole().ok_or_else(Refused::not_found)?;
    let current = whole.path.as_ref().unwrap_or(&whole.slug);
    Ok(if current == asked { Written::Text(whole.to_markdown()) } else { Written::Moved(format!("{up}{current}.md")) })
}

/// A section for each page at the top that has pages below it, then the other pages, then the newest posts.
fn list(site: LocatedSite<'_>, List { page_links, posts }: &List) -> String {
    let mut text = format!("# {}\n", plain(&site.name));
    if let Some(description) = &site.description {
        let _ = write!(text, "\n> {}\n", plain(description));
    }
    let top = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let mut sections = BTreeMap::<String, Vec<&PageLink>>::new();
    for page in page_links {
        sections.entry(top(&page.path)).or_default().push(page);
    }
    let mut alone = Vec::new();
    for page in page_links.iter().filter(|page| !page.path.contains('/')) {
        match sections.get(&page.path) {
            Some(pages) if pages.len() > 1 => section(&mut text, site, &page.title, pages),
            _ => alone.push(page),
        }
    }
    section(&mut text, site, "Pages", &alone);
    if !posts.nodes.is_empty() {
        text.push_str("\n## Newest posts\n\n");
    }
    for post in &posts.nodes {
        link(&mut text, site, &post.title, MarkdownPath::Post(&post.slug), &post.excerpt);
    }
    text
}

fn section(text: &mut String, site: LocatedSite<'_>, title: &str, pages: &[&PageLink]) {
    if !pages.is_empty() {
        let _ = write!(text, "\n## {}\n\n", plain(title));
    }
    for page in pages {
        link(text, site, &page.title, MarkdownPath::Page(&page.path), "");
    }
}

fn link(text: &mut String, site: LocatedSite<'_>, title: &str, path: MarkdownPath<'_>, about: &str) {
    let address = site.url.join(&path.to_string());
    let about = if about.is_empty() { String::new() } else { format!(": {}", plain(about)) };
    let _ = writeln!(text, "- [{}]({address}){about}", plain(title));
}

/// One line, in which no character has a meaning in Markdown.
fn plain(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#') {
            line.push('\\');
        }
        line.push(character);
    }
    line
}
