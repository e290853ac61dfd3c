//! Compares what readers get with the posts and terms: every list, count, month, slug and id, read as a query reads them. The rule: this check runs
//! only if the rows agree with each other, so a difference that it reports is a defect of Tidings, and names the query that returned it, not a row.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;

use futures_util::future::try_join_all;

use crate::content::error::Result;
use crate::content::read::Reader;
use crate::content::read::pages::posts::read_page;
use crate::content::read::pages::{
    Filter, MonthSpan, PAGE_SIZE_MAX, PageArguments, PostList, RequestedFields, Scope, SlugFilter, sort_as_series,
    terms as term_pages, total,
};
use crate::keys::Collection;
use crate::keys::time::Direction;
use crate::model::actor::Role;
use crate::model::{Actor, ActorKind, IndexKind, Month, PostId, PostKey, Slug, Term, TermKind};

use super::known::{Known, Posts};
use super::report::{Difference, Fix};
use super::terms::Terms;

/// The maximum number of concurrent look-ups.
const LOOKUPS_AT_ONCE: usize = 32;

/// Reads each post about twice for each list that it is in, and once for its id and for each of its slugs.
///
/// # Errors
/// If the store cannot be read; differences are not errors.
pub(super) async fn check(reader: &Reader, posts: &Posts, terms: &Terms) -> Result<Vec<Difference>> {
    let actor = Arc::new(Actor::new(ActorKind::Unknown, "check", Role::Admin));
    let editor = reader.clone().for_actor(Some(actor));
    let shown = Shown { public: reader, editor: &editor, posts, terms };
    let mut differences = check_lists(&shown).await?;
    differences.extend(shown.look_up().await?);
    Ok(differences)
}

/// The readers of one check, and the posts and terms, read from the rows, that they should show.
struct Shown<'a> {
    /// Reads as an anonymous client.
    public: &'a Reader,
    /// Reads as an actor who also sees drafts and scheduled posts.
    editor: &'a Reader,
    posts: &'a Posts,
    terms: &'a Terms,
}

/// `asked`: what was read, with the name of the query.
fn difference(asked: &str, what: String) -> Difference {
    Difference { table: "GraphQL", key: format!("({asked})"), what, fix: Fix::READERS }
}

impl<'a> Shown<'a> {
    /// The posts that an anonymous client sees.
    fn published(&self) -> impl Iterator<Item = &'a Known> {
        let now = self.public.now();
        let of_posts = self.posts.by_id.values().filter(|known| known.place.collection == Collection::Posts);
        of_posts.filter(move |known| known.place.key.at <= now)
    }

    /// Looks up each post by its id and its slugs, and each term by its slugs.
    async fn look_up(&self) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        let (known, terms): (Vec<_>, Vec<_>) = (self.posts.by_id.iter().collect(), self.terms.all().collect());
        for some in known.chunks(LOOKUPS_AT_ONCE) {
            let checks: Vec<_> = some.iter().map(|(id, known)| self.check_post(id, known)).collect();
            differences.extend(try_join_all(checks).await?.into_iter().flatten());
        }
        for some in terms.chunks(LOOKUPS_AT_ONCE) {
            let checks: Vec<_> = some.iter().map(|term| self.check_term(term)).collect();
            differences.extend(try_join_all(checks).await?.into_iter().flatten());
        }
        Ok(differences)
    }

    async fn check_post(&self, id: &PostId, known: &Known) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        let mut compare = |asked: String, found: Option<PostId>| {
            if found.as_ref() != Some(id) {
                let found = found.map_or_else(|| "nothing".to_owned(), |id| format!("the post {id}"));
                differences.push(difference(&asked, format!("shows {found}, but should show the post {id}")));
            }
        };
        let found = self.editor.post_by_id(id).await?;
        compare(format!("node, of the post {id}"), found.map(|post| post.id.clone()));
        for slug in known.former_slugs.iter().chain([&known.slug]) {
            // If several posts had a slug, it points to one of them.
            if self.posts.points_to(slug, Some(id)).is_some_and(|(owner, _)| owner == id) {
                let found = self.editor.post_by_slug(slug).await?;
                compare(format!("post, of the slug {slug}"), found.map(|post| post.id.clone()));
            }
        }
        Ok(differences)
    }

    async fn check_term(&self, term: &Term) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        let (kind, noun) = (term.kind(), term.kind().noun());
        for slug in [&term.slug, &term.id.first_slug] {
            let found = self.public.term(kind, slug).await?;
            if found.as_deref() != Some(term) {
                let found = found.map_or_else(|| "nothing".to_owned(), |term| format!("{term:?}"));
                differences.push(difference(&format!("{noun}, of the slug {slug}"), format!("shows {found}")));
            }
        }
        // If several terms had a slug, it points to one of them; if a term has it, to that one.
        let is_taken = |slug: &Slug| {
            let owner = self.terms.owner(kind, slug);
            self.terms.of(kind).contains_key(slug) || owner.is_some_and(|owner| owner.slug == *slug)
        };
        for slug in term.former_slugs.iter().filter(|slug| !is_taken(slug)) {
            let found = self.public.term(kind, slug).await?;
            if !found.is_some_and(|term| term.former_slugs.contains(slug)) {
                let what = format!("does not show the {noun} that once had it");
                differences.push(difference(&format!("{noun}, of the slug {slug}"), what));
            }
        }
        Ok(differences)
    }
}

