//! What a list of posts is: its scope and its filter, and from them the span of time and the streams to read. The rule: the span of a public list
//! ends at the instant of the request, so that no scheduled post is read (I4b); the same list has the same tag, so that its cursors fit it and no
//! other list.

use crate::content::error::{ContentError, Result};
use crate::keys::Collection;
use crate::keys::cursor::{self, ListTag};
use crate::keys::time::{Direction, Span};
use crate::model::{Actor, Instant, Month, Post, PostKey, Role, Slug, TermId, TermKind};

/// How many slugs one filter may name: each is a stream of its own.
pub const FILTER_SLUGS_MAX: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    All,
    Month(Month),
    /// Drafts, by their creation; only those of one author, if it is named.
    Drafts {
        of: Option<Slug>,
    },
    /// Scheduled posts, the soonest first; only those of one author, if it is named.
    Scheduled {
        of: Option<Slug>,
    },
    /// The posts of a term. Its id, which never changes, names the list and its index partition.
    Term(TermId),
}

/// All slugs of `all`, and at least one of `any`. An empty `all` matches every post; an empty `any` matches none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlugFilter {
    pub all: Vec<Slug>,
    pub any: Option<Vec<Slug>>,
}

impl SlugFilter {
    pub(super) fn names(&self, slug: &Slug) -> bool {
        self.all.contains(slug) || self.any.as_ref().is_some_and(|any| any.contains(slug))
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Later than this instant.
    pub published_after: Option<Instant>,
    /// Earlier than this instant.
    pub published_before: Option<Instant>,
    pub categories: SlugFilter,
    pub tags: SlugFilter,
    pub authors: SlugFilter,
}

impl Filter {
    pub fn slugs(&self, kind: TermKind) -> &SlugFilter {
        match kind {
            TermKind::Category => &self.categories,
            TermKind::Tag => &self.tags,
            TermKind::Author => &self.authors,
        }
    }

    /// The posts that have a term.
    pub(super) fn of_term(kind: TermKind, slug: &Slug) -> Self {
        let mut filter = Self::default();
        filter.slugs_mut(kind).all.push(slug.clone());
        filter
    }

