//! The addresses in a feed.

use url::Url;

use super::content::{Author, Post};
use crate::model::{TermKind, html_links, site::Site};

pub(super) struct Links<'a> {
    pub site: &'a Site,
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
