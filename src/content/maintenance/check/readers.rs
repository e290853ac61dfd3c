//! Compares the answers of readers with the posts and terms: every list, count, month, slug and id, read as a query reads them. The rule: this check runs only
//! if the rows agree with each other, so a difference that it reports is a defect of Tidings, and names the query that returned it, not a row.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use futures_util::future::{BoxFuture, try_join_all};

use crate::content::error::{ContentError, Result};
use crate::content::read::Reader;
use crate::content::read::pages::posts::read_page;
use crate::content::read::pages::{
    Filter, MonthSpan, PAGE_SIZE_MAX, Page, PageArguments, PostList, RequestedFields, Scope, sort_as_series,
    terms as term_pages, total,
};
use crate::keys::lookup;
use crate::keys::time::Direction;
use crate::model::actor::Role;
use crate::model::{
    Actor, ActorKind, IndexKind, Instant, Language, Month, Post, PostId, PostKey, Slug, Term, TermKind,
};

use super::known::Posts;
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

/// The readers of a check, and the posts and terms that they should return.
struct Shown<'a> {
    /// The reader of an anonymous client.
    public: &'a Reader,
    /// The reader of an actor with access to drafts and scheduled posts.
    editor: &'a Reader,
    posts: &'a Posts,
    terms: &'a Terms,
}

/// `asked`: the name of the query.
fn difference(asked: &str, what: String) -> Difference {
    Difference { table: "GraphQL", key: format!("({asked})"), what, fix: Fix::READERS }
}

