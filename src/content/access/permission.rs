//! The permissions to change content. The rule: all functions are pure, and called before anything is written; an actor without access to a post gets
//! the same answer as for a post that does not exist.

use crate::content::error::{ContentError, Result};
use crate::model::{Actor, Instant, Post, PostStatus, Role, SitePage, Slug};

/// # Errors
/// [`ContentError::Forbidden`] if the actor's role is lower than `needed`.
pub(in crate::content) fn require(actor: &Actor, needed: Role, what: &'static str) -> Result<()> {
    if actor.role >= needed { Ok(()) } else { Err(ContentError::Forbidden { needed, what }) }
}

/// Whether an actor is allowed to change a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::content) enum Permission {
    Yes,
    No,
    /// Not allowed, and the answer must not reveal that the post exists.
    Hidden,
}

pub(in crate::content) fn to_change(actor: &Actor, post: &Post, now: Instant) -> Permission {
    if actor.may_change(post) {
        Permission::Yes
    } else if actor.sees(post) || post.status(now) == PostStatus::Published {
        Permission::No
    } else {
        Permission::Hidden
    }
}

/// Whether an actor is allowed to change a page.
pub(in crate::content) fn to_change_page(actor: &Actor, page: &SitePage, now: Instant) -> Permission {
    if actor.role >= Role::Editor {
        Permission::Yes
    } else if actor.sees_all() || page.is_public(now) {
        Permission::No
    } else {
        Permission::Hidden
    }
}

/// The error for an actor that can read a page but is not allowed to change it.
pub(in crate::content) fn of_page() -> ContentError {
    ContentError::Forbidden { needed: Role::Editor, what: "this shares a page" }
}

/// The error for an actor that can read a post but is not allowed to change it.
pub(in crate::content) fn of_another() -> ContentError {
    ContentError::Forbidden { needed: Role::Editor, what: "the post belongs to another author" }
}

/// The authors of a post after a change. A post that an actor with the role author writes must have the actor's own author among its authors. If none are named
/// for a new post, it gets that author.
///
/// # Errors
/// [`ContentError::Forbidden`] if an actor with the role author creates a post without its own author, or removes that author from a post.
pub(in crate::content) fn authors(actor: &Actor, named: Option<Vec<Slug>>, is_new: bool) -> Result<Option<Vec<Slug>>> {
    if actor.role != Role::Author {
        return Ok(named);
    }
    let own = actor.own_author();
    match (named, own) {
        (None, Some(own)) if is_new => Ok(Some(vec![own.clone()])),
        (Some(named), Some(own)) if named.contains(own) => Ok(Some(named)),
        (None, _) if !is_new => Ok(None),
        _ => Err(ContentError::Forbidden {
            needed: Role::Editor,
            what: "an author can only write posts that name it among their authors",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ActorKind, CreationId, TermId, TermKind, TermNodeId};

    fn author(slug: &str) -> Actor {
        let key = TermId { kind: TermKind::Author, first_slug: slug.parse().expect("a slug") };
        let author = TermNodeId { key, creation: CreationId::from_bits(7) };
        Actor { author: Some(author), ..Actor::new(ActorKind::Token, "a token", Role::Author) }
    }

    #[test]
    fn an_author_must_stay_among_the_authors_of_its_posts() {
        let slugs = |names: &[&str]| Some(names.iter().map(|n| n.parse().expect("a slug")).collect::<Vec<Slug>>());
        let ada = author("ada");
        assert_eq!(authors(&ada, None, true).ok(), Some(slugs(&["ada"])));
        assert_eq!(authors(&ada, None, false).ok(), Some(None));
        assert_eq!(authors(&ada, slugs(&["bob", "ada"]), false).ok(), Some(slugs(&["bob", "ada"])));
        for named in [slugs(&["bob"]), slugs(&[])] {
            for is_new in [true, false] {
                assert!(
                    matches!(authors(&ada, named.clone(), is_new), Err(ContentError::Forbidden { .. })),
                    "{named:?}"
                );
            }
        }
        assert!(
            authors(&Actor { author: None, ..ada }, None, true).is_err(),
            "an actor whose author was deleted cannot create posts"
        );
    }

    #[test]
    fn a_role_includes_the_permissions_of_lower_roles() {
        for (role, other) in Role::ALL.into_iter().flat_map(|role| Role::ALL.map(|other| (role, other))) {
            assert_eq!(require(&Actor::new(ActorKind::Token, "a token", role), other, "this").is_ok(), role >= other);
        }
    }
}
