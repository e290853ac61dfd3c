//! Changes of pages. The rule: a change applies only to the version that the caller names; each try reads the row of the tree first, so that its other reads
//! belong to the same state.

use std::time::Duration;

use crate::content::audit;
use crate::content::commands::{self, Current, Edited, Patch, PostChanges, Problem, UserError};
use crate::content::error::Result;
use crate::content::write::{BadPlace, NewKey, PageTree, PagesWritten, until_made};
use crate::model::site_page::{PAGES_MAX, SCHEDULED_PAGES_MAX};
use crate::model::{ActorSnapshot, Instant, NodeId, PagePath, PostId, PostStatus, Role, WholeSitePage};

use super::posts::of_input;
use super::{Editor, once};

/// The maximum number of tries after conflicts. It is high because all changes of pages conflict with each other.
pub(super) const TRIES_MAX: u32 = 12;
/// The wait before the first retry.
pub(super) const WAIT: Duration = Duration::from_millis(5);

#[derive(Debug, Clone, Default)]
pub struct NewPage {
    pub path: String,
    pub order: Option<i32>,
    /// The fields that pages and posts share, and the publication.
    pub text: PostChanges,
}

/// Changes to a page. A field that is [`Patch::Keep`] keeps its value.
#[derive(Debug, Clone, Default)]
pub struct PageChanges {
    pub path: Patch<String>,
    pub order: Patch<i32>,
    pub text: PostChanges,
}

impl PageChanges {
    /// `publish`: whether the page is published, at this instant if one is given.
    pub fn of_publication(publish: bool, at: Option<Instant>) -> Self {
        let text = PostChanges { publish: Patch::Set(publish), publish_at: at.into(), ..PostChanges::default() };
        Self { text, ..Self::default() }
    }
}

enum PageCommand {
    Create(Box<NewPage>, Option<NewKey>),
    Update { id: PostId, version: i32, changes: Box<PageChanges> },
    Restore { id: PostId, version: i32, revision: i32 },
    Delete { id: PostId, version: i32 },
}