impl<'a> Shown<'a> {
    /// The posts that are visible to an anonymous client.
    fn published(&self) -> impl Iterator<Item = &'a Post> {
        let now = self.public.now();
        self.posts.by_id.values().filter(move |post| post.published_at.is_some_and(|at| at <= now))
    }

    /// Looks up each post by its id and its slugs, and each term by its slugs.
    async fn look_up(&self) -> Result<Vec<Difference>> {
        let mut differences = Vec::new();
        let (posts, terms): (Vec<_>, Vec<_>) = (self.posts.by_id.values().collect(), self.terms.all().collect());
        for some in posts.chunks(LOOKUPS_AT_ONCE) {
            let checks: Vec<_> = some.iter().map(|post| self.check_post(post)).collect();
            differences.extend(try_join_all(checks).await?.into_iter().flatten());
        }
        for some in terms.chunks(LOOKUPS_AT_ONCE) {
            let checks: Vec<_> = some.iter().map(|term| self.check_term(term)).collect();
            differences.extend(try_join_all(checks).await?.into_iter().flatten());
        }
        Ok(differences)
    }

    async fn check_post(&self, post: &Post) -> Result<Vec<Difference>> {
        let (id, mut differences) = (&post.id, Vec::new());
        let mut compare = |asked: String, found: Option<PostId>| {
            if found.as_ref() != Some(id) {
                let found = found.map_or_else(|| "nothing".to_owned(), |id| format!("the post {id}"));
                differences.push(difference(&asked, format!("shows {found}, but should show the post {id}")));
            }
        };
        let found = self.editor.post_by_id(id).await?;
        compare(format!("node, of the post {id}"), found.map(|post| post.id.clone()));
        for slug in post.former_slugs.iter().chain([&post.slug]) {
            // If several posts had a slug, the look-up finds one of them.
            if self.posts.keeper(&lookup::by_slug(slug), Some(id)).is_some_and(|keeper| keeper.id == *id) {
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
        // If several terms had a slug, the look-up finds one of them; a term that has it now takes precedence.
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
    for (asked, list, posts) in expected_lists(shown)? {
        differences.extend(check_posts(shown, &asked, &list, &posts).await?);
    }
    let found = total::archive(shown.public, MonthSpan::default()).await?.into_iter().collect::<BTreeMap<_, _>>();
    let mut months: BTreeMap<Month, u64> = found.keys().map(|month| (*month, 0)).collect();
    shown.published().for_each(|post| *months.entry(post.key().month()).or_default() += 1);
    let count = |month: &Month| found.get(month).copied().unwrap_or_default();
    differences.extend(
        months
            .iter()
            .filter_map(|(month, expected)| compare_count(&format!("archive, {month}"), *expected, count(month))),
    );
    differences.extend(check_languages(shown).await?);
    for kind in TermKind::ALL {
        let mut expected: Vec<Slug> = shown.terms.of(kind).values().map(|term| term.slug.clone()).collect();
        expected.sort();
        let (asked, list) = (format!("the list of each {}", kind.noun()), term_pages::TermList::of(kind));
        let list = &list;
        let page = |(arguments, requested)| -> BoxFuture<'_, Result<Page<Slug>>> {
            Box::pin(async move {
                let page = term_pages::read_page(shown.public, list, &arguments, requested).await?;
                Ok(items_of(&page, |term| term.slug.clone()))
            })
        };
        differences.extend(walk(&asked, (&expected, Slug::to_string), page).await?);
        let count = total::count_terms(shown.public, kind).await?;
        differences.extend(compare_count(&asked, expected.len() as u64, count));
    }
    Ok(differences)
}

/// Checks the list of languages, unless it is too long for one query.
async fn check_languages(shown: &Shown<'_>) -> Result<Vec<Difference>> {
    let expected = shown.published().filter_map(|post| Some(post.language.as_ref()?.index_slug()));
    let expected: BTreeSet<Slug> = expected.collect();
    let found: BTreeSet<Slug> = match total::languages(shown.public).await {
        Err(ContentError::BadArgument { .. }) => return Ok(Vec::new()),
        found => found?.iter().map(Language::index_slug).collect(),
    };
    let count = |languages: &BTreeSet<Slug>, language| u64::from(languages.contains(language));
    let differing = expected.symmetric_difference(&found).filter_map(|language| {
        compare_count(
            &format!("the list of languages, {language}"),
            count(&expected, language),
            count(&found, language),
        )
    });
    Ok(differing.collect())
}

/// Checks that a list contains exactly these posts.
async fn check_posts(shown: &Shown<'_>, asked: &str, list: &PostList, posts: &[&Post]) -> Result<Vec<Difference>> {
    let mut keys: Vec<PostKey> = posts.iter().map(|post| post.key()).collect();
    keys.sort();
    match &list.scope {
        Scope::Series { order, .. } => sort_as_series(order, &mut keys),
        _ if list.direction() == Direction::Backward => keys.reverse(),
        _ => {}
    }
    let reader = match list.scope {
        Scope::Drafts { .. } | Scope::Scheduled { .. } => shown.editor,
        _ => shown.public,
    };
    let page = |(arguments, requested)| -> BoxFuture<'_, Result<Page<PostKey>>> {
        Box::pin(async move {
            Ok(items_of(&read_page(reader, reader, list, &arguments, requested).await?, |post| post.key()))
        })
    };
    let mut differences = walk(asked, (&keys, |key| key.id.to_string()), page).await?;
    let count = total::count_posts(reader, list).await?;
    differences.extend(compare_count(asked, keys.len() as u64, count));
    Ok(differences)
}

fn items_of<T, C>(page: &Page<T>, item: impl Fn(&T) -> C) -> Page<C> {
    Page { items: page.items.iter().map(item).collect(), has_next: page.has_next, has_previous: page.has_previous }
}

/// Reads a list page by page in both directions, and compares it with the expected items in order.
async fn walk<'r, C: Clone + Eq + Hash>(
    asked: &str,
    (expected, name): (&[C], fn(&C) -> String),
    page: impl Fn((PageArguments<C>, RequestedFields)) -> BoxFuture<'r, Result<Page<C>>>,
) -> Result<Vec<Difference>> {
    let (mut differences, size) = (Vec::new(), Some(PAGE_SIZE_MAX as i32));
    for by in ["forwards", "backwards"] {
        let is_forward = by == "forwards";
        let mut found: Vec<C> = Vec::new();
        loop {
            let last = found.last().cloned();
            let arguments = match is_forward {
                true => PageArguments { first: size, after: last, ..PageArguments::default() },
                false => PageArguments { last: size, before: last, ..PageArguments::default() },
            };
            let requested = RequestedFields { items: true, has_next: is_forward, has_previous: !is_forward };
            let Page { mut items, has_next, has_previous } = page((arguments, requested)).await?;
            if !is_forward {
                items.reverse();
            }
            let is_over = items.is_empty() || !(has_next || has_previous);
            found.extend(items);
            if is_over {
                break;
            }
        }
        if !is_forward {
            found.reverse();
        }
        if found != expected {
            differences.push(difference(asked, what_differs((by, name), expected, &found)));
        }
    }
    Ok(differences)
}

