//! A list of posts: its scope, its filter and its order, which determine the span of time and the streams to read. The rule: the span of a public list ends at
//! the instant of the request, so that no scheduled post is read (I4b); equal lists have equal tags, so that a cursor is valid only for its list.

use std::sync::Arc;

use crate::content::error::{ContentError, Result};
use crate::keys::Collection;
use crate::keys::cursor::{self, ListTag};
use crate::keys::time::{Direction, Span};
use crate::model::{Actor, IndexKind, Instant, Month, Post, PostId, PostKey, Role, Slug, TermId, TermKind};

use super::filter::{Filter, SlugFilter};
use super::window::{PageArguments, RequestedFields};

/// The maximum number of slugs, languages and field values in one filter: each is a separate stream.
pub const FILTER_SLUGS_MAX: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    All,
    Month(Month),
    /// Drafts, sorted by creation; only those of one author, if it is named.
    Drafts {
        of: Option<Slug>,
    },
    /// Scheduled posts, the soonest first; only those of one author, if it is named.
    Scheduled {
        of: Option<Slug>,
    },
    /// The posts of a term. Its id names the list and the index partition, because it never changes.
    Term(TermId),
    /// The posts of a series, in its order. `order`: the posts that come first.
    Series {
        id: TermId,
        order: Arc<[PostId]>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PostList {
    pub scope: Scope,
    pub filter: Filter,
    direction: Direction,
}

/// Fields with equal keys get the same page, from one read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PageKey {
    pub list: PostList,
    pub arguments: PageArguments<PostKey>,
    pub requested: RequestedFields,
}

/// The cursors of a list of posts. A cursor is valid only for its list.
#[derive(Debug, Clone, Copy)]
pub struct Cursors(ListTag);

impl Cursors {
    pub fn of(&self, post: &Post) -> String {
        cursor::encode_post(self.0, &post.key())
    }
}

/// The streams of posts to read, and how to merge them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListQuery {
    /// The months of a collection, without an index.
    Months(Collection),
    Index(IndexKind, Slug),
    Union(Vec<ListQuery>),
    Intersection(Vec<ListQuery>),
}

impl PostList {
    pub fn all() -> Self {
        Self::of(Scope::All)
    }

    /// All posts of a scope, in its usual order.
    pub fn of(scope: Scope) -> Self {
        let direction = scope.usual_direction();
        Self { scope, filter: Filter::default(), direction }
    }

    /// All drafts that have a term.
    pub(super) fn drafts_with(kind: TermKind, slug: &Slug) -> Self {
        let mut filter = Filter::default();
        filter.slugs_mut(kind).all.push(slug.clone());
        Self { filter, ..Self::of(Scope::Drafts { of: None }) }
    }

    /// The drafts that an actor has access to.
    ///
    /// # Errors
    /// [`ContentError::Forbidden`] for an actor with the role author whose author is unknown.
    pub fn drafts(actor: &Actor) -> Result<Self> {
        Ok(Self::of(Scope::Drafts { of: own(actor)? }))
    }

    /// The scheduled posts that an actor has access to.
    ///
    /// # Errors
    /// Those of [`drafts`](Self::drafts).
    pub fn scheduled(actor: &Actor) -> Result<Self> {
        Ok(Self::of(Scope::Scheduled { of: own(actor)? }))
    }

    /// # Errors
    /// [`ContentError::BadArgument`] if the filter has too many slugs, languages and field values.
    pub fn checked(scope: Scope, filter: Filter) -> Result<Self> {
        // The filter by `featured` contains no slug.
        let kinds = IndexKind::ALL.iter().filter(|kind| **kind != IndexKind::Featured);
        let named = kinds.flat_map(|kind| filter.slugs(*kind)).map(SlugFilter::count).sum::<usize>();
        if named > FILTER_SLUGS_MAX {
            let what = match (filter.fields.is_empty(), filter.languages.count() > 0) {
                (false, _) => "slugs, languages and values of fields",
                (true, true) => "slugs and languages",
                (true, false) => "slugs",
            };
            let message = format!("`filter` names {named} {what}; at most {FILTER_SLUGS_MAX} are allowed");
            return Err(ContentError::BadArgument { argument: "filter", message });
        }
        Ok(Self { filter, ..Self::of(scope) })
    }

