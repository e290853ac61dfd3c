//! Sends commands to a server and returns its reply. The rule: an error that is no refusal leaves it open whether the change was made.

use tidings::content::{Content, ContentError};
use tidings::model::actor::Role;
use tidings::model::metadata::METADATA_DEPTH_MAX;
use tidings::model::{Actor, ActorKind, JsonValue, NodeId, PostId, TermKind};
use tidings::testing::{Edited, Editor, NamedTerms, NamedVersion, Patch, PostChanges, Problem, TermChanges, UserError};

use super::model::{Command, Model, Refusal, body_of, is_featured, language_of, metadata_of};

/// How often a client reads a tag again whose change has met another.
pub const TRIES_MAX: usize = 10;

/// The reply to the editor who sent a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The change was made; with the id of the post if a post was created.
    Done(String),
    Refused(Refusal),
    /// The outcome is not known; with the reason.
    Unknown(String),
}

/// Sends a command to a server through the editor, which every mutation uses.
pub async fn ask(content: &Content, command: &Command) -> Reply {
    ask_as("the tests", content, command).await
}

/// As [`ask`], by an editor of this name.
pub async fn ask_as(name: &str, content: &Content, command: &Command) -> Reply {
    match edit(name, content, command).await {
        Ok(Ok(id)) => Reply::Done(id),
        Ok(Err(errors)) => Reply::Refused(refusal(&errors)),
        Err(ContentError::Busy) => Reply::Refused(Refusal::Busy),
        Err(error) => Reply::Unknown(error.to_string()),
    }
}

fn refusal(errors: &[UserError]) -> Refusal {
    match errors.first().map(|error| &error.problem) {
        Some(Problem::Taken) => Refusal::Taken,
        Some(Problem::Conflict(_)) => Refusal::Conflict,
        Some(Problem::NotFound { .. }) => Refusal::NotFound,
        Some(Problem::InUse { .. }) => Refusal::InUse,
        _ => panic!("no command here is refused for {errors:?}"),
    }
}

async fn edit(name: &str, content: &Content, command: &Command) -> Result<Edited<String>, ContentError> {
    content.settle().await?;
    let reader = content.reader();
    let actor = Actor::new(ActorKind::Token, name, Role::Admin);
    let editor = Editor::new(content, &reader, &actor)?;
    let node = |id: &str| NodeId::Post(id.parse::<PostId>().expect("an id")).to_string();
    let made = match command.clone() {
        Command::Create { slug, title, tags, publish_at } => {
            let new = PostChanges {
                markdown: Patch::Set(body_of(&title)),
                is_featured: Patch::Set(is_featured(&title)),
                metadata: Patch::Set(json(&metadata_of(&title))),
                language: Patch::Set(language_of(&title).to_owned()),
                title: Patch::Set(title),
                publish_at: publish_at.into(),
                ..PostChanges::default()
            };
            let terms = NamedTerms { tags: Some(tags), create_missing_tags: true, ..NamedTerms::default() };
            editor.create_post(None, Some(slug), new, terms).await?
        }
        Command::Update { id, version, changes } => {
            let series =
                changes.series.map(|series| Some(series).filter(|series| !series.is_empty()).into_iter().collect());
            let terms = NamedTerms { tags: changes.tags, series, create_missing_tags: true, ..NamedTerms::default() };
            let fields = PostChanges {
                title: changes.title.into(),
                markdown: changes.markdown.into(),
                metadata: changes.metadata.as_deref().map(json).into(),
                language: changes.language.into(),
                is_featured: changes.is_featured.into(),
                publish_at: changes.publish_at.into(),
                ..PostChanges::default()
            };
            editor.update_post(&node(&id), version, changes.slug.into(), fields, terms).await?
        }
        Command::Publish { id, version, at } => editor.publish_post(&node(&id), version, Some(at)).await?,
        Command::Unpublish { id, version } => editor.unpublish_post(&node(&id), version).await?,
        Command::Delete { id, version } => {
            return Ok(editor.delete_post(&node(&id), version).await?.map(|id| id.to_string()));
        }
        Command::SaveTag { .. } | Command::RenameTag { .. } | Command::DeleteTag { .. } | Command::MergeTag { .. } => {
            return edit_tag(content, &editor, command).await;
        }
    };
    Ok(made.map(|whole| whole.post.id.to_string()))
}

fn json(text: &str) -> JsonValue {
    JsonValue::parse(text, METADATA_DEPTH_MAX).expect("JSON")
}

