//! An actor as the record of changes and the versions of posts keep it. The rule: it is what the actor was at that time, so that a deleted token still
//! has its name, and a token is not mistaken for an import that has the same name.

use super::actor::{Actor, ActorKind};
use super::node_id::{NodeId, TermNodeId};
use super::term::TermKind;

/// The name under which an import is recorded. A token can have the same name.
const IMPORT_NAME: &str = "import";

/// An actor at the time of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActorSnapshot {
    pub kind: ActorKind,
    pub name: String,
    /// The author of an actor with the role author.
    pub author: Option<TermNodeId>,
}

/// What a row or an intent holds of an actor does not describe one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the kind or the author of an actor")]
pub struct BadActor;

impl ActorSnapshot {
    pub fn of(actor: &Actor) -> Self {
        Self { kind: actor.kind, name: actor.name.clone(), author: actor.author.clone() }
    }

    /// An import by the operator of the site.
    pub fn import() -> Self {
        Self { kind: ActorKind::Import, name: IMPORT_NAME.to_owned(), author: None }
    }

    /// The actor that these texts describe: its name, and what [`kind_text`](Self::kind_text) and [`author_text`](Self::author_text) returned. Earlier
    /// versions recorded the name only; of them, `import` counts as an import.
    ///
    /// # Errors
    /// If the kind or the author is invalid.
    pub fn of_texts(name: &str, kind: Option<&str>, author: Option<&str>) -> Result<Self, BadActor> {
        let kind = match kind {
            Some(text) => ActorKind::of_text(text).ok_or(BadActor)?,
            None if name == IMPORT_NAME => ActorKind::Import,
            None => ActorKind::Unknown,
        };
        let author = match author.map(str::parse) {
            None => None,
            Some(Ok(NodeId::Term(id))) if id.key.kind == TermKind::Author => Some(id),
            Some(_) => return Err(BadActor),
        };
        Ok(Self { kind, name: name.to_owned(), author })
    }

    /// The kind, as a row holds it; nothing for an actor that an earlier version recorded.
    pub fn kind_text(&self) -> Option<&'static str> {
        self.kind.text()
    }

    /// The id of the author, as a row holds it.
    pub fn author_text(&self) -> Option<String> {
        self.author.as_ref().map(ToString::to_string)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_back(actor: &ActorSnapshot) -> Result<ActorSnapshot, BadActor> {
        ActorSnapshot::of_texts(&actor.name, actor.kind_text(), actor.author_text().as_deref())
    }

    #[test]
    fn an_actor_is_read_as_it_was_written() {
        let author: TermNodeId = match "author-0123456789abYWRh".parse() {
            Ok(NodeId::Term(id)) => id,
            other => panic!("{other:?}"),
        };
        for kind in ActorKind::ALL {
            for author in [None, Some(author.clone())] {
                let actor = ActorSnapshot { kind, name: "a name".to_owned(), author };
                assert_eq!(read_back(&actor), Ok(actor));
            }
        }
        let import = ActorSnapshot::import();
        assert_eq!(read_back(&import), Ok(import));
    }

    #[test]
    fn of_the_names_of_earlier_versions_only_import_has_a_kind() {
        let kind = |name: &str| ActorSnapshot::of_texts(name, None, None).map(|actor| actor.kind);
        assert_eq!((kind("import"), kind("TIDINGS_EDITOR_TOKEN")), (Ok(ActorKind::Import), Ok(ActorKind::Unknown)));
        let token = ActorSnapshot { kind: ActorKind::Token, ..ActorSnapshot::import() };
        assert_eq!(read_back(&token), Ok(token));
    }

    #[test]
    fn an_invalid_kind_or_author_is_refused() {
        for (kind, author) in [
            (Some(""), None),
            (Some("TOKEN"), None),
            (None, Some("")),
            (None, Some("ada")),
            (None, Some("tag-0123456789abcnVzdA")),
            (None, Some("post-0123456789ab")),
        ] {
            assert_eq!(ActorSnapshot::of_texts("a name", kind, author), Err(BadActor), "{kind:?} {author:?}");
        }
    }
}
