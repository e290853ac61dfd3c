//! The addresses in a feed and in the sitemap.

use super::content::{Author, Post};
use super::site::Site;

pub(super) struct Links<'a> {
    pub site: &'a Site,
}

impl Links<'_> {
    pub(super) fn post(&self, post: &Post) -> String {
        self.site.url.join(&self.site.paths.post.of(&post.slug, post.published_at))
    }

    /// The author's own page, if there is one.
    pub(super) fn author_page(&self, author: &Author) -> String {
        author.url.clone().unwrap_or_else(|| self.site.url.join(&self.site.paths.author.of(&author.slug)))
    }

    /// A name for a post that never changes: "The 'tag' URI Scheme" (RFC 4151). Its date is the day of the post's creation, when the host was the site's.
    pub(super) fn id(&self, post: &Post) -> String {
        format!("tag:{},{}:{}", self.site.url.host(), post.created_at.format("%Y-%m-%d"), post.id)
    }
}
