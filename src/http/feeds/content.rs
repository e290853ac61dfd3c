//! The queries of the feeds, and their answers as types. The rule: a feed contains only content that an anonymous client can query, with the same documents for
//! all formats.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::query::{Own, OwnDocument, Queried, Refused};
use crate::http::cached::ToCache;
use crate::model::feed_path::{FeedOf, FeedPath};
use crate::model::{TermKind, html_links, site::LocatedSite};

/// The queries of the feeds. Each returns the newest posts first, even that of a series. `$full` selects the bodies.
const DOCUMENT: &str = "\
query SiteFeed($first: Int!, $full: Boolean!) { posts(first: $first) { ...Posts } }
query LanguageFeed($language: String!, $first: Int!, $full: Boolean!) {
  posts(first: $first, filter: { languages: [$language] }) { ...Posts }
}
query TagFeed($slug: String!, $first: Int!, $full: Boolean!) {
  term: tag(slug: $slug) { slug name description posts(first: $first) { ...Posts } }
}
query CategoryFeed($slug: String!, $first: Int!, $full: Boolean!) {
  term: category(slug: $slug) { slug name description posts(first: $first) { ...Posts } }
}
query AuthorFeed($slug: String!, $first: Int!, $full: Boolean!) {
  term: author(slug: $slug) { slug name description posts(first: $first) { ...Posts } }
}
query SeriesFeed($slug: String!, $first: Int!, $full: Boolean!) {
  term: series(slug: $slug) {
    slug
    name
    description
    posts(first: $first, orderBy: { field: PUBLISHED_AT, direction: DESC }) { ...Posts }
  }
}
fragment Posts on PostConnection {
  nodes {
    id
    slug
    title
    excerpt
    language
    createdAt
    updatedAt
    publishedAt
    enclosure { url byteSize contentType }
    body @include(if: $full) { html }
    authors { slug name url }
    categories { slug name }
    tags { slug name }
  }
}
";

static QUERIES: LazyLock<OwnDocument> = LazyLock::new(|| OwnDocument::of(DOCUMENT));

/// Queries the posts of a feed, with their bodies if `is_full`.
pub(super) async fn query(
    own: &mut Own<'_>,
    path: &FeedPath,
    is_full: bool,
    to_cache: Option<&ToCache>,
) -> Result<Queried, Refused> {
    let mut variables = json!({ "first": own.api.settings.feeds.posts, "full": is_full });
    let operation = match &path.of {
        None => "SiteFeed",
        Some(FeedOf::Language(language)) => {
            variables["language"] = json!(language.as_str());
            "LanguageFeed"
        }
        Some(FeedOf::Term(kind, slug)) => {
            variables["slug"] = json!(slug);
            match kind {
                TermKind::Tag => "TagFeed",
                TermKind::Category => "CategoryFeed",
                TermKind::Author => "AuthorFeed",
                TermKind::Series => "SeriesFeed",
            }
        }
    };
    own.query(&QUERIES, (operation, variables), to_cache).await
}

/// The answer to the query of a feed: the posts of the whole site or of a term. The term is null if it does not exist.
#[derive(Deserialize)]
pub(super) struct FeedData {
    #[serde(default)]
    pub posts: Option<Posts>,
    #[serde(default)]
    pub term: Option<FeedTerm>,
}

#[derive(Deserialize)]
pub(super) struct FeedTerm {
    pub slug: String,
    pub name: String,
    pub description: Option<String>,
    pub posts: Posts,
}

#[derive(Deserialize)]
pub(super) struct Posts {
    pub nodes: Vec<Post>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Post {
    pub id: String,
    pub slug: String,
    pub title: String,
    pub excerpt: String,
    pub language: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub published_at: DateTime<Utc>,
    pub enclosure: Option<Enclosure>,
    pub body: Option<Body>,
    pub authors: Vec<Author>,
    pub categories: Vec<Term>,
    pub tags: Vec<Term>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Enclosure {
    pub url: String,
    pub byte_size: Option<i32>,
    pub content_type: String,
}

#[derive(Deserialize)]
pub(super) struct Body {
    pub html: String,
}

#[derive(Deserialize)]
pub(super) struct Author {
    pub slug: String,
    pub name: String,
    pub url: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Term {
    pub slug: String,
    pub name: String,
}

/// A feed, independent of its format.
pub(super) struct Feed<'a> {
    /// The name of the site, or of the term and the site.
    pub title: String,
    pub description: Option<&'a str>,
    pub language: Option<&'a str>,
    /// The address of the page that shows the same posts.
    pub page: String,
    /// The address of the feed itself.
    pub address: String,
    pub posts: &'a [Post],
}

impl Feed<'_> {
    /// The time of the last change or publication of a post in the feed. A feed without posts has the Unix epoch, so that its bytes stay the same.
    pub(super) fn updated_at(&self) -> DateTime<Utc> {
        self.posts.iter().map(Post::changed_at).max().unwrap_or(DateTime::UNIX_EPOCH)
    }
}

impl Post {
    /// The time of the post's change or publication, whichever is later: a scheduled post appears after its last change.
    pub(super) fn changed_at(&self) -> DateTime<Utc> {
        self.updated_at.max(self.published_at)
    }
}

/// The addresses in a feed.
pub(super) struct Links<'a> {
    pub site: LocatedSite<'a>,
}

impl Links<'_> {
    pub(super) fn post(&self, post: &Post) -> String {
        self.site.post(&post.slug, post.published_at)
    }

    /// The body for a format without a base URL: relative addresses of links and pictures become absolute, as on the page of the post.
    pub(super) fn absolute_body(&self, post: &Post, html: &str) -> String {
        let Ok(page) = Url::parse(&self.post(post)) else { return html.to_owned() };
        html_links::with_addresses(html, |address| match Url::parse(address) {
            Ok(_) => None,
            Err(_) => page.join(address).ok().map(String::from),
        })
    }

    /// The absolute address of an enclosure. A file of this server is below the site's address if the server's own address is unknown, as in a body.
    pub(super) fn enclosure(&self, post: &Post, enclosure: &Enclosure) -> String {
        let page = Url::parse(&self.post(post));
        page.and_then(|page| page.join(&enclosure.url)).map_or_else(|_| enclosure.url.clone(), String::from)
    }

    /// The maximum number of bytes that [`Self::absolute_body`] adds to the bodies of these posts.
    pub(super) fn bytes_of_bases(&self, posts: &[Post]) -> u64 {
        let of_post = |post: &Post| {
            let addresses = post.body.as_ref().map_or(0, |body| html_links::count(&body.html));
            (addresses * self.post(post).len()) as u64
        };
        posts.iter().map(of_post).sum()
    }

    /// The author's own page, otherwise the page of the author on the site.
    pub(super) fn author_page(&self, author: &Author) -> String {
        author.url.clone().unwrap_or_else(|| self.site.term(TermKind::Author, &author.slug))
    }

    /// An id of a post that never changes: "The 'tag' URI Scheme" (RFC 4151). Its date is the day on which the post was created, when the
    /// site owned the host.
    pub(super) fn id(&self, post: &Post) -> String {
        format!("tag:{},{}:{}", self.site.url.host(), post.created_at.format("%Y-%m-%d"), post.id)
    }
}