impl Editor<'_> {
    /// `key`: an idempotency key; the same input with the same key returns the created page.
    pub async fn create_page(&self, key: Option<&str>, mut new: NewPage) -> Result<Edited<WholeSitePage>> {
        let place = (&*new.path, new.order);
        let key = match key.map(|key| once::key_of_page(self.actor, key, place, &new.text)).transpose() {
            Ok(key) => key,
            Err(error) => return Ok(Err(vec![error])),
        };
        new.text = self.find_files(self.content.renderer().with_excerpt(new.text, "".into()).await).await?;
        self.change_pages(PageCommand::Create(Box::new(new), key)).await
    }

    pub async fn update_page(&self, id: &str, version: i32, mut changes: PageChanges) -> Result<Edited<WholeSitePage>> {
        let Ok(NodeId::Page(id)) = id.parse() else { return Ok(Err(vec![missing("id")])) };
        changes.text = self.find_files(changes.text).await?;
        self.change_pages(PageCommand::Update { id, version, changes: Box::new(changes) }).await
    }

    /// Deletes a page that has no pages below it. Returns the page before its deletion.
    pub async fn delete_page(&self, id: &str, version: i32) -> Result<Edited<WholeSitePage>> {
        let Ok(NodeId::Page(id)) = id.parse() else { return Ok(Err(vec![missing("id")])) };
        self.change_pages(PageCommand::Delete { id, version }).await
    }

    /// Makes a new version with the text of an earlier one; path, order and publication do not change.
    pub(super) async fn restore_page(&self, id: PostId, version: i32, revision: i32) -> Result<Edited<WholeSitePage>> {
        // A role that is allowed to restore only its own posts has no access to the versions of pages.
        if self.actor.role < Role::Editor {
            return Ok(Err(vec![missing("revisionId")]));
        }
        let restored = self.change_pages(PageCommand::Restore { id, version, revision }).await?;
        Ok(of_input(restored, &["revisionId", "expectedVersion"]))
    }

    async fn change_pages(&self, command: PageCommand) -> Result<Edited<WholeSitePage>> {
        until_made(TRIES_MAX, WAIT, || async {
            let mut tree = self.writer.page_tree().await?;
            let page = match self.plan(&mut tree, &command).await? {
                Ok(page) => page,
                Err(refused) => return self.answer_refused(&command, refused).await.map(Some),
            };
            if let Some(why) = tree.bad_translation().await? {
                return self.answer_refused(&command, vec![UserError::untranslatable(why)]).await.map(Some);
            }
            let is_changed = tree.is_changed();
            Ok(match self.writer.write_pages(tree).await? {
                PagesWritten::Done => {
                    if is_changed {
                        audit::log_page(self.actor, action(&command), &page.page);
                    }
                    Some(Ok(page))
                }
                PagesWritten::TooLarge(reason) => {
                    let field = if matches!(&command, PageCommand::Update { .. }) { "path" } else { "markdown" };
                    Some(Err(vec![UserError::too_large(field, format!("the change is too large: {reason}"))]))
                }
                PagesWritten::Conflict => None,
            })
        })
        .await
    }

    /// The answer to a refused change. The same creation may have been sent twice at the same time; then the other one has taken the path.
    async fn answer_refused(&self, command: &PageCommand, refused: Vec<UserError>) -> Result<Edited<WholeSitePage>> {
        let PageCommand::Create(_, Some(key)) = command else { return Ok(Err(refused)) };
        let is_of_input = refused.iter().all(|error| error.problem == Problem::Invalid);
        if is_of_input || self.writer.settled_use_of(key).await?.is_none() {
            return Ok(Err(refused));
        }
        let mut tree = self.writer.page_tree().await?;
        Ok(self.answer_used_of_page(&mut tree, key).await?.unwrap_or(Err(refused)))
    }

    /// Plans the change in `tree`. Returns the page after the change, or before its deletion.
    async fn plan(&self, tree: &mut PageTree<'_>, command: &PageCommand) -> Result<Edited<WholeSitePage>> {
        match command {
            PageCommand::Create(new, key) => {
                let used = match key {
                    Some(key) => self.answer_used_of_page(tree, key).await?,
                    None => None,
                };
                match used {
                    Some(answered) => Ok(answered),
                    None => self.plan_creation(tree, new, key.as_ref()).await,
                }
            }
            PageCommand::Update { id, version, changes } => match find(tree, ("id", id), *version).await? {
                Err(errors) => Ok(Err(errors)),
                Ok(before) => self.plan_update(tree, before, changes).await,
            },
            PageCommand::Restore { id, version, revision } => match find(tree, ("revisionId", id), *version).await? {
                Err(errors) => Ok(Err(errors)),
                Ok(before) => self.plan_restoration(tree, before, *revision).await,
            },
            PageCommand::Delete { id, version } => {
                let before = match find(tree, ("id", id), *version).await? {
                    Err(errors) => return Ok(Err(errors)),
                    Ok(before) => before,
                };
                let below = tree.children(id, PAGES_MAX).await?.len() as u64;
                if below > 0 {
                    let message = format!("{below} pages are below this page; move or delete them first");
                    return Ok(Err(vec![UserError::in_use("id", message, below)]));
                }
                tree.remove(id);
                Ok(Ok(before))
            }
        }
    }

    async fn plan_creation(
        &self,
        tree: &mut PageTree<'_>,
        new: &NewPage,
        key: Option<&NewKey>,
    ) -> Result<Edited<WholeSitePage>> {
        let id = self.writer.new_post_id()?;
        let mut errors = Vec::new();
        let path = path(&new.path).map_err(|error| errors.push(error)).ok();
        let slug =
            path.as_ref().map_or_else(|| "page".parse().expect("letters are a slug"), |path| path.slug().clone());
        let declared = self.content.fields().of_pages.as_deref();
        let made = commands::make(new.text.clone(), slug, id.clone(), self.now(), declared);
        let made = made.map_err(|broken| errors.extend(broken));
        let ancestors = match &path {
            Some(path) => tree.free_path(path, &id).await?.map_err(|bad| errors.push(user_error(&bad))).ok(),
            None => None,
        };
        if tree.count() >= PAGES_MAX {
            errors.push(UserError::too_large("path", format!("a site has at most {PAGES_MAX} pages")));
        }
        let (Ok(whole), Some(path), Some(ancestors), true) = (made, path, ancestors, errors.is_empty()) else {
            return Ok(Err(errors));
        };
        let mut page = WholeSitePage::of_post(whole, path, ancestors, new.order);
        page.page.is_scheduled = page.page.post.published_at.is_some_and(|at| at > self.now());
        page.changed_by = Some(ActorSnapshot::of(self.actor));
        if let Some(original) = &new.text.translation_of
            && let Err(errors) = self.link_original_page(tree, original, &mut page.page.post).await?
        {
            return Ok(Err(errors));
        }
        tree.put(page.clone());
        if let Some(error) = self.too_many_scheduled(tree, None, &page).await? {
            return Ok(Err(vec![error]));
        }
        if let Some(key) = key {
            tree.use_key(key, page.id(), self.now());
        }
        Ok(Ok(page))
    }

    async fn plan_update(
        &self,
        tree: &mut PageTree<'_>,
        before: WholeSitePage,
        changes: &PageChanges,
    ) -> Result<Edited<WholeSitePage>> {
        let mut errors = Vec::new();
        let new_path = match &changes.path {
            Patch::Keep => Ok(None),
            Patch::Clear => Err(UserError::invalid("path", "path cannot be null; omit it instead")),
            Patch::Set(text) => path(text).map(Some),
        };
        let new_path = new_path.map_err(|error| errors.push(error)).ok().flatten();
        let text = changes.text.clone();
        let text = self.content.renderer().with_excerpt(text, before.markdown.clone()).await;
        let declared = self.content.fields().of_pages.as_deref();
        let changed = commands::change(&before.to_post(), text, self.now(), declared);
        let changed = changed.map_err(|broken| errors.extend(broken));
        let Ok(whole) = changed else { return Ok(Err(errors)) };
        let mut page = before.with_text(whole);
        page.page.order = changes.order.apply(before.page.order);
        if page.page.post.published_at != before.page.post.published_at {
            page.page.is_scheduled = page.page.post.published_at.is_some_and(|at| at > self.now());
        }
        if let Some(path) = new_path.filter(|path| *path != before.page.path) {
            match tree.move_page(page.clone(), path).await? {
                Ok(moved) => page = moved,
                Err(bad) => errors.push(user_error(&bad)),
            }
        }
        if !errors.is_empty() {
            return Ok(Err(errors));
        }
        let page = self.put_changed(tree, &before, page);
        Ok(match self.too_many_scheduled(tree, Some(&before), &page).await? {
            Some(error) => Err(vec![error]),
            None => Ok(page),
        })
    }

    /// The error for a page in the tree that exceeds the limit of scheduled pages.
    async fn too_many_scheduled(
        &self,
        tree: &PageTree<'_>,
        before: Option<&WholeSitePage>,
        page: &WholeSitePage,
    ) -> Result<Option<UserError>> {
        let is_scheduled = |page: &WholeSitePage| page.page.status(self.now()) == PostStatus::Scheduled;
        if !is_scheduled(page)
            || before.is_some_and(is_scheduled)
            || tree.scheduled(self.now()).await? <= SCHEDULED_PAGES_MAX
        {
            return Ok(None);
        }
        let message = format!("at most {SCHEDULED_PAGES_MAX} pages can be scheduled at one time");
        Ok(Some(UserError::too_large("publishAt", message)))
    }

    async fn plan_restoration(
        &self,
        tree: &mut PageTree<'_>,
        before: WholeSitePage,
        revision: i32,
    ) -> Result<Edited<WholeSitePage>> {
        let current = before.to_post();
        let earlier = self.kept_version(&current, revision).await?;
        let restored = earlier.and_then(|earlier| commands::restore(&current, &earlier, self.now()));
        Ok(restored.map(|whole| self.put_changed(tree, &before, before.with_text(whole))))
    }

    /// Puts the next version of a page into the tree, if it was changed.
    pub(super) fn put_changed(
        &self,
        tree: &mut PageTree<'_>,
        before: &WholeSitePage,
        mut page: WholeSitePage,
    ) -> WholeSitePage {
        if page != *before {
            page.page.post.version = before.page.post.version.saturating_add(1);
            page.page.post.updated_at = self.now();
            page.changed_by = Some(ActorSnapshot::of(self.actor));
            tree.put(page.clone());
        }
        page
    }
}

