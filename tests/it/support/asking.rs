//! Commands put to a server, and what it told. The rule: an error that is no refusal leaves open whether the change was made.

use tidings::content::commands::{NewPost, PostChanges, UserError, UserErrorCode};
use tidings::content::editor::{Edited, Editor, NamedTerms, TermChanges};
use tidings::content::{Content, ContentError};
use tidings::model::actor::Role;
use tidings::model::{Actor, NodeId, PostId, TermKind};

use super::model::{Command, Model, ModelTag, Refusal, body_of};

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
    ask_as("the tests", content, command).await
}

/// As [`ask`], by an editor of this name.
pub async fn ask_as(name: &str, content: &Content, command: &Command) -> Told {
    match edit(name, content, command).await {
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
        Some(UserErrorCode::InUse) => Refusal::InUse,
        _ => panic!("no command here is refused for {errors:?}"),
    }
}

async fn edit(name: &str, content: &Content, command: &Command) -> Result<Edited<String>, ContentError> {
    let reader = content.reader();
    let actor = Actor::new(name, Role::Admin);
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
        Command::RenameTag { slug, new_slug } => {
            let changes = TermChanges { new_slug: Some(new_slug), ..TermChanges::default() };
            return Ok(editor.save_term(TermKind::Tag, &slug, changes).await?.map(|_| String::new()));
        }
        Command::DeleteTag { slug } => {
            return Ok(editor.delete_term(TermKind::Tag, &slug).await?.map(|_| String::new()));
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
        possible.into_iter().find(|model| model.is_but_for_tags(found))
    }

    /// Whether this was found, but for tags that are made with their posts: those may still be to come.
    fn is_but_for_tags(&self, found: &Self) -> bool {
        let is_to_come = |slug: &String, tag: &ModelTag| *tag == ModelTag::new(slug) && !found.tags.contains_key(slug);
        let all_else = |(slug, tag): (&String, &ModelTag)| found.tags.get(slug) == Some(tag) || is_to_come(slug, tag);
        self.posts == found.posts
            && self.tags.iter().all(all_else)
            && found.tags.keys().all(|slug| self.tags.contains_key(slug))
    }

    /// Whether some order of the changes gives these answers, and leaves what was found: one after the other, each whole. A change may also be refused for another that
    /// was under way and came to nothing.
    pub fn explains_loosely(&self, asked: &[(Command, Told)], found: &Self) -> bool {
        self.leads_to(asked, found, &|model, command| {
            let came_to_nothing = |(other, told): &(Command, Told)| match told {
                Told::Done(_) => false,
                Told::Refused(_) => other != command,
                Told::Unknown(_) => true,
            };
            asked.iter().any(|other| came_to_nothing(other) && model.contend(command, &other.0))
        })
    }

    /// As [`explains_loosely`](Self::explains_loosely), where a change may also be told to be tried again, and for no other reason.
    pub fn explains_but_for_conflicts(&self, asked: &[(Command, Told)], found: &Self) -> bool {
        let conflict = |command: &Command| asked.contains(&(command.clone(), Told::Refused(Refusal::Conflict)));
        self.leads_to(asked, found, &|_, command| conflict(command))
    }

    fn leads_to(&self, asked: &[(Command, Told)], found: &Self, may_refuse: &dyn Fn(&Self, &Command) -> bool) -> bool {
        if asked.is_empty() {
            return self == found;
        }
        (0..asked.len()).any(|first| {
            let mut rest = asked.to_vec();
            let (command, told) = rest.remove(first);
            let made = |id: &str| self.after(&command, id).is_ok_and(|after| after.leads_to(&rest, found, may_refuse));
            let not_made = || self.leads_to(&rest, found, may_refuse);
            match &told {
                Told::Done(id) => made(id),
                Told::Refused(_) => (self.after(&command, "").is_err() || may_refuse(self, &command)) && not_made(),
                Told::Unknown(_) => not_made() || self.id_of(found, &command).is_some_and(|id| made(&id)),
            }
        })
    }

    /// Whether two changes are of one post, or want one slug.
    fn contend(&self, one: &Command, other: &Command) -> bool {
        let wanted = |command: &Command| match command {
            Command::Create { slug, .. } => vec![slug.clone()],
            Command::Update { id, changes, .. } => changes.slug.iter().chain([id]).cloned().collect(),
            Command::Publish { id, .. } | Command::Unpublish { id, .. } | Command::Delete { id, .. } => {
                vec![id.clone()]
            }
            Command::RenameTag { slug, new_slug } => vec![slug.clone(), new_slug.clone()],
            Command::SaveTag { .. } | Command::DeleteTag { .. } => Vec::new(),
        };
        wanted(one).iter().any(|wanted_by_one| wanted(other).contains(wanted_by_one))
    }
}