fn what_differs<C: Eq + Hash>((by, name): (&str, fn(&C) -> String), expected: &[C], found: &[C]) -> String {
    let differs = |those: &[C], of: &[C]| {
        let of: HashSet<&C> = of.iter().collect();
        those.iter().find(|item| !of.contains(item)).map(name)
    };
    let which = match (differs(expected, found), differs(found, expected)) {
        (Some(missing), _) => format!("it lacks {missing}"),
        (None, Some(surplus)) => format!("it has {surplus}"),
        (None, None) => "they are in another order, or one of them is repeated".to_owned(),
    };
    format!("shows {} items when read {by}, but should show {}: {which}", found.len(), expected.len())
}

fn compare_count(asked: &str, expected: u64, found: u64) -> Option<Difference> {
    (expected != found).then(|| difference(asked, format!("counts {found}, but should count {expected}")))
}

/// Each list of posts with the name of its query and its expected posts.
fn expected_lists<'a>(shown: &Shown<'a>) -> Result<Vec<(String, PostList, Vec<&'a Post>)>> {
    let (now, actor) = (shown.public.now(), shown.editor.actor().expect("the reader of an editor has an actor"));
    let all = |is_in: fn(&Post, Instant) -> bool| shown.posts.by_id.values().filter(|post| is_in(post, now)).collect();
    let mut lists = vec![
        ("posts".to_owned(), PostList::all(), shown.published().collect()),
        ("draftPosts".to_owned(), PostList::drafts(actor)?, all(|post, _| post.published_at.is_none())),
        ("scheduledPosts".to_owned(), PostList::scheduled(actor)?, all(|post, now| post.published_at > Some(now))),
    ];
    let mut months: BTreeMap<Month, Vec<&Post>> = BTreeMap::new();
    let mut indexes: HashMap<(IndexKind, Slug), Vec<&Post>> = HashMap::new();
    for post in shown.published() {
        months.entry(post.key().month()).or_default().push(post);
        post.indexes().for_each(|index| indexes.entry(index).or_default().push(post));
    }
    lists.extend(
        months
            .into_iter()
            .map(|(month, posts)| (format!("posts of {month}"), PostList::of(Scope::Month(month)), posts)),
    );
    for term in shown.terms.all() {
        let index = IndexKind::from(term.kind());
        let posts = indexes.remove(&(index, term.id.first_slug.clone())).unwrap_or_default();
        let named = format!("posts of the {} {}", term.kind().noun(), term.slug);
        // A filter may name a term by a slug that is not its first.
        if term.slug != term.id.first_slug {
            let list = PostList::checked(Scope::All, Filter::of_index(index, &term.slug))?;
            lists.push((format!("{named}, by a filter"), list, posts.clone()));
        }
        if term.kind() == TermKind::Series {
            lists.push((format!("the series {}", term.slug), PostList::of_series(term), posts.clone()));
        }
        lists.push((named, PostList::of(Scope::Term(term.id.clone())), posts));
    }
    for ((kind, slug), posts) in indexes {
        let named = match kind {
            // The list of a term that does not exist cannot be queried.
            IndexKind::Term(_) => continue,
            IndexKind::Language => format!("posts of the language {slug}"),
            IndexKind::Featured => "featured posts".to_owned(),
            IndexKind::Field => format!("posts of the field {slug}"),
        };
        lists.push((named, PostList::checked(Scope::All, Filter::of_index(kind, &slug))?, posts));
    }
    Ok(lists)
}
