//! The kinds of held values, and their memory. The rule: a value that several entries share counts in each of them, so that the sum is an upper bound.

use std::sync::Arc;

use crate::content::read::pages::{FirstKeys, Page, PageArguments, PostList, RequestedFields, Scope, SlugFilter};
use crate::content::tables::{FirstCharacters, Months};
use crate::keys::time::Direction;
use crate::keys::{Collection, Table};
use crate::model::{
    Asset, AssetHash, CategoryEntry, CategoryTree, IndexKind, Instant, Post, PostDetails, PostId, PostKey, Slug, Term,
    TermId, TermKind,
};
use crate::store::{Key, ReadSet};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::content) enum ValueKey {
    /// A term by a slug that it has or had.
    Term(TermKind, Slug),
    /// A post of `Posts` by its place in lists.
    PostAt(PostKey),
    PostById(PostId),
    /// A post by a slug that it has or had.
    PostBySlug(Slug),
    WholeBySlug(Slug),
    /// A whole post of `Posts` by the key of its row.
    WholeAt(Key),
    PostPage(Box<(PostList, PageArguments<PostKey>, RequestedFields)>),
    TermPage(Box<(TermKind, Direction, PageArguments<Slug>, RequestedFields)>),
    /// All terms of a kind, to be counted.
    AllTerms(TermKind),
    /// How many posts a list has.
    PostCount(Box<PostList>),
    /// How many published posts a term has.
    TermCount(TermId),
    /// The first keys of an index, in this direction, by the slug that names its partition.
    FirstKeys(IndexKind, Slug, Direction),
    NextScheduled,
    Asset(AssetHash),
    Months(Collection),
    FirstCharacters(TermKind),
    CategoryTree,
}

impl ValueKey {
    /// The table of most of the rows that the value was read from.
    pub(in crate::content) fn table(&self) -> Table {
        match self {
            Self::Term(kind, _) => Table::Terms(*kind),
            Self::TermPage(page) => Table::Terms(page.0),
            Self::TermCount(TermId { kind, .. }) => Table::PostsBy(*kind),
            Self::FirstKeys(kind, ..) => Table::of_index(*kind),
            Self::NextScheduled | Self::Months(_) => Table::Months,
            Self::Asset(_) => Table::Assets,
            Self::FirstCharacters(kind) | Self::AllTerms(kind) => Table::Terms(*kind),
            Self::CategoryTree => Table::Terms(TermKind::Category),
            _ => Table::Posts,
        }
    }
}

/// A held value. It can be a post that the client is not allowed to see: the reader checks that.
#[derive(Debug, Clone)]
pub(in crate::content) enum HeldValue {
    Term(Option<Arc<Term>>),
    Post(Option<Arc<Post>>),
    /// A post with its body and metadata.
    Whole(Option<(Arc<Post>, PostDetails)>),
    PostPage(Arc<Page<Arc<Post>>>),
    TermPage(Arc<Page<Arc<Term>>>),
    Count(u64),
    FirstKeys(FirstKeys),
    /// The instant of the next scheduled post, and the rows of months that show it.
    NextScheduled(Option<Instant>, Arc<ReadSet>),
    Months(Months),
    FirstCharacters(FirstCharacters),
    CategoryTree(Arc<CategoryTree>),
    Asset(Option<Arc<Asset>>),
}

/// Assumes that no slug is stored inline.
fn slugs_bytes(slugs: &[Slug]) -> usize {
    slugs.iter().map(|slug| size_of::<Slug>() + slug.as_str().len()).sum()
}

/// Ids are stored inline.
fn ids_bytes(ids: &[PostId]) -> usize {
    size_of_val(ids)
}

fn post_bytes(post: &Post) -> usize {
    let slugs = [&post.authors, &post.categories, &post.tags, &post.former_slugs, &post.field_index];
    let slugs = slugs.map(|slugs| slugs_bytes(slugs)).iter().sum::<usize>();
    let series = post.series.as_ref().map_or(0, |series| series.as_str().len());
    let texts =
        [post.title.len(), post.excerpt.len(), post.slug.as_str().len(), post.origin.as_ref().map_or(0, String::len)];
    let language = post.language.as_ref().map_or(0, |language| language.as_str().len());
    size_of::<Post>() + language + slugs + series + texts.iter().sum::<usize>()
}

