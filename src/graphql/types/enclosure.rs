//! The type `Enclosure`. The rule: it is a part of the post, so it costs no storage read.

use async_graphql::{Context, SimpleObject};

use crate::graphql::context;
use crate::model::{self, Post};

/// An audio or video file of a post, for podcast clients. It has no id of its own: it is a part of its post.
#[derive(SimpleObject)]
pub struct Enclosure {
    /// The address of the file. Of a file of the site it is as `File.url`: an absolute URL only if the server knows its own address.
    url: String,
    /// The bytes of the file; null if they are not known. Feeds in RSS have 0 then.
    byte_size: Option<i32>,
    /// The media type, such as `audio/mpeg`.
    content_type: String,
}

impl Enclosure {
    pub fn of(ctx: &Context<'_>, post: &Post) -> Option<Self> {
        let model::Enclosure { url, byte_size, content_type } = post.enclosure.clone()?;
        let url = if url.starts_with('/') { context::of(ctx).address(&url) } else { url };
        Some(Self { url, byte_size, content_type })
    }
}