/// Reads each list page by page, forwards and backwards, with its count, and the archive.
async fn check_lists(shown: &Shown<'_>) -> Result<Vec<Difference>> {
    let mut differences = Vec::new();
    for list in expected_lists(shown)? {
        differences.extend(list.check().await?);
    }
    differences.extend(check_archive(shown).await?);
    for kind in TermKind::ALL {
        differences.extend(check_terms(shown, kind).await?);
    }
    Ok(differences)
}

/// A list of posts, and the posts that it must hold, in its order.
struct ExpectedList<'a> {
    asked: String,
    reader: &'a Reader,
    list: PostList,
    keys: Vec<PostKey>,
}

impl<'a> ExpectedList<'a> {
    fn new<'k>(
        asked: impl Into<String>,
        reader: &'a Reader,
        list: PostList,
        posts: impl IntoIterator<Item = &'k Known>,
    ) -> Self {
        let mut keys: Vec<PostKey> = posts.into_iter().map(|known| known.place.key.clone()).collect();
        keys.sort();
        if list.direction() == Direction::Backward {
            keys.reverse();
        }
        Self { asked: asked.into(), reader, list, keys }
    }

    fn of_series(series: &Term, reader: &'a Reader, posts: &[&Known]) -> Self {
        let mut keys: Vec<PostKey> = posts.iter().map(|known| known.place.key.clone()).collect();
        sort_as_series(&series.order, &mut keys);
        Self { asked: format!("the series {}", series.slug), reader, list: PostList::of_series(series), keys }
    }

    async fn check(&self) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for direction in [Direction::Forward, Direction::Backward] {
            let found = self.walk(direction).await?;
            differences.extend(compare(&self.asked, direction, &self.keys, &found, |key| key.id.to_string()));
        }
        let count = total::count_posts(self.reader, &self.list).await?;
        differences.extend(compare_count(&self.asked, self.keys.len(), count));
        Ok(differences)
    }

    async fn walk(&self, direction: Direction) -> Result<Vec<PostKey>> {
        let mut found: Vec<PostKey> = Vec::new();
        loop {
            let (arguments, requested) = next_page(direction, found.last());
            let page = read_page(self.reader, self.reader, &self.list, &arguments, requested).await?;
            let has_more = page.has_next || page.has_previous;
            extend(&mut found, page.items.iter().map(|post| post.key()), direction);
            if !has_more || page.items.is_empty() {
                return Ok(in_order(found, direction));
            }
        }
    }
}

