//! Links the translations of a post or page. The rule: one transaction changes the group of all affected posts or pages, and nothing else.

use crate::content::access::{Permission, permission};
use crate::content::audit;
use crate::content::commands::{self, Edited, UserError};
use crate::content::error::Result;
use crate::content::write::{Change, PageTree, PagesWritten, Stored, until_made};
use crate::model::post::TRANSLATIONS_MAX;
use crate::model::{ActorSnapshot, NodeId, Post, TranslationGroup, WholePost, WholeSitePage};

use super::Editor;
use super::bulk::{NamedVersion, TURNS, check};
use super::posts::{TRIES_MAX, WAIT};
use super::site_pages;

/// The field of an input that names posts or pages to link.
const CONTENTS: &str = "contents";
const TRANSLATION_OF: &str = "translationOfId";

/// Posts or pages after a change of their links.
pub(crate) enum Linked {
    Posts(Vec<WholePost>),
    Pages(Vec<WholeSitePage>),
}

impl Editor<'_> {
    /// Puts posts or pages into the group of the first of them that has one, or into a new group; or removes each from its group if `unlinks`.
    pub(crate) async fn link_translations(&self, named: &[NamedVersion], unlinks: bool) -> Result<Edited<Linked>> {
        let linked = match (check(named, TRANSLATIONS_MAX), named.first().map(|first| first.id.parse())) {
            (Err(errors), _) => Err(errors),
            (Ok(()), Some(Ok(NodeId::Page(_)))) => self.link_pages(named, unlinks).await?.map(Linked::Pages),
            (Ok(()), _) => self.link_posts(named, unlinks).await?.map(Linked::Posts),
        };
        let of_input = |error: UserError| UserError { field: error.field.map(|_| CONTENTS), ..error };
        Ok(linked.map_err(|errors| errors.into_iter().map(of_input).collect()))
    }

    async fn link_posts(&self, named: &[NamedVersion], unlinks: bool) -> Result<Edited<Vec<WholePost>>> {
        let _turn = TURNS.acquire().await.expect("the semaphore is never closed");
        until_made(TRIES_MAX, WAIT, || async {
            let mut errors = Vec::new();
            let before = self.find_posts(named, &mut errors).await?;
            let group = self.common_group(before.iter().map(|stored| &stored.whole.post), unlinks)?;
            let (mut after, mut changes) = (Vec::with_capacity(before.len()), Vec::new());
            for (number, before) in before.into_iter().enumerate() {
                match self.linked(&before.whole, group.clone()) {
                    Ok(whole) => {
                        after.push(whole.clone());
                        if whole != before.whole {
                            changes.push((number, Change { before: Some(before), after: Some(whole) }));
                        }
                    }
                    Err(broken) => errors.extend(at_item(broken, number)),
                }
            }
            if !errors.is_empty() {
                return Ok(Some(Err(errors)));
            }
            Ok(self.write_together(changes, &[]).await?.map(|made| made.map(|()| after)))
        })
        .await
    }

    async fn link_pages(&self, named: &[NamedVersion], unlinks: bool) -> Result<Edited<Vec<WholeSitePage>>> {
        until_made(site_pages::TRIES_MAX, site_pages::WAIT, || async {
            let mut tree = self.writer.page_tree().await?;
            let (mut before, mut after, mut errors) = (Vec::with_capacity(named.len()), Vec::new(), Vec::new());
            for (number, NamedVersion { id, version }) in named.iter().enumerate() {
                let found = match id.parse() {
                    Ok(NodeId::Page(id)) => site_pages::find(&mut tree, ("id", &id), *version).await?,
                    _ => Err(vec![site_pages::missing("id")]),
                };
                match found {
                    Ok(page) => before.push(page),
                    Err(of_page) => errors.extend(at_item(of_page, number)),
                }
            }
            let group = self.common_group(before.iter().map(|page| &page.page.post), unlinks)?;
            for (number, page) in before.iter().enumerate() {
                match self.linked(&page.to_post(), group.clone()) {
                    Ok(whole) => after.push(put_linked(&mut tree, page, whole)),
                    Err(broken) => errors.extend(at_item(broken, number)),
                }
            }
            if let Some(why) = tree.bad_translation().await? {
                errors.push(UserError::untranslatable(why));
            }
            if !errors.is_empty() {
                return Ok(Some(Err(errors)));
            }
            Ok(match self.writer.write_pages(tree).await? {
                PagesWritten::Conflict => None,
                PagesWritten::TooLarge(reason) => Some(Err(vec![UserError::too_large(CONTENTS, reason)])),
                PagesWritten::Done => {
                    let changed = after.iter().zip(&before).filter(|(after, before)| after != before);
                    changed.for_each(|(page, _)| audit::log_page(self.actor, "update_page", &page.page));
                    Some(Ok(after))
                }
            })
        })
        .await
    }

    fn common_group<'p>(
        &self,
        mut posts: impl Iterator<Item = &'p Post>,
        unlinks: bool,
    ) -> Result<Option<TranslationGroup>> {
        match posts.find_map(|post| post.translation_group.clone()) {
            _ if unlinks => Ok(None),
            None => Ok(Some(self.writer.new_post_id()?)),
            group => Ok(group),
        }
    }

    /// The next version of a post in this group; the same version if it is already in the group.
    fn linked(&self, before: &WholePost, group: Option<TranslationGroup>) -> Edited<WholePost> {
        let after = commands::link(before, group, self.now())?;
        let is_new = after.post.version != before.post.version;
        Ok(if is_new { WholePost { changed_by: Some(ActorSnapshot::of(self.actor)), ..after } } else { after })
    }

    /// The post of which a new post is a translation.
    pub(super) async fn find_original(&self, id: Option<&str>, errors: &mut Vec<UserError>) -> Result<Option<Stored>> {
        let Some(id) = id else { return Ok(None) };
        let stored = match id.parse() {
            Ok(NodeId::Post(id)) => self.content.stored_by_id(&id).await?,
            _ => None,
        };
        let permission = |stored: &Stored| permission::to_change(self.actor, &stored.whole.post, self.now());
        match stored.as_ref().map(permission) {
            Some(Permission::Yes) => Ok(stored),
            Some(Permission::No) => Err(permission::of_another()),
            Some(Permission::Hidden) | None => {
                errors.push(UserError::not_found(TRANSLATION_OF, "there is no post with this id"));
                Ok(None)
            }
        }
    }

    /// Puts a new post into the group of its original. Returns the change of the original, if it had no group.
    pub(super) fn link_original(&self, original: Option<Stored>, new: &mut Post) -> Result<Edited<Option<Change>>> {
        let Some(before) = original else { return Ok(Ok(None)) };
        new.translation_group = self.common_group([&before.whole.post].into_iter(), false)?;
        let linked = self.linked(&before.whole, new.translation_group.clone());
        Ok(linked.map(|after| (after != before.whole).then_some(Change { before: Some(before), after: Some(after) })))
    }

    /// Puts a new page into the group of its original, and the original, too, if it had no group.
    pub(super) async fn link_original_page(
        &self,
        tree: &mut PageTree<'_>,
        id: &str,
        new: &mut Post,
    ) -> Result<Edited<()>> {
        let found = match id.parse() {
            Ok(NodeId::Page(id)) => tree.by_id(&id).await?,
            _ => None,
        };
        let Some(original) = found else {
            return Ok(Err(vec![UserError::not_found(TRANSLATION_OF, "there is no page with this id")]));
        };
        new.translation_group = self.common_group([&original.page.post].into_iter(), false)?;
        let linked = self.linked(&original.to_post(), new.translation_group.clone());
        Ok(linked.map(|whole| drop(put_linked(tree, &original, whole))))
    }
}

/// Puts a page with a changed group into the tree.
fn put_linked(tree: &mut PageTree<'_>, before: &WholeSitePage, linked: WholePost) -> WholeSitePage {
    let page = WholeSitePage { changed_by: linked.changed_by.clone(), ..before.with_text(linked) };
    if page != *before {
        tree.put(page.clone());
    }
    page
}

/// The errors of one item of the input.
fn at_item(errors: Vec<UserError>, number: usize) -> impl Iterator<Item = UserError> {
    errors.into_iter().map(move |error| error.below(CONTENTS, Some(number)))
}