/// Changes a tag as a client who overwrites what others have changed: it reads the id and the version, and reads them again after a conflict.
async fn edit_tag(content: &Content, editor: &Editor<'_>, command: &Command) -> Result<Edited<String>, ContentError> {
    for _ in 0..TRIES_MAX {
        let slug = command.tag().expect("a command of a tag");
        let found = content.reader().term(TermKind::Tag, &slug.parse().expect("a slug")).await?;
        let named = found.map(|tag| (tag.node_id().to_string(), tag.version));
        let edited = match (command.clone(), named) {
            (Command::SaveTag { slug, name }, None) => {
                let new = TermChanges { name: Patch::Set(name), slug: Patch::Set(slug), ..TermChanges::default() };
                editor.create_term(TermKind::Tag, new).await?.map(drop)
            }
            (Command::SaveTag { name, .. }, Some((id, version))) => {
                let changes = TermChanges { name: Patch::Set(name), ..TermChanges::default() };
                editor.update_term(TermKind::Tag, &id, version, changes).await?.map(drop)
            }
            (Command::RenameTag { new_slug, .. }, Some((id, version))) => {
                let changes = TermChanges { slug: Patch::Set(new_slug), ..TermChanges::default() };
                editor.update_term(TermKind::Tag, &id, version, changes).await?.map(drop)
            }
            (Command::DeleteTag { .. }, Some((id, version))) => {
                editor.delete_term(TermKind::Tag, &id, version).await?.map(drop)
            }
            (Command::MergeTag { into, .. }, Some((id, version))) => {
                let Some(into) = content.reader().term(TermKind::Tag, &into.parse().expect("a slug")).await? else {
                    return Ok(Err(vec![UserError::not_found("into", "no tag has the slug")]));
                };
                let into = NamedVersion { id: into.node_id().to_string(), version: into.version };
                editor.merge_terms(TermKind::Tag, &NamedVersion { id, version }, &into).await?.map(drop)
            }
            (_, None) => return Ok(Err(vec![UserError::not_found("slug", "no tag has the slug")])),
            (command, Some(_)) => panic!("{command:?} is not of a tag"),
        };
        let is_raced = match edited.as_ref().err().map(|errors| &errors[0].problem) {
            Some(Problem::Conflict(_) | Problem::NotFound { .. }) => true,
            Some(Problem::Taken) => matches!(command, Command::SaveTag { .. }),
            _ => false,
        };
        if !is_raced {
            return Ok(edited.map(|()| String::new()));
        }
    }
    Err(ContentError::Busy)
}

impl Model {
    /// The id of the post that a command may have created without a reply.
    pub fn id_of(&self, found: &Self, command: &Command) -> Option<String> {
        let Command::Create { slug, .. } = command else { return Some(String::new()) };
        found.owner(slug).filter(|id| !self.posts.contains_key(*id)).cloned()
    }

    /// The content after a change that may have been made or not, if `found` is the content after it. `None` if `found` is neither.
    pub fn resolved(&self, command: &Command, reply: &Reply, found: &Self) -> Option<Self> {
        let mut possible = Vec::new();
        match reply {
            Reply::Done(id) => possible.push(self.after(command, id).ok()?),
            Reply::Refused(_) => possible.push(self.clone()),
            Reply::Unknown(_) => {
                possible.push(self.clone());
                possible.extend(self.id_of(found, command).and_then(|id| self.after(command, &id).ok()));
            }
        }
        possible.into_iter().find(|model| model == found)
    }

    /// Whether some order of the changes, one after the other and each whole, gives these replies and the content `found`. A change may also be
    /// refused because of another one that was under way and was not made.
    pub fn explains_loosely(&self, asked: &[(Command, Reply)], found: &Self) -> bool {
        self.some_order_gives(asked, found, &|model, command| {
            let was_not_made = |(other, reply): &(Command, Reply)| match reply {
                Reply::Done(_) => false,
                Reply::Refused(_) => other != command,
                Reply::Unknown(_) => true,
            };
            asked.iter().any(|other| was_not_made(other) && model.contend(command, &other.0))
        })
    }

    /// As [`explains_loosely`](Self::explains_loosely), but a change may also be refused with a conflict or because of another change, and for no other
    /// reason.
    pub fn explains_except_conflicts(&self, asked: &[(Command, Reply)], found: &Self) -> bool {
        let has = |command: &Command, refusal| asked.contains(&(command.clone(), Reply::Refused(refusal)));
        let conflicts = |command: &Command| has(command, Refusal::Conflict) || has(command, Refusal::Busy);
        self.some_order_gives(asked, found, &|_, command| conflicts(command))
    }

    fn some_order_gives(
        &self,
        asked: &[(Command, Reply)],
        found: &Self,
        may_refuse: &dyn Fn(&Self, &Command) -> bool,
    ) -> bool {
        if asked.is_empty() {
            return self == found;
        }
        (0..asked.len()).any(|first| {
            let mut rest = asked.to_vec();
            let (command, reply) = rest.remove(first);
            let made =
                |id: &str| self.after(&command, id).is_ok_and(|after| after.some_order_gives(&rest, found, may_refuse));
            let not_made = || self.some_order_gives(&rest, found, may_refuse);
            match &reply {
                Reply::Done(id) => made(id),
                Reply::Refused(_) => (self.after(&command, "").is_err() || may_refuse(self, &command)) && not_made(),
                Reply::Unknown(_) => not_made() || self.id_of(found, &command).is_some_and(|id| made(&id)),
            }
        })
    }

    /// Whether two changes are of one post, or need the same slug.
    fn contend(&self, one: &Command, other: &Command) -> bool {
        let contested = |command: &Command| match command {
            Command::Create { slug, .. } => vec![slug.clone()],
            Command::Update { id, changes, .. } => changes.slug.iter().chain([id]).cloned().collect(),
            Command::Publish { id, .. } | Command::Unpublish { id, .. } | Command::Delete { id, .. } => {
                vec![id.clone()]
            }
            Command::RenameTag { slug, new_slug } => vec![slug.clone(), new_slug.clone()],
            Command::MergeTag { slug, into } => vec![slug.clone(), into.clone()],
            Command::SaveTag { .. } | Command::DeleteTag { .. } => Vec::new(),
        };
        contested(one).iter().any(|of_one| contested(other).contains(of_one))
    }
}
