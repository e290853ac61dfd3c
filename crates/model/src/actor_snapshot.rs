//! An actor as the audit log and the versions of posts record it. The rule: it is the state of the actor at that time, so a deleted token keeps its name, and a
//! token is not mistaken for an import of the same name. An unreadable actor counts as unknown; it never hides the post or the change that it made.

use super::actor::{Actor, ActorKind};
use super::node_id::{NodeId, TermNodeId};
use super::term::TermKind;

/// The name under which an import is recorded. A token can have the same name.
const IMPORT_NAME: &str = "import";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorSnapshot {
    pub kind: ActorKind,
    pub name: String,
    /// The author of an actor with the role author.
    pub author: Option<TermNodeId>,
}

impl ActorSnapshot {
    pub fn of(actor: &Actor) -> Self {
        Self { kind: actor.kind, name: actor.name.clone(), author: actor.author.clone() }
    }

    pub fn import() -> Self {
        Self { kind: ActorKind::Import, name: IMPORT_NAME.to_owned(), author: None }
    }

    /// Reads the texts of a row: the name, the kind and the author. A kind that this version does not know is [`ActorKind::Unknown`], an author that
    /// cannot be read is `None`; [`is_known_kind`](Self::is_known_kind) and [`is_known_author`](Self::is_known_author) distinguish them.
    pub fn of_texts(name: &str, kind: Option<&str>, author: Option<&str>) -> Self {
        let kind = kind.and_then(ActorKind::of_text).unwrap_or(ActorKind::Unknown);
        Self { kind, name: name.to_owned(), author: author.and_then(author_of_text) }
    }

    pub fn is_known_kind(text: Option<&str>) -> bool {
        text.and_then(ActorKind::of_text).is_some()
    }

    pub fn is_known_author(text: Option<&str>) -> bool {
        text.is_none_or(|text| author_of_text(text).is_some())
    }

    pub fn author_text(&self) -> Option<String> {
        self.author.as_ref().map(ToString::to_string)
    }
}

fn author_of_text(text: &str) -> Option<TermNodeId> {
    match text.parse() {
        Ok(NodeId::Term(id)) if id.key.kind == TermKind::Author => Some(id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(actor: &ActorSnapshot) -> ActorSnapshot {
        let (kind, author) = (Some(actor.kind.text()), actor.author_text());
        let is_known = ActorSnapshot::is_known_kind(kind) && ActorSnapshot::is_known_author(author.as_deref());
        assert!(is_known, "{kind:?} {author:?}");
        ActorSnapshot::of_texts(&actor.name, kind, author.as_deref())
    }

    #[test]
    fn an_actor_is_read_as_it_was_written() {
        let author: TermNodeId = match "author-0123456789abYWRh".parse() {
            Ok(NodeId::Term(id)) => id,
            other => panic!("{other:?}"),
        };
        for kind in ActorKind::ALL {
            for (author, name) in [(None, "a name"), (Some(author.clone()), "a name"), (None, IMPORT_NAME)] {
                let actor = ActorSnapshot { kind, name: name.to_owned(), author };
                assert_eq!(read_back(&actor), actor);
            }
        }
    }

    #[test]
    fn an_invalid_kind_is_unknown_and_an_invalid_author_is_none() {
        for kind in [None, Some(""), Some("TOKEN"), Some("webhook")] {
            assert_eq!(ActorSnapshot::of_texts(IMPORT_NAME, kind, None).kind, ActorKind::Unknown, "{kind:?}");
            assert!(!ActorSnapshot::is_known_kind(kind), "{kind:?}");
        }
        for author in ["", "ada", "tag-0123456789abcnVzdA", "post-0123456789ab"].map(Some) {
            assert_eq!(ActorSnapshot::of_texts("a name", Some("token"), author).author, None, "{author:?}");
            assert!(!ActorSnapshot::is_known_author(author), "{author:?}");
        }
        assert!(ActorSnapshot::is_known_author(None));
    }
}