    fn slugs_mut(&mut self, kind: TermKind) -> &mut SlugFilter {
        match kind {
            TermKind::Category => &mut self.categories,
            TermKind::Tag => &mut self.tags,
            TermKind::Author => &mut self.authors,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostList {
    pub scope: Scope,
    pub filter: Filter,
}

/// The streams of posts to read, and how to merge them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListQuery {
    /// No index: the months of a collection.
    Months(Collection),
    Index(TermKind, Slug),
    Union(Vec<ListQuery>),
    Intersection(Vec<ListQuery>),
}

impl PostList {
    pub fn all() -> Self {
        Self { scope: Scope::All, filter: Filter::default() }
    }

    /// The drafts that an actor has access to.
    ///
    /// # Errors
    /// [`ContentError::Forbidden`] for an author whose own posts are not known.
    pub fn drafts(actor: &Actor) -> Result<Self> {
        Ok(Self { scope: Scope::Drafts { of: own(actor)? }, filter: Filter::default() })
    }

    /// The scheduled posts that an actor has access to.
    ///
    /// # Errors
    /// As [`drafts`](Self::drafts).
    pub fn scheduled(actor: &Actor) -> Result<Self> {
        Ok(Self { scope: Scope::Scheduled { of: own(actor)? }, filter: Filter::default() })
    }

    /// # Errors
    /// [`ContentError::BadArgument`] if the filter names too many slugs.
    pub fn checked(scope: Scope, filter: Filter) -> Result<Self> {
        let count = |slugs: &SlugFilter| slugs.all.len() + slugs.any.as_ref().map_or(0, Vec::len);
        let named = TermKind::ALL.iter().map(|kind| count(filter.slugs(*kind))).sum::<usize>();
        if named > FILTER_SLUGS_MAX {
            let message = format!("`filter` names {named} slugs; at most {FILTER_SLUGS_MAX} are allowed");
            return Err(ContentError::BadArgument { argument: "filter", message });
        }
        Ok(Self { scope, filter })
    }

    pub fn tag(&self) -> ListTag {
        let scope = match &self.scope {
            Scope::All => "posts".to_owned(),
            Scope::Month(month) => format!("month {month}"),
            Scope::Drafts { of } => of_author("drafts", of.as_ref()),
            Scope::Scheduled { of } => of_author("scheduled", of.as_ref()),
            Scope::Term(id) => format!("{} {}", id.kind.noun(), id.first_slug),
        };
        ListTag::of(&if self.filter.is_empty() { scope } else { format!("{scope} {:?}", self.filter) })
    }

    /// The place of a post in this list, for the client.
    pub fn cursor(&self, post: &Post) -> String {
        cursor::encode_post(self.tag(), &post.key())
    }

    /// # Errors
    /// [`ContentError::BadCursor`], which names the argument, if the cursor is not one of this list.
    pub fn decode_cursor(&self, argument: &'static str, text: &str) -> Result<PostKey> {
        cursor::decode_post(self.tag(), text).map_err(|_| ContentError::BadCursor { argument })
    }

    /// The same list with another slug for one that its filter names.
    #[must_use]
    pub(super) fn with_slug(mut self, kind: TermKind, named: &Slug, slug: &Slug) -> Self {
        let slugs = self.filter.slugs_mut(kind);
        for requested in
            slugs.all.iter_mut().chain(slugs.any.iter_mut().flatten()).filter(|requested| *requested == named)
        {
            *requested = slug.clone();
        }
        self
    }

    /// The direction of the list: newest first, but of scheduled posts the soonest first.
    pub(in crate::content) fn direction(&self) -> Direction {
        if matches!(self.scope, Scope::Scheduled { .. }) { Direction::Backward } else { Direction::Forward }
    }

    /// Whether its stream also holds posts that are not in it: no index lists the drafts of a term.
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

    /// The span of time that it covers at an instant; `None` if the span is empty.
    pub(super) fn span(&self, now: Instant) -> Option<Span> {
        let filter = &self.filter;
        match self.scope {
            Scope::Drafts { .. } => return Some(Span::default()),
            Scope::Scheduled { .. } => return Some(Span { since: Some(now.next()?), ..Span::default() }),
            Scope::All | Scope::Month(_) | Scope::Term(..) => {}
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

    /// Whether the post itself confirms that it belongs here.
    pub(super) fn holds(&self, key: &PostKey, post: &Post) -> bool {
        let has_all = |kind: TermKind| {
            let requested = self.filter.slugs(kind);
            requested.all.iter().all(|slug| post.has_term(kind, slug))
                && requested.any.as_ref().is_none_or(|any| any.iter().any(|slug| post.has_term(kind, slug)))
        };
        let in_scope = match &self.scope {
            Scope::Term(id) => post.has_term(id.kind, &id.first_slug),
            Scope::Drafts { of } | Scope::Scheduled { of } => {
                of.as_ref().is_none_or(|author| post.has_term(TermKind::Author, author))
            }
            Scope::All | Scope::Month(_) => true,
        };
        let in_collection = post.published_at.is_none() == matches!(self.scope, Scope::Drafts { .. });
        in_scope && in_collection && post.key() == *key && TermKind::ALL.into_iter().all(has_all)
    }

    pub(super) fn query(&self) -> ListQuery {
        let mut parts = Vec::new();
        if let Scope::Drafts { .. } = self.scope {
            return ListQuery::Months(Collection::Drafts);
        }
        if let Scope::Scheduled { of: Some(author) } = &self.scope {
            return ListQuery::Index(TermKind::Author, author.clone());
        }
        if let Scope::Term(id) = &self.scope {
            parts.push(ListQuery::Index(id.kind, id.first_slug.clone()));
        }
        for kind in TermKind::ALL {
            let requested = self.filter.slugs(kind);
            parts.extend(requested.all.iter().map(|slug| ListQuery::Index(kind, slug.clone())));
            if let Some(any) = &requested.any {
                parts.push(ListQuery::any(kind, any));
            }
        }
        parts.dedup();
        match parts.len() {
            0 => ListQuery::Months(Collection::Posts),
            1 => parts.remove(0),
            _ => ListQuery::Intersection(parts),
        }
    }
}

/// The author whose unpublished posts an actor sees; `None`: those of every author.
fn own(actor: &Actor) -> Result<Option<Slug>> {
    match &actor.author {
        _ if actor.sees_all() => Ok(None),
        Some(author) => Ok(Some(author.clone())),
        None => Err(ContentError::Forbidden { needed: Role::Reader, what: "it is not known which posts are your own" }),
    }
}

fn of_author(list: &str, author: Option<&Slug>) -> String {
    author.map_or_else(|| list.to_owned(), |author| format!("{list} of {author}"))
}

impl ListQuery {
    fn any(kind: TermKind, slugs: &[Slug]) -> Self {
        let mut slugs = slugs.to_vec();
        slugs.sort();
        slugs.dedup();
        let mut streams: Vec<_> = slugs.into_iter().map(|slug| Self::Index(kind, slug)).collect();
        if streams.len() == 1 { streams.remove(0) } else { Self::Union(streams) }
    }
}
