//! Content as Markdown for programs that read text: a post or page with a head of facts, and the list of them, `llms.txt` (llmstxt.org). The rule:
//! the body is the source as it was written, and a fact is one line of YAML, so that no title can end the head.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

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
  title
  subtitle
  type: __typename
  id
  ... on Post { slug }
  ... on Page { path }
  version
  status
  ... on Post { date: publishedAt }
  updated: updatedAt
  language
  ... on Post { authors { name } authorSlugs: authors { name: slug } categories { name: slug } tags { name: slug } featured }
  metadata
  url: canonicalUrl
  body { markdown }
}
",
    )
});

/// The fields of `Whole` that are lines of the head, in their order.
const FACTS: [&str; 18] = [
    "title",
    "subtitle",
    "type",
    "id",
    "slug",
    "path",
    "version",
    "status",
    "date",
    "updated",
    "language",
    "authors",
    "authorSlugs",
    "categories",
    "tags",
    "featured",
    "metadata",
    "url",
];

/// Writes the `content` of an answer. `None` if the client has access to none, or if it is something else than a post or page.
pub(in crate::http) fn to_markdown(content: &Value) -> Option<String> {
    let markdown = content["body"]["markdown"].as_str()?;
    let mut text = "---\n".to_owned();
    for fact in FACTS {
        let value = match &content[fact] {
            Value::Array(items) => items.iter().map(|item| item["name"].clone()).collect(),
            value => value.clone(),
        };
        if !value.is_null() && value.as_array().is_none_or(|items| !items.is_empty()) {
            let _ = writeln!(text, "{fact}: {}", in_yaml(&value));
        }
    }
    text.push_str("---\n");
    // The sources of a folder begin with an empty line.
    if !markdown.starts_with('\n') {
        text.push('\n');
    }
    text.push_str(markdown);
    Some(text)
}

/// A value as JSON, which is YAML if nothing in it ends a line or is not allowed there (YAML 1.2.2, sections 5.1 and 5.4).
fn in_yaml(value: &Value) -> String {
    let escape = |character: char| match character {
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
            format!("\\u{:04x}", u32::from(character))
        }
        character => character.to_string(),
    };
    value.to_string().chars().map(escape).collect()
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
    let content = &queried.parse::<Value>()?["content"];
    let current = content["path"].as_str().or(content["slug"].as_str()).ok_or_else(Refused::not_found)?;
    if current != asked {
        return Ok(Written::Moved(format!("{up}{current}.md")));
    }
    to_markdown(content).map(Written::Text).ok_or_else(Refused::not_found)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_fact_ends_its_line() {
        let title = json!("a\u{85}---\n\u{2028}\u{feff}é\"");
        assert_eq!(in_yaml(&title), r#""a\u0085---\n\u2028\ufeffé\"""#);
    }
}
