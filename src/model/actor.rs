//! Who asks: a name for the log and a role. The rule: what a role may do includes all that the roles below it may, but for an author's
//! bounds, which are its own posts.

use std::fmt;
use std::str::FromStr;

use super::post::Post;
use super::slug::Slug;
use super::term::TermKind;
use super::token::Token;

/// What someone may do, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Sees drafts and scheduled posts, and changes nothing.
    Reader,
    /// Sees and changes the posts that bear its own author.
    Author,
    /// Sees and changes all posts.
    Editor,
    /// Categories, tags, authors and tokens too.
    Admin,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Reader, Self::Author, Self::Editor, Self::Admin];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Author => "author",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a role; write reader, author, editor or admin")]
pub struct BadRole(pub String);

impl FromStr for Role {
    type Err = BadRole;

    fn from_str(text: &str) -> Result<Self, BadRole> {
        let found = Self::ALL.into_iter().find(|role| role.name() == text);
        found.ok_or_else(|| BadRole(text.chars().take(64).collect()))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One who has shown who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// As the log shows it: the token's name, or the subject of an identity provider.
    pub name: String,
    /// Identifies it for as long as the server knows it. A name may be given to another token after this one was revoked.
    pub id: String,
    pub role: Role,
    /// Of an author: the slug of the author whose posts are its own.
    pub author: Option<Slug>,
}

impl Actor {
    /// An actor whose name identifies it.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        let name = name.into();
        Self { id: name.clone(), name, role, author: None }
    }

    /// The bearer of a token of this site.
    pub fn of_token(token: &Token) -> Self {
        Self { id: format!("token:{}", token.id), ..Self::new(&token.name, token.role) }
    }

    /// Whether the post is its own: it bears the author whose posts these are.
    pub fn owns(&self, post: &Post) -> bool {
        self.author.as_ref().is_some_and(|author| post.has_term(TermKind::Author, author))
    }

    /// Whether it sees every post, whatever stage that is at.
    pub fn sees_all(&self) -> bool {
        self.role != Role::Author
    }

    /// Whether it sees the post before everyone does.
    pub fn sees(&self, post: &Post) -> bool {
        self.sees_all() || self.owns(post)
    }

    pub fn may_change(&self, post: &Post) -> bool {
        self.role >= Role::Editor || self.role == Role::Author && self.owns(post)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_as_they_are_written_and_stand_in_their_order() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert!(Role::ALL.is_sorted());
        assert_eq!("Admin".parse::<Role>(), Err(BadRole("Admin".to_owned())));
    }
}
