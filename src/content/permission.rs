//! Who may change what. The rule: pure, and asked before anything is written; of a post that someone may not see, nothing is told but what is
//! told of a post that never was.

use crate::model::{Actor, Instant, Post, PostStatus, Role, Slug};

use super::error::{ContentError, Result};

/// # Errors
/// [`ContentError::Forbidden`] where the actor's role is a lower one.
pub(super) fn require(actor: &Actor, needed: Role, what: &'static str) -> Result<()> {
    if actor.role >= needed { Ok(()) } else { Err(ContentError::Forbidden { needed, what }) }
}

/// What someone who would change a post is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permission {
    Yes,
    No,
    /// It may not know that the post is there.
    Hidden,
}

pub(super) fn to_change(actor: &Actor, post: &Post, now: Instant) -> Permission {
    if actor.may_change(post) {
        Permission::Yes
    } else if actor.sees(post) || post.status(now) == PostStatus::Published {
        Permission::No
    } else {
        Permission::Hidden
    }
}

/// The answer to one who sees a post, and may not change it.
pub(super) fn of_another() -> ContentError {
    ContentError::Forbidden { needed: Role::Editor, what: "the post is another author's" }
}

/// The authors that a post is given: an author's own posts go on bearing its own slug, beside whatever others. A new post of an author bears
/// it where no authors are named.
///
/// # Errors
/// [`ContentError::Forbidden`] where an author would make a post for others, or take itself off one.
pub(super) fn authors(actor: &Actor, named: Option<Vec<Slug>>, is_new: bool) -> Result<Option<Vec<Slug>>> {
    if actor.role != Role::Author {
        return Ok(named);
    }
    let own = actor.author.as_ref();
    match (named, own) {
        (None, Some(own)) if is_new => Ok(Some(vec![own.clone()])),
        (Some(named), Some(own)) if named.contains(own) => Ok(Some(named)),
        (None, _) if !is_new => Ok(None),
        _ => Err(ContentError::Forbidden {
            needed: Role::Editor,
            what: "an author's posts must bear its own author; to write for others is another role's",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn author(slug: &str) -> Actor {
        Actor { author: Some(slug.parse().expect("a slug")), ..Actor::new("a token", Role::Author) }
    }

    #[test]
    fn an_author_writes_under_its_own_name_and_keeps_it() {
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
        assert!(authors(&Actor { author: None, ..ada }, None, true).is_err(), "its author is gone");
    }

    #[test]
    fn a_role_does_what_those_below_it_do() {
        for (role, other) in Role::ALL.into_iter().flat_map(|role| Role::ALL.map(|other| (role, other))) {
            assert_eq!(require(&Actor::new("a token", role), other, "this").is_ok(), role >= other);
        }
    }
}