fn term_bytes(term: &Term) -> usize {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let texts = term.name.len() + optional(&term.description) + optional(&term.url) + term.profile.text_bytes();
    let parent = term.parent.as_ref().map_or(0, |slug| slug.as_str().len());
    size_of::<Term>()
        + texts
        + 2 * term.slug.as_str().len()
        + slugs_bytes(&term.former_slugs)
        + parent
        + ids_bytes(&term.order)
}

fn category_entry_bytes(entry: &CategoryEntry) -> usize {
    let CategoryEntry { category, place } = entry;
    let texts = [category, &place.parent, &place.slug];
    size_of::<CategoryEntry>() + texts.iter().map(|slug| slug.as_str().len()).sum::<usize>()
}

fn asset_bytes(asset: &Asset) -> usize {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let texts = optional(&asset.original_name) + optional(&asset.alt) + optional(&asset.caption);
    size_of::<Asset>() + asset.facts.placeholder.len() + texts
}

fn page_bytes<T>(page: &Page<T>, item: impl Fn(&T) -> usize) -> usize {
    size_of::<Page<T>>() + page.items.iter().map(|value| size_of::<T>() + item(value)).sum::<usize>()
}

pub(super) fn value_bytes(value: &HeldValue) -> usize {
    let inside = match value {
        HeldValue::Term(term) => term.as_deref().map_or(0, term_bytes),
        HeldValue::Post(post) => post.as_deref().map_or(0, post_bytes),
        HeldValue::Whole(whole) => whole.as_ref().map_or(0, |(post, details)| post_bytes(post) + details.bytes()),
        HeldValue::PostPage(page) => page_bytes(page, |post| post_bytes(post)),
        HeldValue::TermPage(page) => page_bytes(page, |term| term_bytes(term)),
        HeldValue::Asset(asset) => asset.as_deref().map_or(0, asset_bytes),
        HeldValue::Count(_) => 0,
        HeldValue::FirstKeys(first) => size_of_val(first.keys.as_slice()),
        // Its set is that of its dependencies, which are counted.
        HeldValue::NextScheduled(_, reads) => 256 * (1 + reads.ranges().len()),
        HeldValue::Months(months) => size_of_val(months.as_slice()),
        // A first character fits into the smallest allocation.
        HeldValue::FirstCharacters(listed) => size_of_val(listed.as_slice()) + 16 * listed.len(),
        HeldValue::CategoryTree(tree) => tree.entries().map(category_entry_bytes).sum(),
    };
    size_of::<HeldValue>() + inside
}

fn list_bytes(list: &PostList) -> usize {
    let filters = IndexKind::ALL.into_iter().flat_map(|kind| list.filter.slugs(kind));
    let filter_bytes = |slugs: &SlugFilter| {
        slugs_bytes(&slugs.all) + slugs_bytes(&slugs.none) + slugs.any.as_deref().map_or(0, slugs_bytes)
    };
    let order = match &list.scope {
        Scope::Series { order, .. } => ids_bytes(order),
        _ => 0,
    };
    let fields = size_of_val(list.filter.fields.as_slice());
    size_of::<PostList>() + order + fields + filters.map(filter_bytes).sum::<usize>()
}

/// The arguments of a page, with two cursors.
const ARGUMENTS_BYTES: usize = 400;

pub(super) fn key_bytes(key: &ValueKey) -> usize {
    let inside = match key {
        ValueKey::Term(_, slug) | ValueKey::PostBySlug(slug) | ValueKey::WholeBySlug(slug) => slug.as_str().len(),
        ValueKey::FirstKeys(_, slug, _) => slug.as_str().len(),
        ValueKey::TermCount(term) => term.first_slug.as_str().len(),
        ValueKey::WholeAt(key) => key.partition().len() + key.row().len(),
        ValueKey::PostAt(_)
        | ValueKey::PostById(_)
        | ValueKey::NextScheduled
        | ValueKey::Asset(_)
        | ValueKey::Months(_)
        | ValueKey::FirstCharacters(_)
        | ValueKey::AllTerms(_)
        | ValueKey::CategoryTree => 0,
        ValueKey::PostPage(page) => ARGUMENTS_BYTES + list_bytes(&page.0),
        ValueKey::TermPage(_) => 2 * ARGUMENTS_BYTES,
        ValueKey::PostCount(list) => list_bytes(list),
    };
    size_of::<ValueKey>() + inside
}