    /// The same posts in the reverse order.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { direction: self.direction.reversed(), ..self }
    }

    pub fn tag(&self) -> ListTag {
        ListTag::of(&self.tag_text())
    }

    /// A text that identifies the list with its filter and order.
    pub(in crate::content) fn tag_text(&self) -> String {
        let scope = match &self.scope {
            Scope::All => "posts".to_owned(),
            Scope::Month(month) => format!("month {month}"),
            Scope::Drafts { of } => of_author("drafts", of.as_ref()),
            Scope::Scheduled { of } => of_author("scheduled", of.as_ref()),
            Scope::Term(id) => format!("{} {}", id.kind.noun(), id.first_slug),
            // A cursor names a post, so it stays valid when the order changes.
            Scope::Series { id, .. } => format!("posts in the order of {}", id.first_slug),
        };
        let mut name = if self.filter.is_empty() { scope } else { format!("{scope} {:?}", self.filter) };
        if self.direction != self.scope.usual_direction() {
            name.push_str(", reversed");
        }
        name
    }

    pub fn cursors(&self) -> Cursors {
        Cursors(self.tag())
    }

    /// # Errors
    /// [`ContentError::BadCursor`], which names the argument, if the cursor belongs to another list.
    pub fn decode_cursor(&self, argument: &'static str, text: &str) -> Result<PostKey> {
        cursor::decode_post(self.tag(), text).map_err(|_| ContentError::BadCursor { argument })
    }

    /// An estimate of its memory, as the key of a cached value.
    pub(in crate::content) fn bytes(&self) -> usize {
        let order = match &self.scope {
            Scope::Series { order, .. } => size_of_val(&**order),
            _ => 0,
        };
        let filters = IndexKind::ALL.into_iter().flat_map(|kind| self.filter.slugs(kind));
        let slugs = filters.flat_map(|filter| filter.all.iter().chain(filter.any.iter().flatten()).chain(&filter.none));
        let slugs: usize = slugs.map(|slug| size_of::<Slug>() + slug.as_str().len()).sum();
        size_of::<Self>() + order + slugs + size_of_val(self.filter.fields.as_slice())
    }

    /// The same list with one slug of its filter replaced.
    #[must_use]
    pub(super) fn with_slug(mut self, kind: TermKind, named: &Slug, slug: &Slug) -> Self {
        let slugs = self.filter.slugs_mut(kind);
        let each = slugs.all.iter_mut().chain(slugs.any.iter_mut().flatten()).chain(&mut slugs.none);
        for requested in each.filter(|requested| *requested == named) {
            *requested = slug.clone();
        }
        self
    }

    pub(in crate::content) fn direction(&self) -> Direction {
        self.direction
    }

    /// The terms that the filter excludes.
    pub(super) fn excluded_terms(&self) -> Vec<(TermKind, Slug)> {
        let of_kind = |kind: TermKind| self.filter.of_terms(kind).none.iter().map(move |slug| (kind, slug.clone()));
        TermKind::ALL.into_iter().flat_map(of_kind).collect()
    }

    /// All terms that the filter names.
    pub(super) fn named_terms(&self) -> Vec<(TermKind, Slug)> {
        let named = TermKind::ALL.into_iter().flat_map(|kind| {
            let SlugFilter { all, any, none } = self.filter.of_terms(kind);
            all.iter().chain(any.iter().flatten()).chain(none).map(move |slug| (kind, slug.clone()))
        });
        named.collect()
    }

    /// Whether the filter excludes any posts by an index.
    pub(super) fn excludes_any(&self) -> bool {
        IndexKind::ALL.into_iter().flat_map(|kind| self.filter.slugs(kind)).any(|slugs| !slugs.none.is_empty())
    }

    /// Whether the filter excludes the post.
    pub(super) fn excludes(&self, post: &Post) -> bool {
        let is_in_any = |kind: IndexKind| {
            let mut excluded = self.filter.slugs(kind).iter().flat_map(|slugs| &slugs.none);
            excluded.any(|slug| post.is_in_index(kind, slug))
        };
        IndexKind::ALL.into_iter().any(is_in_any)
    }

    /// Whether its stream contains posts that must be filtered out, because drafts have no index by term.
    pub(super) fn is_filtered_after_read(&self) -> bool {
        matches!(&self.scope, Scope::Drafts { of } if of.is_some() || !self.filter.is_empty())
    }

    /// The part of a span after `after` and before `before`, in the order of this list.
    pub(super) fn between(&self, whole: &Span, after: Option<&PostKey>, before: Option<&PostKey>) -> Span {
        let (after, before) = match self.direction() {
            Direction::Forward => (after, before),
            Direction::Backward => (before, after),
        };
        Span { after: after.cloned(), before: before.cloned(), ..whole.clone() }
    }

    /// The span of time that the list covers at an instant; `None` if it is empty.
    pub(super) fn span(&self, now: Instant) -> Option<Span> {
        let filter = &self.filter;
        match self.scope {
            Scope::Drafts { .. } => return Some(Span::default()),
            Scope::Scheduled { .. } => return Some(Span { since: Some(now.next()?), ..Span::default() }),
            Scope::All | Scope::Month(_) | Scope::Term(..) | Scope::Series { .. } => {}
        }
        let mut span = Span::until(now);
        if let Some(before) = filter.published_before {
            span.until = Some(before.previous()?.min(now));
        }
        if let Some(after) = filter.published_after {
            span.since = Some(after.next()?);
        }
        if let Scope::Month(month) = self.scope {
            span.until = span.until.map(|until| until.min(month.last()));
            span.since = Some(span.since.map_or(month.first(), |since| since.max(month.first())));
        }
        Some(span)
    }

    /// Whether the post belongs to the list according to its own row. Exclusions by the filter are not checked.
    pub(super) fn holds(&self, key: &PostKey, post: &Post) -> bool {
        let in_scope = match &self.scope {
            Scope::Term(id) | Scope::Series { id, .. } => post.has_term(id.kind, &id.first_slug),
            Scope::Drafts { of } | Scope::Scheduled { of } => {
                of.as_ref().is_none_or(|author| post.has_term(TermKind::Author, author))
            }
            Scope::All | Scope::Month(_) => true,
        };
        let in_collection = post.published_at.is_none() == matches!(self.scope, Scope::Drafts { .. });
        in_scope && in_collection && post.key() == *key && self.meets(post)
    }

    /// Whether the post meets the positive conditions of the filter.
    fn meets(&self, post: &Post) -> bool {
        let meets = |kind: IndexKind, requested: &SlugFilter| {
            requested.all.iter().all(|slug| post.is_in_index(kind, slug))
                && requested.any.as_ref().is_none_or(|any| any.iter().any(|slug| post.is_in_index(kind, slug)))
        };
        let has_all = |kind: IndexKind| self.filter.slugs(kind).iter().all(|requested| meets(kind, requested));
        IndexKind::ALL.into_iter().all(has_all)
    }

    /// Whether the filter matches the post, whatever its status.
    pub(in crate::content) fn has(&self, post: &Post) -> bool {
        let at = post.published_at.unwrap_or(post.created_at);
        let is_in_range = self.filter.published_after.is_none_or(|after| at > after)
            && self.filter.published_before.is_none_or(|before| at < before);
        is_in_range && self.meets(post) && !self.excludes(post)
    }

    pub(super) fn query(&self) -> ListQuery {
        match &self.scope {
            Scope::Drafts { .. } => ListQuery::Months(Collection::Drafts),
            Scope::Scheduled { of: Some(author) } => ListQuery::Index(TermKind::Author.into(), author.clone()),
            _ if self.is_contradictory() => ListQuery::Union(Vec::new()),
            _ => ListQuery::all_of(self.indexes()).unwrap_or(ListQuery::Months(Collection::Posts)),
        }
    }

    /// The posts of `query` that the filter excludes.
    pub(super) fn excluded_query(&self) -> ListQuery {
        let none = ListQuery::Union(Vec::new());
        if self.is_contradictory() {
            return none;
        }
        let mut parts = self.indexes();
        let of_kind = |kind: IndexKind| {
            let excluded = self.filter.slugs(kind).iter().flat_map(|slugs| &slugs.none);
            excluded.map(move |slug| (kind, slug.clone()))
        };
        parts.push(ListQuery::any_of(IndexKind::ALL.into_iter().flat_map(of_kind).collect()));
        ListQuery::all_of(parts).unwrap_or(none)
    }

    /// Whether the filter both requires and excludes a term.
    fn is_contradictory(&self) -> bool {
        let is_excluded = |kind: TermKind, slug: &Slug| self.filter.of_terms(kind).none.contains(slug);
        let in_filter = |kind: TermKind| self.filter.of_terms(kind).all.iter().any(|slug| is_excluded(kind, slug));
        matches!(&self.scope, Scope::Term(id) | Scope::Series { id, .. } if is_excluded(id.kind, &id.first_slug))
            || TermKind::ALL.into_iter().any(in_filter)
    }

    /// The indexes that each contain all posts of the list; empty if only the months do.
    fn indexes(&self) -> Vec<ListQuery> {
        let mut parts = Vec::new();
        if let Scope::Term(id) | Scope::Series { id, .. } = &self.scope {
            parts.push(ListQuery::Index(id.kind.into(), id.first_slug.clone()));
        }
        let of_kind = |kind: IndexKind| self.filter.slugs(kind).iter().map(move |requested| (kind, requested));
        for (kind, requested) in IndexKind::ALL.into_iter().flat_map(of_kind) {
            parts.extend(requested.all.iter().map(|slug| ListQuery::Index(kind, slug.clone())));
            if let Some(any) = requested.any_allowed() {
                parts.push(ListQuery::any_of(any.into_iter().map(|slug| (kind, slug)).collect()));
            }
        }
        parts.dedup();
        parts
    }
}

