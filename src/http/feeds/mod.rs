//! Feeds, the sitemap and the Markdown of the web site that shows the content: Atom, RSS and JSON Feed with the newest posts of the whole site or of a term. The
//! rule: each is made from GraphQL queries of this server, which run like those of an anonymous client under the same limits; a feed and Markdown are cached
//! as long as the answer to their query.

mod content;
mod formats;
pub(super) mod markdown;
pub(super) mod query;
mod sitemap;
mod xml;

use std::sync::Arc;

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
    response::IntoResponse,
    routing::get,
};

use super::{
    accept::Media,
    answer::{Answer, RequestFailure},
    api::Api,
    cached::{self, Door},
    etag,
    settings::FeedContent,
};
use crate::graphql::error::Code;
use crate::model::feed_path::{FeedOf, FeedPath, Format, MarkdownPath};
use crate::model::{TermKind, site::LocatedSite};
use content::{Feed, FeedData, FeedTerm, Links};
use markdown::Written;
use query::{Own, Refused};
use sitemap::Part;

/// The maximum size in bytes of the query's answer for a feed with whole bodies. If it is larger, the entries have excerpts, because feed
/// readers refuse feeds of some megabytes.
const FULL_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// The memory of the answer, its values and the written feed, for each byte of the answer. An escaped quotation mark has six bytes.
const MEMORY_FACTOR: u64 = 8;

const SITEMAP: &str = "application/xml; charset=utf-8";

pub(super) fn routes() -> Router<Arc<Api>> {
    let files = Format::ALL.map(|format| format!("/{}", format.file()));
    let of_terms = TermKind::ALL.map(|kind| format!("/{}/{{slug}}/{{file}}", kind.plural()));
    let sitemap = ["/languages/{tag}/{file}", "/sitemap.xml", "/sitemaps/{file}"].map(str::to_owned);
    let markdown = ["/llms.txt", "/posts/{file}", "/pages/{*path}"].map(str::to_owned);
    let paths = files.iter().chain(&of_terms).chain(&sitemap).chain(&markdown);
    paths.fold(Router::new(), |routes, path| routes.route(path, get(answer)))
}

/// The requested document.
enum Target<'a> {
    Feed(FeedPath),
    Sitemap(Part),
    Markdown(MarkdownPath<'a>),
}