/// `last`: the last item of the previous page, in the direction of the walk.
fn next_page<C: Clone>(direction: Direction, last: Option<&C>) -> (PageArguments<C>, RequestedFields) {
    let (size, last) = (Some(PAGE_SIZE_MAX as i32), last.cloned());
    match direction {
        Direction::Forward => (
            PageArguments { first: size, after: last, ..PageArguments::default() },
            RequestedFields { items: true, has_next: true, has_previous: false },
        ),
        Direction::Backward => (
            PageArguments { last: size, before: last, ..PageArguments::default() },
            RequestedFields { items: true, has_next: false, has_previous: true },
        ),
    }
}

fn extend<C>(found: &mut Vec<C>, items: impl DoubleEndedIterator<Item = C>, direction: Direction) {
    match direction {
        Direction::Forward => found.extend(items),
        Direction::Backward => found.extend(items.rev()),
    }
}

fn in_order<C>(mut found: Vec<C>, direction: Direction) -> Vec<C> {
    if direction == Direction::Backward {
        found.reverse();
    }
    found
}

fn compare<C: Eq + Hash>(
    asked: &str,
    direction: Direction,
    expected: &[C],
    found: &[C],
    name: impl Fn(&C) -> String,
) -> Option<Difference> {
    if expected == found {
        return None;
    }
    let differs = |those: &[C], of: &[C]| {
        let of: HashSet<&C> = of.iter().collect();
        those.iter().find(|item| !of.contains(item)).map(&name)
    };
    let which = match (differs(expected, found), differs(found, expected)) {
        (Some(missing), _) => format!("it lacks {missing}"),
        (None, Some(surplus)) => format!("it has {surplus}"),
        (None, None) => "they are in another order, or one of them is repeated".to_owned(),
    };
    let by = match direction {
        Direction::Forward => "forwards",
        Direction::Backward => "backwards",
    };
    Some(difference(
        asked,
        format!("shows {} items when read {by}, but should show {}: {which}", found.len(), expected.len()),
    ))
}

fn compare_count(asked: &str, expected: impl TryInto<u64> + Display + Copy, found: u64) -> Option<Difference> {
    let is_right = expected.try_into().is_ok_and(|expected: u64| expected == found);
    (!is_right).then(|| difference(asked, format!("counts {found}, but should count {expected}")))
}

fn expected_lists<'a>(shown: &Shown<'a>) -> Result<Vec<ExpectedList<'a>>> {
    let (public, editor) = (shown.public, shown.editor);
    let actor = editor.actor().expect("the reader of an editor has an actor");
    let on =
        |collection: Collection| shown.posts.by_id.values().filter(move |known| known.place.collection == collection);
    let to_come = on(Collection::Posts).filter(|known| known.place.key.at > public.now());
    let mut lists = vec![
        ExpectedList::new("posts", public, PostList::all(), shown.published()),
        ExpectedList::new("draftPosts", editor, PostList::drafts(actor)?, on(Collection::Drafts)),
        ExpectedList::new("scheduledPosts", editor, PostList::scheduled(actor)?, to_come),
    ];
    for (month, posts) in months(shown) {
        let list = PostList::of(Scope::Month(month));
        lists.push(ExpectedList::new(format!("posts of {month}"), public, list, posts));
    }
    let mut of_indexes: HashMap<(IndexKind, &Slug), Vec<&Known>> = HashMap::new();
    for known in shown.published() {
        for (kind, slug) in &known.indexes {
            of_indexes.entry((*kind, slug)).or_default().push(known);
        }
    }
    for term in shown.terms.all() {
        let posts = of_indexes.remove(&(term.kind().into(), &term.id.first_slug)).unwrap_or_default();
        let named = format!("posts of the {} {}", term.kind().noun(), term.slug);
        // A filter may name a term by a slug that is not its first.
        if term.slug != term.id.first_slug {
            let list = PostList::checked(Scope::All, filter_by(term))?;
            lists.push(ExpectedList::new(format!("{named}, by a filter"), public, list, posts.iter().copied()));
        }
        if term.kind() == TermKind::Series {
            lists.push(ExpectedList::of_series(term, public, &posts));
        }
        let list = PostList::of(Scope::Term(term.id.clone()));
        lists.push(ExpectedList::new(named, public, list, posts));
    }
    for ((kind, slug), posts) in of_indexes {
        let (named, filter) = match kind {
            // The posts of a term that does not exist.
            IndexKind::Term(_) => continue,
            IndexKind::Language => {
                let languages = SlugFilter { any: Some(vec![slug.clone()]), ..SlugFilter::default() };
                (format!("posts of the language {slug}"), Filter { languages, ..Filter::default() })
            }
            IndexKind::Featured => {
                let featured = SlugFilter::of_featured(true);
                ("featured posts".to_owned(), Filter { featured, ..Filter::default() })
            }
            IndexKind::Field => {
                let values = SlugFilter { any: Some(vec![slug.clone()]), ..SlugFilter::default() };
                (format!("posts of the field {slug}"), Filter { fields: vec![values], ..Filter::default() })
            }
        };
        lists.push(ExpectedList::new(named, public, PostList::checked(Scope::All, filter)?, posts));
    }
    Ok(lists)
}