impl Scope {
    /// Newest first, but scheduled posts soonest first.
    fn usual_direction(&self) -> Direction {
        if matches!(self, Self::Scheduled { .. }) { Direction::Backward } else { Direction::Forward }
    }
}

/// The author whose unpublished posts an actor can see; `None` if it can see those of every author.
fn own(actor: &Actor) -> Result<Option<Slug>> {
    match actor.own_author() {
        _ if actor.sees_all() => Ok(None),
        Some(author) => Ok(Some(author.clone())),
        None => Err(ContentError::Forbidden { needed: Role::Reader, what: "it is not known which posts are your own" }),
    }
}

fn of_author(list: &str, author: Option<&Slug>) -> String {
    author.map_or_else(|| list.to_owned(), |author| format!("{list} of {author}"))
}

impl ListQuery {
    /// Matches posts in at least one of the indexes.
    fn any_of(mut named: Vec<(IndexKind, Slug)>) -> Self {
        named.sort();
        named.dedup();
        let mut indexes: Vec<Self> = named.into_iter().map(|(kind, slug)| Self::Index(kind, slug)).collect();
        if indexes.len() == 1 { indexes.remove(0) } else { Self::Union(indexes) }
    }

    /// Matches posts in all parts; `None` if there are no parts.
    fn all_of(mut parts: Vec<Self>) -> Option<Self> {
        match parts.len() {
            0 => None,
            1 => Some(parts.remove(0)),
            _ => Some(Self::Intersection(parts)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_with_another_filter_or_order_have_another_tag() {
        let slugs = |text: &str| SlugFilter { none: vec![text.parse().expect("a slug")], ..SlugFilter::default() };
        let filtered = |filter| PostList::checked(Scope::All, filter).expect("a list");
        let lists = [
            PostList::all(),
            PostList::all().reversed(),
            filtered(Filter { tags: slugs("a"), ..Filter::default() }),
            filtered(Filter { tags: slugs("a"), ..Filter::default() }).reversed(),
            filtered(Filter { authors: slugs("a"), ..Filter::default() }),
            filtered(Filter { languages: slugs("a"), ..Filter::default() }),
            filtered(Filter { featured: SlugFilter::of_featured(true), ..Filter::default() }),
            filtered(Filter { featured: SlugFilter::of_featured(false), ..Filter::default() }),
            filtered(Filter { fields: vec![slugs("a")], ..Filter::default() }),
            filtered(Filter { fields: vec![slugs("a"), slugs("b")], ..Filter::default() }),
        ];
        let tags: std::collections::HashSet<ListTag> = lists.iter().map(PostList::tag).collect();
        assert_eq!(tags.len(), lists.len());
        assert_eq!(PostList::all().reversed().reversed().tag(), ListTag::of("posts"));
    }
}
