//! The keys of cached values, and the memory that values take. The rule: a value that several entries share is counted in each, so the sum is an upper bound.

use std::any::Any;
use std::sync::Arc;

use crate::content::read::pages::{Page, PageArguments, PageKey, PostList, RequestedFields};
use crate::content::tables::rows::partition_catalog::Listed;
use crate::content::tables::{Catalog, Listable};
use crate::keys::Table;
use crate::keys::time::Direction;
use crate::model::{
    Asset, AssetHash, CategoryEntry, CategoryTree, IndexKind, Post, PostDetails, PostId, PostKey, Slug, Term, TermId,
    TermKind,
};
use crate::store::Key;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::content) enum CacheKey {
    /// A term, by a current or former slug.
    Term(TermKind, Slug),
    /// A post of `Posts`, by its position in lists.
    PostAt(PostKey),
    PostById(PostId),
    /// A post, by a current or former slug.
    PostBySlug(Slug),
    WholeBySlug(Slug),
    /// A whole post of `Posts`, by the key of its row.
    WholeAt(Key),
    PostPage(Box<PageKey>),
    TermPage(Box<(TermKind, Direction, PageArguments<Slug>, RequestedFields)>),
    /// All terms of a kind, for their post counts.
    AllTerms(TermKind),
    /// The number of posts in a list.
    PostCount(Box<PostList>),
    /// The number of published posts of a term.
    TermCount(TermId),
    /// The first keys of an index, in this direction, by the slug that names its partition.
    FirstKeys(IndexKind, Slug, Direction),
    NextScheduled,
    Asset(AssetHash),
    Partitions(Catalog),
    CategoryTree,
}

/// The events that invalidate a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::content) enum Until {
    /// A write of a row that was read for it.
    Written,
    /// A write of such a row, or the publication of a scheduled post or page.
    Scheduled,
}

/// A value that can be cached. The client may not be allowed to see it; the reader checks that.
pub(in crate::content) trait Cached: Any + Send + Sync {
    /// An estimate of the memory outside the value itself.
    fn heap_bytes(&self) -> usize;
}

impl CacheKey {
    /// The table of most of the rows that are read for the value.
    pub(in crate::content) fn table(&self) -> Table {
        match self {
            Self::Term(kind, _) | Self::AllTerms(kind) => Table::Terms(*kind),
            Self::TermPage(page) => Table::Terms(page.0),
            Self::TermCount(TermId { kind, .. }) => Table::PostsBy((*kind).into()),
            Self::FirstKeys(kind, ..) => Table::PostsBy(*kind),
            Self::NextScheduled => Table::Months,
            Self::Partitions(catalog) => catalog.table(),
            Self::Asset(_) => Table::Assets,
            Self::CategoryTree => Table::Terms(TermKind::Category),
            _ => Table::Posts,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        /// The memory of the arguments of a page with two cursors.
        const ARGUMENTS_BYTES: usize = 400;
        let inside = match self {
            Self::PostPage(page) => ARGUMENTS_BYTES + page.list.bytes(),
            Self::TermPage(_) => 2 * ARGUMENTS_BYTES,
            Self::PostCount(list) => list.bytes(),
            Self::Term(_, slug) | Self::PostBySlug(slug) | Self::WholeBySlug(slug) | Self::FirstKeys(_, slug, _) => {
                slug.as_str().len()
            }
            Self::TermCount(term) => term.first_slug.as_str().len(),
            Self::WholeAt(key) => key.partition().len() + key.row().len(),
            _ => 0,
        };
        size_of::<Self>() + inside
    }
}

impl<T: Cached> Cached for Option<T> {
    fn heap_bytes(&self) -> usize {
        self.as_ref().map_or(0, T::heap_bytes)
    }
}

impl<T: Cached> Cached for Arc<T> {
    fn heap_bytes(&self) -> usize {
        size_of::<T>() + T::heap_bytes(self)
    }
}

impl<T: Cached> Cached for Vec<T> {
    fn heap_bytes(&self) -> usize {
        size_of_val(self.as_slice()) + self.iter().map(T::heap_bytes).sum::<usize>()
    }
}

impl<A: Cached, B: Cached> Cached for (A, B) {
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes() + self.1.heap_bytes()
    }
}

impl<T: Cached> Cached for Page<T> {
    fn heap_bytes(&self) -> usize {
        self.items.heap_bytes()
    }
}

impl Cached for u64 {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Cached for PostKey {
    fn heap_bytes(&self) -> usize {
        0
    }
}

/// Assumes that no slug is stored inline.
impl Cached for Slug {
    fn heap_bytes(&self) -> usize {
        self.as_str().len()
    }
}

impl Cached for String {
    fn heap_bytes(&self) -> usize {
        self.len()
    }
}

impl Cached for Post {
    fn heap_bytes(&self) -> usize {
        let slugs = [&self.authors, &self.categories, &self.tags, &self.former_slugs, &self.field_index];
        let slugs = slugs.map(Cached::heap_bytes).iter().sum::<usize>() + self.series.heap_bytes();
        let language = self.language.as_ref().map_or(0, |language| language.as_str().len());
        let texts = self.title.len() + self.subtitle.heap_bytes() + self.excerpt.len() + self.origin.heap_bytes();
        let enclosure =
            self.enclosure.as_ref().map_or(0, |enclosure| enclosure.url.len() + enclosure.content_type.len());
        slugs + self.slug.heap_bytes() + language + texts + enclosure
    }
}

impl Cached for PostDetails {
    fn heap_bytes(&self) -> usize {
        self.bytes()
    }
}

impl Cached for Term {
    fn heap_bytes(&self) -> usize {
        let texts = self.name.len() + self.description.heap_bytes() + self.url.heap_bytes() + self.profile.text_bytes();
        let others = self.former_slugs.heap_bytes() + self.merged.heap_bytes() + self.parent.heap_bytes();
        let slugs = 2 * self.slug.heap_bytes() + others;
        texts + slugs + size_of_val(self.order.as_slice())
    }
}

impl Cached for Asset {
    fn heap_bytes(&self) -> usize {
        let texts = [&self.original_name, &self.alt, &self.caption].map(Cached::heap_bytes);
        self.facts.image.as_ref().map_or(0, |image| image.placeholder.len()) + texts.iter().sum::<usize>()
    }
}

impl<P: Listable> Cached for Listed<P> {
    fn heap_bytes(&self) -> usize {
        P::HEAP_BYTES
    }
}

impl Cached for CategoryTree {
    fn heap_bytes(&self) -> usize {
        let entry = |CategoryEntry { category, place }: &CategoryEntry| {
            [category, &place.parent, &place.slug].map(Cached::heap_bytes).iter().sum::<usize>()
        };
        self.entries().map(|each| size_of::<CategoryEntry>() + entry(each)).sum()
    }
}
