//! One change for a follower. The rule: a follower without access to drafts sees a change of a post or page only if the public could see it before the change
//! or after it, and then nothing from the state that the public could not see (I4b); and nobody sees changes of what
//! is no content.

use crate::content::tables::rows::change::{Action, ChangedItem, KIND_OF_PAGES, KIND_OF_POSTS};
use crate::content::tables::rows::change_log::LogItem;
use crate::model::{Actor, Instant, Post, TermKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Changes of public content.
    Public,
    /// Changes of drafts, too.
    Drafts,
}

impl Access {
    pub(super) const ALL: [Self; 2] = [Self::Public, Self::Drafts];

    pub(super) fn of(actor: Option<&Actor>) -> Self {
        match actor {
            Some(actor) if actor.sees_all() => Self::Drafts,
            _ => Self::Public,
        }
    }
}

/// A change of one object.
#[derive(Debug, Clone)]
pub struct ContentEvent {
    /// The object, its slug and version, and the actions.
    pub item: ChangedItem,
    /// The slug before the change, if it was different.
    pub former_slug: Option<String>,
    pub at: Instant,
    /// The tags of the answers that the change may affect, as far as the follower has access to them.
    pub tags: Vec<String>,
    /// Its position in the log; `None` for the publication of a scheduled post or page, which has no entry.
    pub(super) place: Option<Place>,
}

/// The number of an entry, and the index of an item in it.
pub(super) type Place = (i64, u32);

impl ContentEvent {
    /// `at`: when the change was started. `seen_at`: when it was appended to the log, or, if that is later, the instant up to which the follower has received
    /// publications of scheduled posts. `None` if the follower has no access to the change.
    pub(super) fn of(changed: &LogItem, at: Instant, seen_at: Instant, access: Access) -> Option<Self> {
        let whole = || {
            let (item, former_slug) = (changed.item.clone(), changed.former_slug.clone());
            Self { item, former_slug, at, tags: changed.tags([true, true]), place: None }
        };
        let public_from = match changed.item.kind.as_str() {
            KIND_OF_POSTS | KIND_OF_PAGES if access == Access::Drafts => return Some(whole()),
            KIND_OF_POSTS | KIND_OF_PAGES => seen_at,
            kind if TermKind::of_noun(kind).is_some() => return Some(whole()),
            // This is a token, a webhook, the preview links, or a kind that only a later version knows.
            _ => return None,
        };
        let is_public = |published: Option<Instant>| published.is_some_and(|published| published <= public_from);
        let actions = &changed.item.actions;
        let item = |actions: Vec<Action>| ChangedItem { actions, ..changed.item.clone() };
        let sides = [changed.published_before(), changed.published_after()].map(is_public);
        let tags = || changed.tags(sides);
        match sides.into() {
            (false, false) => None,
            (false, true) => {
                let created = actions.contains(&Action::Created).then_some(Action::Created);
                let at = changed.published_after().map_or(at, |published| published.max(at));
                let actions = created.into_iter().chain([Action::Published]).collect();
                Some(Self { item: item(actions), former_slug: None, at: at.min(seen_at), tags: tags(), place: None })
            }
            (true, true) => Some(whole()),
            (true, false) => {
                let gone = if actions.contains(&Action::Deleted) { Action::Deleted } else { Action::Unpublished };
                let slug = changed.former_slug.clone().unwrap_or_else(|| changed.item.slug.clone());
                Some(Self {
                    item: ChangedItem { slug, ..item(vec![gone]) },
                    former_slug: None,
                    at,
                    tags: tags(),
                    place: None,
                })
            }
        }
    }

    /// The publication of a scheduled post or page. `last`: its last change that the follower has received before.
    pub(super) fn of_publication(appeared: &LogItem, last: Option<&LogItem>, at: Instant) -> Self {
        Self::of_appeared(last.filter(|last| last.item.version > appeared.item.version).unwrap_or(appeared), at)
    }

    /// The publication of a post or page, with the state after its last change.
    pub(super) fn of_appeared(last: &LogItem, at: Instant) -> Self {
        Self {
            item: ChangedItem { actions: vec![Action::Published], ..last.item.clone() },
            former_slug: None,
            at,
            tags: last.tags([false, true]),
            place: None,
        }
    }
}

pub(super) fn published(kind: &str, slug: String, post: &Post) -> ChangedItem {
    let actions = vec![Action::Published];
    let (kind, id) = (kind.to_owned(), post.id.to_string());
    ChangedItem { kind, id, slug, actions, version: post.version, creation: None }
}

