//! An authenticated client: a name, a kind and a role. The rule: a role includes all permissions of the lower roles, except that the role
//! author reads and changes only its own posts.

use std::fmt;
use std::str::FromStr;

use super::node_id::TermNodeId;
use super::post::Post;
use super::slug::Slug;
use super::term::TermKind;
use super::token::Token;

/// The permissions of an actor, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Reads drafts and scheduled posts, and changes nothing.
    Reader,
    /// Reads and changes the posts that have its own author.
    Author,
    /// Reads and changes all posts, pages and series.
    Editor,
    /// Also changes categories, tags, authors and tokens.
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

/// The kind of an actor. It is stored because a name does not show it: a token can have any name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// A token of this site.
    Token,
    /// The token that the server was started with.
    ServerToken,
    /// A subject of the identity provider.
    OpenId,
    /// An import by the operator of the site.
    Import,
    /// A kind that this version does not know, or an actor inside the server.
    Unknown,
}

impl ActorKind {
    pub const ALL: [Self; 5] = [Self::Token, Self::ServerToken, Self::OpenId, Self::Import, Self::Unknown];

    /// The text that a row stores.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::ServerToken => "server-token",
            Self::OpenId => "openid",
            Self::Import => "import",
            Self::Unknown => "unknown",
        }
    }

    pub fn of_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.text() == text)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    pub kind: ActorKind,
    /// The name of the token or of the subject of the identity provider, as the log shows it.
    pub name: String,
    /// Identifies the actor permanently. A name does not, because another token can get it after this one was revoked.
    pub id: String,
    pub role: Role,
    /// For the role author: the author whose posts are its own.
    pub author: Option<TermNodeId>,
}

impl Actor {
    pub fn new(kind: ActorKind, name: impl Into<String>, role: Role) -> Self {
        let name = name.into();
        Self { kind, id: name.clone(), name, role, author: None }
    }

    pub fn of_token(token: &Token) -> Self {
        Self { id: format!("token:{}", token.id), ..Self::new(ActorKind::Token, &token.name, token.role) }
    }

    /// The first slug of the author as whom this actor writes; posts with this author are the actor's own.
    pub fn own_author(&self) -> Option<&Slug> {
        self.author.as_ref().map(|author| &author.key.first_slug)
    }

    pub fn owns(&self, post: &Post) -> bool {
        self.own_author().is_some_and(|author| post.has_term(TermKind::Author, author))
    }

    /// Whether the actor may read every post, whatever its status.
    pub fn sees_all(&self) -> bool {
        self.role != Role::Author
    }

    /// Whether the actor may read the post before it is published.
    pub fn sees(&self, post: &Post) -> bool {
        self.sees_all() || self.owns(post)
    }

    pub fn may_change(&self, post: &Post) -> bool {
        self.role >= Role::Editor || self.role == Role::Author && self.owns(post)
    }

    pub fn may_change_terms(&self, kind: TermKind) -> bool {
        self.role >= kind.role_to_change()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_parse_as_they_print_and_are_sorted() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert!(Role::ALL.is_sorted());
        assert_eq!("Admin".parse::<Role>(), Err(BadRole("Admin".to_owned())));
    }
}
