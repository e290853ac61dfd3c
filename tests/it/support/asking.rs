//! Commands put to a server, and what it told. The rule: an error that is no refusal leaves open whether the change was made.

use tidings::content::commands::{NewPost, PostChanges, UserError, UserErrorCode};
use tidings::content::editor::{Edited, Editor, NamedTerms, TermChanges};
use tidings::content::{Content, ContentError};
use tidings::model::actor::Role;
use tidings::model::{Actor, NodeId, PostId, TermKind};

use super::model::{Command, Model, Refusal, body_of};

/// What the one who asked for a change was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// It was made; the id of the post, where one was made.
    Done(String),
    Refused(Refusal),
    /// Why it is not known.
    Unknown(String),
}

/// Puts a command to a server through the editor, the door of every mutation.
pub async fn ask(content: &Content, command: &Command) -> Told {
    match edit(content, command).await {
        Ok(Ok(id)) => Told::Done(id),
        Ok(Err(errors)) => Told::Refused(refusal(&errors)),
        Err(error) => Told::Unknown(error.to_string()),
    }
}

fn refusal(errors: &[UserError]) -> Refusal {
    match errors.first().map(|error| error.code) {
        Some(UserErrorCode::Taken) => Refusal::Taken,
        Some(UserErrorCode::Conflict) => Refusal::Conflict,
        Some(UserErrorCode::NotFound) => Refusal::NotFound,
        _ => panic!("no command here is refused for {errors:?}"),
    }
}

async fn edit(content: &Content, command: &Command) -> Result<Edited<String>, ContentError> {
    let reader = content.reader();
    let actor = Actor::new("the tests", Role::Admin);
    let editor = Editor::new(content, &reader, &actor)?;
    let node = |id: &str| NodeId::Post(id.parse::<PostId>().expect("an id")).to_string();
    let made = match command.clone() {
        Command::Create { slug, title, tags, publish_at } => {
            let new = NewPost { markdown: body_of(&title), title, publish_at, ..NewPost::default() };
            let terms = NamedTerms { tags: Some(tags), ..NamedTerms::default() };
            editor.create_post(Some(slug), new, terms).await?
        }
        Command::Update { id, version, changes } => {
            let terms = NamedTerms { tags: changes.tags, ..NamedTerms::default() };
            let fields = PostChanges { title: changes.title, markdown: changes.markdown, ..PostChanges::default() };
            editor.update_post(&node(&id), version, changes.slug, fields, terms).await?
        }
        Command::Publish { id, version, at } => editor.publish_post(&node(&id), version, Some(at)).await?,
        Command::Unpublish { id, version } => editor.unpublish_post(&node(&id), version).await?,
        Command::Delete { id, version } => {
            return Ok(editor.delete_post(&node(&id), version).await?.map(|id| id.to_string()));
        }
        Command::SaveTag { slug, name } => {
            let changes = TermChanges { name: Some(name), ..TermChanges::default() };
            return Ok(editor.save_term(TermKind::Tag, &slug, changes).await?.map(|_| String::new()));
        }
    };
    Ok(made.map(|whole| whole.post.id.to_string()))
}

impl Model {
    /// The id of the post that a command may have made without saying so.
    pub fn id_of(&self, found: &Self, command: &Command) -> Option<String> {
        let Command::Create { slug, .. } = command else { return Some(String::new()) };
        found.owner(slug).filter(|id| !self.posts.contains_key(*id)).cloned()
    }

    /// The content after a change that may have been made or not, as it was `found`. `None` where it is neither.
    pub fn resolved(&self, command: &Command, told: &Told, found: &Self) -> Option<Self> {
        let mut possible = Vec::new();
        match told {
            Told::Done(id) => possible.push(self.after(command, id).ok()?),
            Told::Refused(_) => possible.push(self.clone()),
            Told::Unknown(_) => {
                possible.push(self.clone());
                possible.extend(self.id_of(found, command).and_then(|id| self.after(command, &id).ok()));
            }
        }
        possible.into_iter().find(|model| model == found)
    }

    /// Whether some order of the changes gives these answers, and leaves what was found: one after the other, each whole.
    pub fn explains(&self, commands: &[(Command, Told)], found: &Self) -> bool {
        if commands.is_empty() {
            return self == found;
        }
        (0..commands.len()).any(|first| {
            let mut rest = commands.to_vec();
            let (command, told) = rest.remove(first);
            let made = |id: &str| self.after(&command, id).is_ok_and(|after| after.explains(&rest, found));
            match &told {
                Told::Done(id) => made(id),
                Told::Refused(_) => self.after(&command, "").is_err() && self.explains(&rest, found),
                Told::Unknown(_) => {
                    self.explains(&rest, found) || self.id_of(found, &command).is_some_and(|id| made(&id))
                }
            }
        })
    }
}
