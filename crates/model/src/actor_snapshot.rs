//! An actor as the audit log and the versions of posts record it. The rule: it is what the actor was at that time, so a deleted token keeps its name,
//! and a token is not mistaken for an import of the same name. An actor that cannot be read is unknown; it never hides the post or the change that it
//! made.

use super::actor::{Actor, ActorKind};
use super::node_id::{NodeId, TermNodeId};
use super::term::TermKind;

/// The name under which an import is recorded. A token can have the same name.
const IMPORT_NAME: &str = "import";
/// The recorded kind of an unknown actor that has the name of an import. Without it, the actor would be read as an import.
const UNKNOWN_KIND: &str = "unknown";

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

    /// Reads the name, and the texts that [`kind_text`](Self::kind_text) and [`author_text`](Self::author_text) returned. Without a kind, the name
    /// `import` means an import. A kind that this version does not know is [`ActorKind::Unknown`], an author that cannot be read is `None`;
    /// [`is_known`](Self::is_known) distinguishes them.
    pub fn of_texts(name: &str, kind: Option<&str>, author: Option<&str>) -> Self {
        let kind = match kind {
            Some(text) => ActorKind::of_text(text).unwrap_or(ActorKind::Unknown),
            None if name == IMPORT_NAME => ActorKind::Import,
            None => ActorKind::Unknown,
        };
        Self { kind, name: name.to_owned(), author: author.and_then(author_of_text) }
    }

    /// Whether [`of_texts`](Self::of_texts) reads all of these texts.
    pub fn is_known(kind: Option<&str>, author: Option<&str>) -> bool {
        kind.is_none_or(|text| text == UNKNOWN_KIND || ActorKind::of_text(text).is_some())
            && author.is_none_or(|text| author_of_text(text).is_some())
    }

    /// The kind as a row stores it; `None` for an unknown kind, unless the name would then be read as that of an import.
    pub fn kind_text(&self) -> Option<&'static str> {
        let is_like_an_import = self.kind == ActorKind::Unknown && self.name == IMPORT_NAME;
        if is_like_an_import { Some(UNKNOWN_KIND) } else { self.kind.text() }
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
        let (kind, author) = (actor.kind_text(), actor.author_text());
        assert!(ActorSnapshot::is_known(kind, author.as_deref()), "{kind:?} {author:?}");
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
    fn of_the_names_of_earlier_versions_only_import_has_a_kind() {
        let kind = |name: &str| ActorSnapshot::of_texts(name, None, None).kind;
        assert_eq!((kind("import"), kind("TIDINGS_EDITOR_TOKEN")), (ActorKind::Import, ActorKind::Unknown));
    }

    #[test]
    fn an_invalid_kind_is_unknown_and_an_invalid_author_is_none() {
        for (kind, author) in [
            (Some(""), None),
            (Some("TOKEN"), None),
            (Some("webhook"), None),
            (None, Some("")),
            (None, Some("ada")),
            (None, Some("tag-0123456789abcnVzdA")),
            (None, Some("post-0123456789ab")),
        ] {
            for name in ["a name", IMPORT_NAME] {
                let read = ActorSnapshot::of_texts(name, kind, author);
                let expected =
                    if kind.is_none() && name == IMPORT_NAME { ActorKind::Import } else { ActorKind::Unknown };
                assert_eq!((read.kind, read.author, read.name.as_str()), (expected, None, name), "{kind:?} {author:?}");
            }
            assert!(!ActorSnapshot::is_known(kind, author), "{kind:?} {author:?}");
        }
        assert!(ActorSnapshot::is_known(None, None));
    }
}