fn filter_by(term: &Term) -> Filter {
    let slugs = SlugFilter { all: vec![term.slug.clone()], ..SlugFilter::default() };
    match term.kind() {
        TermKind::Category => Filter { categories: slugs, ..Filter::default() },
        TermKind::Tag => Filter { tags: slugs, ..Filter::default() },
        TermKind::Author => Filter { authors: slugs, ..Filter::default() },
        TermKind::Series => Filter { series: slugs, ..Filter::default() },
    }
}

fn months<'a>(shown: &Shown<'a>) -> BTreeMap<Month, Vec<&'a Known>> {
    let mut months: BTreeMap<Month, Vec<&Known>> = BTreeMap::new();
    for known in shown.published() {
        months.entry(known.place.key.month()).or_default().push(known);
    }
    months
}

async fn check_archive(shown: &Shown<'_>) -> Result<Vec<Difference>> {
    let found: BTreeMap<Month, u64> = total::archive(shown.public, MonthSpan::default()).await?.into_iter().collect();
    let expected: BTreeMap<Month, u64> =
        months(shown).into_iter().map(|(month, posts)| (month, posts.len() as u64)).collect();
    let each: BTreeSet<&Month> = found.keys().chain(expected.keys()).collect();
    let count = |counts: &BTreeMap<Month, u64>, month: &Month| counts.get(month).copied().unwrap_or_default();
    Ok(each
        .into_iter()
        .filter_map(|month| compare_count(&format!("archive, {month}"), count(&expected, month), count(&found, month)))
        .collect())
}

async fn check_terms(shown: &Shown<'_>, kind: TermKind) -> Result<Vec<Difference>> {
    let asked = format!("the list of each {}", kind.noun());
    let mut expected: Vec<Slug> = shown.terms.of(kind).values().map(|term| term.slug.clone()).collect();
    expected.sort();
    let mut differences = Vec::new();
    for direction in [Direction::Forward, Direction::Backward] {
        let found = walk_terms(shown.public, kind, direction).await?;
        differences.extend(compare(&asked, direction, &expected, &found, ToString::to_string));
    }
    let count = total::count_terms(shown.public, kind).await?;
    differences.extend(compare_count(&asked, expected.len(), count));
    Ok(differences)
}

async fn walk_terms(reader: &Reader, kind: TermKind, direction: Direction) -> Result<Vec<Slug>> {
    let list = term_pages::TermList::of(kind);
    let mut found: Vec<Slug> = Vec::new();
    loop {
        let (arguments, requested) = next_page(direction, found.last());
        let page = term_pages::read_page(reader, &list, &arguments, requested).await?;
        let has_more = page.has_next || page.has_previous;
        extend(&mut found, page.items.iter().map(|term| term.slug.clone()), direction);
        if !has_more || page.items.is_empty() {
            return Ok(in_order(found, direction));
        }
    }
}
