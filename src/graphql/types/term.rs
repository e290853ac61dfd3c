//! `Category`, `Tag` and `Author`. The rule: they differ in their texts; what they do is written once.

use std::sync::Arc;

use async_graphql::{Context, ID, Object, Result};

use crate::content::pages::Scope;
use crate::model::{NodeId, Term, rules};

use crate::graphql::arguments::{Paging, PostFilter, requested};
use crate::graphql::connection::PostConnection;
use crate::graphql::context;
use crate::graphql::failure::ReadFailure;

/// A subject that posts are sorted under.
pub struct Category(pub Arc<Term>);
/// A word that posts are found by.
pub struct Tag(pub Arc<Term>);
/// Someone who writes posts.
pub struct Author(pub Arc<Term>);

impl From<Term> for Category {
    fn from(term: Term) -> Self {
        Self(Arc::new(term))
    }
}

impl From<Term> for Tag {
    fn from(term: Term) -> Self {
        Self(Arc::new(term))
    }
}

impl From<Term> for Author {
    fn from(term: Term) -> Self {
        Self(Arc::new(term))
    }
}

fn id(term: &Term) -> ID {
    NodeId::Term(term.id.clone()).to_string().into()
}

async fn posts(ctx: &Context<'_>, term: &Term, paging: Paging, filter: Option<PostFilter>) -> Result<PostConnection> {
    let scope = Scope::Term(term.id.clone());
    let list = filter.unwrap_or_default().into_list(scope)?;
    let arguments = paging.of_posts(&list)?;
    let page =
        context::of(ctx).loaders.page(list.clone(), arguments, requested(ctx)).await.map_err(ReadFailure::from)?;
    Ok(PostConnection { list, page })
}

/// A subject that posts are sorted under.
#[Object]
impl Category {
    /// Opaque, and the same through every change of its slug.
    pub async fn id(&self) -> ID {
        id(&self.0)
    }

    /// Its name in addresses and filters.
    async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    /// As it is shown.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is about; plain text.
    async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// Its published posts, newest first.
    async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start: 0 to 100; 20 where neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what stands behind this cursor of this list.")] after: Option<String>,
        #[graphql(desc = "How many from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what stands before this cursor of this list.")] before: Option<String>,
        #[graphql(desc = "Only posts that meet this; all of them where it is left out.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        posts(ctx, &self.0, Paging { first, after, last, before }, filter).await
    }
}

/// A word that posts are found by.
#[Object]
impl Tag {
    /// Opaque, and the same through every change of its slug.
    pub async fn id(&self) -> ID {
        id(&self.0)
    }

    /// Its name in addresses and filters.
    async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    /// As it is shown.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is about; plain text.
    async fn description(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// Its published posts, newest first.
    async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start: 0 to 100; 20 where neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what stands behind this cursor of this list.")] after: Option<String>,
        #[graphql(desc = "How many from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what stands before this cursor of this list.")] before: Option<String>,
        #[graphql(desc = "Only posts that meet this; all of them where it is left out.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        posts(ctx, &self.0, Paging { first, after, last, before }, filter).await
    }
}

/// Someone who writes posts.
#[Object]
impl Author {
    /// Opaque, and the same through every change of its slug.
    pub async fn id(&self) -> ID {
        id(&self.0)
    }

    /// Its name in addresses and filters.
    async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    /// As it is shown.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// About the author; plain text.
    async fn bio(&self) -> Option<&str> {
        self.0.description.as_deref()
    }

    /// The author's own page elsewhere.
    async fn url(&self) -> Option<&str> {
        // Stores of before may hold any URL.
        self.0.url.as_deref().filter(|url| rules::is_web_address(url))
    }

    /// The author's published posts, newest first.
    async fn posts(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "How many from the start: 0 to 100; 20 where neither `first` nor `last` is given.")]
        first: Option<i32>,
        #[graphql(desc = "Only what stands behind this cursor of this list.")] after: Option<String>,
        #[graphql(desc = "How many from the end: 0 to 100.")] last: Option<i32>,
        #[graphql(desc = "Only what stands before this cursor of this list.")] before: Option<String>,
        #[graphql(desc = "Only posts that meet this; all of them where it is left out.")] filter: Option<PostFilter>,
    ) -> Result<PostConnection> {
        posts(ctx, &self.0, Paging { first, after, last, before }, filter).await
    }
}
