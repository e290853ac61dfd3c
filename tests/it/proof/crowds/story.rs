//! Operations as lines of text: the story of a violation, and the whole log in a file. The rule: a line says who did what, when, on which server, and
//! with which outcome.

use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tidings::model::TermKind;

use super::change::{Change, Named};
use super::client::Outcome;
use super::content::{Content, index, plural};
use super::ledger::{Ledger, Operation};

impl Ledger {
    /// The last operations that concern one of these posts and terms, one on each line.
    pub(super) fn story(&self, subjects: &[String], lines_max: usize) -> String {
        let concerned: Vec<&Operation> =
            self.operations.iter().filter(|operation| operation.concerns(subjects)).collect();
        let skipped = concerned.len().saturating_sub(lines_max);
        let mut story = String::new();
        if skipped > 0 {
            let _ = writeln!(story, "    ({skipped} earlier operations)");
        }
        for operation in &concerned[skipped..] {
            let _ = writeln!(story, "    {operation}");
        }
        story
    }

    /// Writes the log of all operations to a file of this name, and returns its path.
    pub(super) fn write_log(&self, name: &str) -> PathBuf {
        let mut text = String::new();
        for operation in &self.operations {
            let _ = writeln!(text, "{operation}");
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crowds-{name}.log"));
        std::fs::write(&path, text).expect("a log file");
        path
    }
}

impl Operation {
    /// If the subjects are a post and a term: the operations on the post that give it the term, remove the term or find it there.
    fn concerns(&self, subjects: &[String]) -> bool {
        let (posts, terms): (Vec<&String>, Vec<&String>) = subjects.iter().partition(|id| id.starts_with("post-"));
        let is_of = |posts: &[&String]| posts.iter().any(|id| self.subject() == Some(id));
        let is_about = |terms: &[&String]| terms.iter().any(|id| self.mentions(id));
        let is_sent = !matches!(self.outcome, Outcome::NotSent);
        is_sent && (posts.is_empty() || is_of(&posts)) && (terms.is_empty() || is_about(&terms)) && !subjects.is_empty()
    }

    /// The id of the post or term that was to be changed or was made, if it is known.
    fn subject(&self) -> Option<&String> {
        let made = match &self.outcome {
            Outcome::Made { id, .. } => Some(id),
            _ => None,
        };
        self.change.base().map(|base| &base.id).or(made)
    }

    fn mentions(&self, term: &str) -> bool {
        let has = |content: &Content| content.terms.iter().flatten().any(|id| id == term);
        let made = match &self.outcome {
            Outcome::Made { id, post } => id == term || post.as_ref().is_some_and(|post| has(&post.content)),
            _ => false,
        };
        made || self.change.base().is_some_and(|base| has(&base.content)) || self.change.names(term)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ended = self.ended.map_or(0, |ended| ended.as_millis());
        let (number, began, editor, server) = (self.number, self.began.as_millis(), &self.editor, self.server);
        write!(f, "#{number} {began}..{ended} ms, {editor} on server {server}: {}: {}", self.change, self.outcome)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(base) = self.base() {
            write!(f, "{} v{}, ", base.id, base.version)?;
        }
        match self {
            Self::CreatePost { slug, publish_at, terms, .. } => {
                write!(f, "create a post {slug}, published {}{terms}", publish_at.as_deref().unwrap_or("never"))
            }
            Self::UpdatePost { base, fields } => {
                write!(f, "update (it has{})", HadTerms(&base.content))?;
                for (name, value) in [("slug", &fields.slug), ("title", &fields.title)] {
                    if let Some(value) = value {
                        write!(f, " {name} {value:?}")?;
                    }
                }
                write!(f, "{}", fields.terms)
            }
            Self::RestoreRevision { revision, content, .. } => {
                write!(f, "restore revision {revision} (with{})", HadTerms(content))
            }
            Self::PublishPost { base, at } => {
                write!(f, "publish at {at}, before {}", base.content.published_at.as_deref().unwrap_or("a draft"))
            }
            Self::UnpublishPost { .. } => write!(f, "unpublish"),
            Self::DeletePost { .. } => write!(f, "delete"),
            Self::SaveTerm { kind, slug, new_slug: Some(new_slug), .. } => {
                write!(f, "rename {} {slug} to {new_slug}", kind.noun())
            }
            Self::SaveTerm { kind, slug, new_slug: None, name } => write!(f, "save {} {slug} as {name:?}", kind.noun()),
            Self::DeleteTerm { kind, slug } => write!(f, "delete {} {slug}", kind.noun()),
        }
    }
}

struct HadTerms<'a>(&'a Content);

impl fmt::Display for HadTerms<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.terms.iter().flatten().try_for_each(|term| write!(f, " {term}"))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in TermKind::ALL {
            if let Some(slugs) = &self.slugs[index(kind)] {
                write!(f, " {} [{}]", plural(kind), slugs.join(", "))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnderWay => write!(f, "under way"),
            Self::Made { id, post: Some(post) } => {
                write!(f, "MADE {id} v{} with{}", post.version, HadTerms(&post.content))
            }
            Self::Made { id, post: None } => write!(f, "MADE {id}"),
            Self::Refused { code, message } => write!(f, "refused {code}: {message}"),
            Self::NotSent => write!(f, "not sent"),
            Self::Unknown { code, message } => write!(f, "UNKNOWN {code}: {message}"),
        }
    }
}
