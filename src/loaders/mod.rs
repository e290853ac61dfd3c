//! Look-ups gathered: what the fields of one level ask for is read at once, each key once. The rule of this room: loaders live as long as
//! a request, for what they remember is what that request may see.
//!
//! They wait by yielding to the scheduler, never by a timer.

mod batch;
mod gather;
mod pages;

use std::sync::Arc;

use crate::content::pages::{Page, PageArguments, PostList, Wanted};
use crate::content::{ContentError, Reader};
use crate::model::{Month, Post, PostId, PostKey, Slug, Term, TermKind};

use batch::{Batch, Loading};
use pages::PageKey;

/// Errors are shared by all who wait for one batch.
pub type Loaded<T> = Result<T, Arc<ContentError>>;

/// The loaders of one request.
pub struct Loaders {
    terms: Loading<(TermKind, Slug), Option<Arc<Term>>>,
    bodies: Loading<(Month, Slug), Option<Arc<str>>>,
    posts: Loading<PostId, Option<Arc<Post>>>,
    pages: Loading<PageKey, Arc<Page<Arc<Post>>>>,
}

impl Loaders {
    pub fn new(reader: &Reader) -> Self {
        Self {
            terms: Batch::of(reader, |reader, key: (TermKind, Slug)| async move { reader.term(key.0, &key.1).await }),
            bodies: Batch::of(reader, |reader, key: (Month, Slug)| async move { reader.body(key.0, &key.1).await }),
            posts: Batch::of(reader, |reader, key: PostId| async move { reader.post_by_id(&key).await }),
            pages: pages::loading(reader),
        }
    }

    /// The terms of these slugs, in their order; a slug that leads nowhere is left out.
    pub async fn terms(&self, kind: TermKind, slugs: &[Slug]) -> Loaded<Vec<Arc<Term>>> {
        let keys = slugs.iter().map(|slug| (kind, slug.clone())).collect();
        Ok(batch::load_many(&self.terms, keys).await?.into_iter().flatten().collect())
    }

    pub async fn term(&self, kind: TermKind, slug: &Slug) -> Loaded<Option<Arc<Term>>> {
        batch::load(&self.terms, (kind, slug.clone())).await
    }

    pub async fn body(&self, month: Month, slug: &Slug) -> Loaded<Option<Arc<str>>> {
        batch::load(&self.bodies, (month, slug.clone())).await
    }

    pub async fn post(&self, id: &PostId) -> Loaded<Option<Arc<Post>>> {
        batch::load(&self.posts, id.clone()).await
    }

    /// A page of posts; the pages of one level are read together.
    pub async fn page(
        &self,
        list: PostList,
        arguments: PageArguments<PostKey>,
        wanted: Wanted,
    ) -> Loaded<Arc<Page<Arc<Post>>>> {
        batch::load(&self.pages, PageKey { list, arguments, wanted }).await
    }
}