/// Whether at most one of several posts or pages of a change is public: then a link between them is not visible.
pub(super) fn links_drafts(items: &[LogItem], seen_at: Instant) -> bool {
    let contents = items.iter().filter(|item| [KIND_OF_POSTS, KIND_OF_PAGES].contains(&&*item.item.kind));
    let public = contents.clone().filter(|item| item.published_after().is_some_and(|at| at <= seen_at));
    contents.count() > 1 && public.count() <= 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::{ActorKind, Role};
    use crate::store::Tag;

    fn at(ticks: i64) -> Instant {
        Instant::from_ticks(ticks).expect("an instant")
    }

    /// A change of a post whose instants of publication before and after it are `sides`.
    fn change(sides: [Option<i64>; 2], actions: &[Action]) -> LogItem {
        let item = ChangedItem {
            kind: KIND_OF_POSTS.to_owned(),
            id: "0123456789ab".to_owned(),
            slug: "new".to_owned(),
            actions: actions.to_vec(),
            version: 2,
            creation: None,
        };
        let json = serde_json::to_value(LogItem::of_object(item, Some("old"))).expect("JSON");
        let mut json = json.as_object().expect("an object").clone();
        for (name, side) in ["was", "is"].into_iter().zip(sides) {
            json.extend(side.map(|ticks| (name.to_owned(), ticks.into())));
        }
        let change: LogItem = serde_json::from_value(json.into()).expect("a change");
        change.with_tags(&tags([1, 2]), &tags([2, 3]))
    }

    fn tags<const N: usize>(numbers: [u64; N]) -> BTreeSet<Tag> {
        numbers.map(|number| Tag::new(b'p', number)).into()
    }

    #[test]
    fn the_public_sees_what_was_or_is_public_and_only_the_side_that_was() {
        use Action::{Created, Deleted, Published, Renamed, Scheduled, Unpublished, Updated};
        let seen_at = at(100);
        for (sides, actions, seen) in [
            ([None, None], &[Updated, Renamed][..], None),
            ([None, Some(101)], &[Scheduled], None),
            ([Some(101), None], &[Deleted], None),
            ([Some(101), Some(102)], &[Scheduled], None),
            ([None, Some(100)], &[Created, Published], Some(("new", None, vec![Created, Published]))),
            ([None, Some(100)], &[Updated, Renamed, Published], Some(("new", None, vec![Published]))),
            ([Some(100), Some(100)], &[Updated, Renamed], Some(("new", Some("old"), vec![Updated, Renamed]))),
            ([Some(50), Some(101)], &[Renamed, Scheduled], Some(("old", None, vec![Unpublished]))),
            ([Some(50), None], &[Renamed, Unpublished], Some(("old", None, vec![Unpublished]))),
            ([Some(50), None], &[Deleted], Some(("old", None, vec![Deleted]))),
        ] {
            let change = change(sides, actions);
            let event = ContentEvent::of(&change, at(90), seen_at, Access::Public);
            let shown = sides.map(|side| side.is_some_and(|at| at <= 100));
            let tags_seen: Vec<String> = match shown {
                [true, true] => tags([1, 2, 3]),
                [true, false] => tags([1, 2]),
                [false, true] => tags([2, 3]),
                [false, false] => tags([]),
            }
            .iter()
            .map(Tag::to_string)
            .collect();
            assert_eq!(event.as_ref().map_or(&[][..], |event| &event.tags), tags_seen, "{sides:?}");
            let found = event.map(|event| (event.item.slug, event.former_slug, event.item.actions));
            let expected = seen.map(|(slug, former, actions): (&str, Option<&str>, _)| {
                (slug.to_owned(), former.map(ToOwned::to_owned), actions)
            });
            assert_eq!(found, expected, "{sides:?} {actions:?}");
            let event =
                ContentEvent::of(&change, at(90), seen_at, Access::Drafts).expect("an editor sees every change");
            assert_eq!((event.item, event.former_slug.as_deref()), (change.item.clone(), Some("old")));
            assert_eq!(event.tags.len(), 3);
        }
    }

    #[test]
    fn nobody_sees_what_is_no_content() {
        for (kind, is_content) in [
            ("category", true),
            ("tag", true),
            ("author", true),
            ("token", false),
            ("preview", false),
            ("webhook", false),
            ("other", false),
        ] {
            let mut changed = change([None, None], &[Action::Created]);
            changed.item.kind = kind.to_owned();
            let sees = |access| ContentEvent::of(&changed, at(90), at(100), access).is_some();
            assert_eq!(Access::ALL.map(sees), [is_content; 2], "{kind}");
        }
        for (role, access) in [
            (None, Access::Public),
            (Some(Role::Author), Access::Public),
            (Some(Role::Reader), Access::Drafts),
            (Some(Role::Editor), Access::Drafts),
            (Some(Role::Admin), Access::Drafts),
        ] {
            let actor = role.map(|role| Actor::new(ActorKind::Token, "a token", role));
            assert_eq!(Access::of(actor.as_ref()), access, "{role:?}");
        }
    }
}