enum Outcome {
    /// The document was found, with this media type.
    Found(Box<Answer>, &'static str),
    /// The redirect from a former slug to the current one, relative to the request.
    Moved(String),
}

/// Answers a request, with an entity tag and caching headers.
async fn answer(State(api): State<Arc<Api>>, request: Request) -> Response<Body> {
    let (api, head) = (&*api, request.into_parts().0);
    let path = head.uri.path();
    let target = FeedPath::parse(path).map(Target::Feed).or_else(|| Part::parse(path).map(Target::Sitemap));
    let target = target.or_else(|| MarkdownPath::parse(path).map(Target::Markdown));
    let Some(target) = target else { return RequestFailure::not_found().into_response() };
    let Some(site) = api.settings.site.located() else {
        let message =
            "This server has no feeds, no sitemap and no Markdown: set `site.url`, the address of the web site.";
        return RequestFailure::new(StatusCode::NOT_FOUND, Code::RouteNotFound, message).into_response();
    };
    let headers = &head.headers;
    let share = api.share_of(headers, &head.extensions);
    let mut own = Own { api, site, share: &share };
    let outcome = match target {
        Target::Feed(path) => find_feed(&mut own, headers, &path).await,
        Target::Sitemap(part) => {
            sitemap::write(&mut own, part).await.map(|text| Outcome::Found(Box::new(Answer::of_text(text)), SITEMAP))
        }
        Target::Markdown(path) => find_markdown(&mut own, headers, path).await,
    };
    let mut response = match outcome {
        Ok(Outcome::Found(answer, media_type)) => {
            let tag = etag::tag_of_hash(answer.json.hash());
            let freshness = answer.freshness().cloned();
            let mut response = answer.into_http(Media::Json);
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            etag::apply(&tag, headers, &mut response);
            if !headers.contains_key(header::AUTHORIZATION) {
                api.show_freshness(freshness.as_ref(), &mut response);
            }
            response
        }
        Ok(Outcome::Moved(to)) => moved(&to),
        Err(refused) => refused.render(),
    };
    // A post can be published at any moment, so caches must revalidate.
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
    // The memory of the answer stays charged until the answer is sent.
    response.extensions_mut().insert(share.charge);
    response
}

fn moved(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    let to = HeaderValue::from_str(to).expect("slugs and names of files are ASCII");
    response.headers_mut().insert(header::LOCATION, to);
    response
}

async fn find_feed(own: &mut Own<'_>, headers: &HeaderMap, path: &FeedPath) -> Result<Outcome, Refused> {
    let key = path.to_string();
    let to_cache = match cached::find(own.api, headers, (Door::Feed, key.as_bytes()), &own.share.charge) {
        Ok(answer) => return Ok(Outcome::Found(Box::new(answer), path.format.media_type())),
        Err(to_cache) => to_cache,
    };
    let is_full = own.api.settings.feeds.content == FeedContent::Full;
    let queried = content::query(own, path, is_full, to_cache.as_ref()).await?;
    let (queried, to_cache) = if queried.length() > FULL_BYTES_MAX && is_full {
        drop(queried);
        // A feed of two queries is not cached, because a recording is for one query.
        (content::query(own, path, false, None).await?, None)
    } else {
        (queried, to_cache)
    };
    own.charge(queried.length().saturating_mul(MEMORY_FACTOR)).await?;
    let data: FeedData = queried.parse()?;
    if path.format != Format::Atom {
        let posts = data.posts.as_ref().or(data.term.as_ref().map(|term| &term.posts));
        let bases = posts.map_or(0, |posts| Links { site: own.site }.bytes_of_bases(&posts.nodes));
        own.charge(bases.saturating_mul(MEMORY_FACTOR)).await?;
    }
    let text = match (&data, &path.of) {
        // A language without posts has no feed.
        (FeedData { posts: Some(posts), .. }, Some(FeedOf::Language(_))) if posts.nodes.is_empty() => {
            return Err(Refused::not_found());
        }
        (FeedData { posts: Some(posts), .. }, of @ (None | Some(FeedOf::Language(_)))) => {
            let site = own.site;
            let language = match of {
                Some(FeedOf::Language(language)) => Some(language.as_str()),
                _ => site.language.as_deref(),
            };
            let feed = Feed {
                title: site.name.clone(),
                description: site.description.as_deref(),
                language,
                page: site.url.as_str().to_owned(),
                address: site.url.join(&key),
                posts: &posts.nodes,
            };
            write(&feed, path.format, site)
        }
        (FeedData { term: Some(term), .. }, Some(FeedOf::Term(kind, slug))) if term.slug == *slug => {
            write(&feed_of_term(term, *kind, &key, &own.site), path.format, own.site)
        }
        (FeedData { term: Some(term), .. }, Some(FeedOf::Term(..))) => {
            return Ok(Outcome::Moved(format!("../{}/{}", term.slug, path.format.file())));
        }
        _ => return Err(Refused::not_found()),
    };
    let mut answer = Answer::of_text(text);
    if let Some(to_cache) = to_cache {
        to_cache.keep(&mut answer);
    }
    Ok(Outcome::Found(Box::new(answer), path.format.media_type()))
}

async fn find_markdown(own: &mut Own<'_>, headers: &HeaderMap, path: MarkdownPath<'_>) -> Result<Outcome, Refused> {
    let media_type = if path == MarkdownPath::List { "text/plain; charset=utf-8" } else { markdown::MEDIA_TYPE };
    let key = path.to_string();
    let to_cache = match cached::find(own.api, headers, (Door::Feed, key.as_bytes()), &own.share.charge) {
        Ok(answer) => return Ok(Outcome::Found(Box::new(answer), media_type)),
        Err(to_cache) => to_cache,
    };
    let text = match markdown::write(own, path, to_cache.as_ref()).await? {
        Written::Text(text) => text,
        Written::Moved(to) => return Ok(Outcome::Moved(to)),
    };
    let mut answer = Answer::of_text(text.into());
    if let Some(to_cache) = to_cache {
        to_cache.keep(&mut answer);
    }
    Ok(Outcome::Found(Box::new(answer), media_type))
}

fn feed_of_term<'a>(term: &'a FeedTerm, kind: TermKind, key: &str, site: &'a LocatedSite<'_>) -> Feed<'a> {
    Feed {
        title: format!("{} – {}", term.name, site.name),
        description: term.description.as_deref(),
        language: site.language.as_deref(),
        page: site.term(kind, &term.slug),
        address: site.url.join(key),
        posts: &term.posts.nodes,
    }
}

fn write(feed: &Feed<'_>, format: Format, site: LocatedSite<'_>) -> Bytes {
    let links = Links { site };
    let written = match format {
        Format::Atom => formats::atom(feed, &links),
        Format::Rss => formats::rss(feed, &links),
        Format::Json => formats::json_feed(feed, &links),
    };
    written.into()
}
