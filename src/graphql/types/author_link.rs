//! A link in the profile of an author. The rule: every stored link is a web address, which was checked when it was written.

use async_graphql::SimpleObject;

use crate::graphql::text_scalars::Url;
use crate::model::ProfileLink;

/// A page elsewhere about an author or by an author. It has no id of its own: it is a part of its parent.
#[derive(SimpleObject)]
pub struct AuthorLink {
    /// The text of the link, such as "Mastodon".
    title: String,
    /// The address.
    url: Url,
}

impl AuthorLink {
    pub fn of(link: &ProfileLink) -> Self {
        Self { title: link.title.clone(), url: Url(link.url.clone()) }
    }
}