/// The page with the version on which the change is based. `field`: the field of the input that names it.
pub(super) async fn find(
    tree: &mut PageTree<'_>,
    (field, id): (&'static str, &PostId),
    version: i32,
) -> Result<Edited<WholeSitePage>> {
    Ok(match tree.by_id(id).await? {
        None => Err(vec![missing(field)]),
        Some(page) if page.page.post.version != version => Err(vec![UserError::conflict(Current::Page(page))]),
        Some(page) => Ok(page),
    })
}

fn action(command: &PageCommand) -> &'static str {
    match command {
        PageCommand::Create(..) => "create_page",
        PageCommand::Delete { .. } => "delete_page",
        PageCommand::Restore { .. } => "restore_page",
        PageCommand::Update { changes, .. } => match (&changes.text.publish, &changes.text.publish_at) {
            (Patch::Set(false), _) => "unpublish_page",
            (Patch::Set(true), _) | (_, Patch::Set(_)) => "publish_page",
            _ => "update_page",
        },
    }
}

fn path(text: &str) -> std::result::Result<PagePath, UserError> {
    text.parse().map_err(|e: crate::model::page_path::BadPath| UserError::invalid("path", e.to_string()))
}

pub(super) fn missing(field: &'static str) -> UserError {
    UserError::not_found(
        field,
        if field == "id" { "there is no page with this id" } else { "there is no version with this id" },
    )
}

fn user_error(bad: &BadPlace) -> UserError {
    let message = bad.to_string();
    match bad {
        BadPlace::NoParent(_) => UserError::not_found("path", message),
        BadPlace::Taken(_) => UserError::taken("path", message),
        BadPlace::TooMany | BadPlace::FormerPaths => UserError::too_large("path", message),
        BadPlace::BelowItself | BadPlace::Path(_) => UserError::invalid("path", message),
    }
}
