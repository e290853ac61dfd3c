//! Converts posts and pages to indexed documents. The rule: all text that the page of a post shows is indexed, and no metadata.

use std::collections::HashMap;
use std::sync::Arc;

use tidings_search::Document;

use crate::content::Content;
use crate::content::error::Result;
use crate::content::read::Reader;
use crate::keys::Table;
use crate::model::headings::headings;
use crate::model::{IndexKind, Instant, Post, PostId, Rendered, Slug, TermKind, WholePost, WholeSitePage, render};
use crate::telemetry::with_causes;

/// The label of all posts, and of all pages.
pub(super) const KIND_OF_POSTS: &str = "post";
pub(super) const KIND_OF_PAGES: &str = "page";

/// The key of a document: the id as a number, and whether it is a page's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(pub(super) u64);

impl Key {
    pub(super) fn of_post(id: &PostId) -> Self {
        Self(id.bits() << 1)
    }

    pub(super) fn of_page(id: &PostId) -> Self {
        Self(id.bits() << 1 | 1)
    }

    pub(super) fn id(self) -> (PostId, bool) {
        (PostId::from_bits(self.0 >> 1), self.0 & 1 == 1)
    }
}

/// The label of the documents in a partition of an index.
pub(super) fn label(kind: IndexKind, slug: &Slug) -> String {
    format!("{}/{slug}", Table::PostsBy(kind).name())
}

/// The names of terms by their first slugs.
#[derive(Default)]
pub(super) struct Names(HashMap<(TermKind, Slug), String>);

impl Names {
    /// All names, by four scans.
    pub(super) async fn all(content: &Content) -> Result<Self> {
        let mut names = HashMap::new();
        for kind in TermKind::ALL {
            let terms = readable(content.all_terms(kind).await)?;
            names.extend(terms.into_iter().map(|term| ((kind, term.id.first_slug), term.name)));
        }
        Ok(Self(names))
    }

    /// The names of the terms of these posts. One point read for each term.
    pub(super) async fn of(reader: &Reader, posts: &[WholePost]) -> Result<Self> {
        let of_post = |post: &Post| {
            TermKind::ALL.map(|kind| post.terms(kind).iter().map(move |slug| (kind, slug.clone())).collect::<Vec<_>>())
        };
        let mut keys: Vec<(TermKind, Slug)> = posts.iter().flat_map(|whole| of_post(&whole.post)).flatten().collect();
        keys.sort();
        keys.dedup();
        let mut names = HashMap::new();
        for (key, term) in keys.iter().zip(reader.named_terms_at(&keys).await) {
            if let Some(term) = readable(term)? {
                names.insert(key.clone(), term.name.clone());
            }
        }
        Ok(Self(names))
    }

    fn of_post(&self, post: &Post) -> impl Iterator<Item = String> {
        let slugs =
            TermKind::ALL.into_iter().flat_map(|kind| post.terms(kind).iter().map(move |slug| (kind, slug.clone())));
        slugs.filter_map(|key| self.0.get(&key).cloned())
    }
}

/// A post or page to index.
pub(super) enum Whole {
    Post(WholePost),
    Page(WholeSitePage),
}

impl Whole {
    pub(super) fn key(&self) -> Key {
        match self {
            Self::Post(whole) => Key::of_post(&whole.post.id),
            Self::Page(whole) => Key::of_page(whole.page.id()),
        }
    }

    pub(super) fn markdown(&self) -> &Arc<str> {
        match self {
            Self::Post(whole) => &whole.markdown,
            Self::Page(whole) => &whole.markdown,
        }
    }

    /// Whether it is public now.
    pub(super) fn is_public(&self, now: Instant) -> bool {
        match self {
            Self::Post(whole) => whole.post.published_at.is_some_and(|at| at <= now),
            Self::Page(whole) => whole.page.is_public(now),
        }
    }

    /// `language`: the language of the site.
    pub(super) fn document(&self, names: &Names, language: Option<&str>) -> Document {
        let (post, kind) = match self {
            Self::Post(whole) => (&whole.post, KIND_OF_POSTS),
            Self::Page(whole) => (&whole.page.post, KIND_OF_PAGES),
        };
        let Rendered { html, mut text, .. } = render(self.markdown());
        let of_headings: Vec<String> = headings(&html).map(|heading| heading.text).collect();
        drop(html);
        if post.has_own_excerpt {
            text.push('\n');
            text.push_str(&post.excerpt);
        }
        let labels = post.indexes().map(|(kind, slug)| label(kind, &slug)).chain([kind.to_owned()]);
        Document {
            key: self.key().0,
            order: post.published_at.unwrap_or(post.created_at).ticks(),
            language: post.language.as_ref().map(|own| own.as_str()).or(language).map(str::to_owned),
            title: post.title.clone(),
            headings: of_headings.into_iter().chain(post.subtitle.clone()).chain(names.of_post(post)).collect(),
            text,
            labels: labels.collect(),
        }
    }
}

/// Nothing in place of what is damaged.
pub(super) fn readable<T: Default>(read: Result<T>) -> Result<T> {
    match read {
        Err(error) if error.is_damaged() => {
            tracing::warn!(error = with_causes(&error), "search.damaged_row");
            Ok(T::default())
        }
        read => read,
    }
}
