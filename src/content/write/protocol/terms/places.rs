//! The places of categories in their tree. The rule (W14): a change claims a place in the row of the tree before its commit, and the claim counts as a place for
//! every other change until the change has ended; so two changes that would make a cycle together see each other. The parent is read after the claim, as a
//! post's terms are after its intent was opened (W9).

use std::collections::{BTreeSet, HashMap};

use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::category_tree as tree_rows;
use crate::content::tables::rows::term::{self as rows, TermRow};
use crate::content::write::outcomes::TermOutcome;
use crate::content::write::plan::{self, NewPlace};
use crate::content::write::protocol::Session;
use crate::content::write::protocol::intent::require_open;
use crate::content::write::retry::retry_on_conflict;
use crate::keys::intent::IntentName;
use crate::keys::{category_tree, term};
use crate::model::{BadParent, CategoryTree, Slug, Term, TermKind};
use crate::store::{Batch, Entity, Key, Store};

use super::slugs::identity;

const WHAT: &str = "the tree of categories";
/// How often a change waits for other changes whose claims are in its way.
const LOOKS_MAX: usize = 3;

/// The outcome of one try to claim places.
enum Claims {
    /// Those that were refused, with the reason.
    Made(HashMap<usize, TermOutcome>),
    /// These changes under way are in the way of some.
    Blocked(BTreeSet<String>),
}

impl Session<'_> {
    /// Claims the new places of categories, and checks that their parents exist. Returns why some are refused, by their numbers.
    pub(super) async fn claim_places(&self, requested: &[(usize, NewPlace)]) -> Result<HashMap<usize, TermOutcome>> {
        if requested.is_empty() {
            return Ok(HashMap::new());
        }
        let mut ended = BTreeSet::new();
        for _ in 0..LOOKS_MAX {
            let blocking = match self.try_claims(requested, &ended).await? {
                Claims::Made(mut refused) => {
                    self.check_parents(requested, &mut refused).await?;
                    return Ok(refused);
                }
                Claims::Blocked(blocking) => blocking,
            };
            let names: Vec<IntentName> = blocking.iter().filter_map(|name| name.parse().ok()).collect();
            match self.writer.wait_until_closed(&names).await {
                Err(ContentError::Busy) => break,
                waited => waited?,
            }
            // The row is read again after this: a claim of one of them that is still there was not made, and never will be.
            ended.extend(blocking);
        }
        Ok(requested.iter().map(|(i, _)| (*i, TermOutcome::Busy)).collect())
    }

    /// One point read and one transaction. `ended`: changes that have ended before the row is read.
    async fn try_claims(&self, requested: &[(usize, NewPlace)], ended: &BTreeSet<String>) -> Result<Claims> {
        let by = self.name.to_string();
        retry_on_conflict(WHAT, || async {
            let _lock = self.store.keyed_lock(tree_rows::TABLE.name(), category_tree::TREE_PARTITION).await;
            let row = read(&self.store).await?;
            let mut tree = tree_rows::read_optional(row.as_ref())?;
            tree.remove_ended(ended);
            let (mut refused, mut blocking) = (HashMap::new(), BTreeSet::new());
            for (i, NewPlace { category, place }) in requested {
                if let Err(bad) = tree.claim(category, place.clone(), &by) {
                    blocking.extend(bad.because_of);
                    refused.insert(*i, TermOutcome::Parent(bad.why));
                }
            }
            if !blocking.is_empty() {
                return Ok(Claims::Blocked(blocking));
            }
            if refused.len() < requested.len() {
                put(&self.store, row.as_ref(), &tree).await?;
            }
            Ok(Claims::Made(refused))
        })
        .await
    }

    /// W9: a deletion of a parent that begins after this has seen the intent, or the claim.
    async fn check_parents(
        &self,
        requested: &[(usize, NewPlace)],
        refused: &mut HashMap<usize, TermOutcome>,
    ) -> Result<()> {
        let parent = |(i, new): &(usize, NewPlace)| Some((*i, new.place.as_ref()?.parent.clone()));
        let claimed = requested.iter().filter(|(i, _)| !refused.contains_key(i));
        let parents: Vec<(usize, Slug)> = claimed.filter_map(parent).collect();
        let different: BTreeSet<&Slug> = parents.iter().map(|(_, parent)| parent).collect();
        let keys: Vec<Key> = different.iter().map(|parent| term::term(parent)).collect();
        let found = self.store.get_many(tree_rows::TABLE.name(), &keys).await;
        let mut outcomes = HashMap::new();
        for (parent, row) in different.into_iter().zip(found) {
            let outcome = match row?.map(|row| rows::read(TermKind::Category, &row)).transpose()? {
                Some(TermRow::Identity(row)) if row.deleting_by.is_none() => continue,
                // The deletion may be refused: the change is tried again.
                Some(TermRow::Identity(_)) => TermOutcome::Conflict,
                _ => TermOutcome::Parent(BadParent::Missing),
            };
            outcomes.insert(parent.clone(), outcome);
        }
        refused.extend(parents.into_iter().filter_map(|(i, parent)| Some((i, *outcomes.get(&parent)?))));
        Ok(())
    }

    /// Step 5: the claims that were made become the only places of their categories (W3).
    pub(super) async fn reconcile_places(&self, made: &[(Option<Term>, Option<Term>)]) -> Result<()> {
        let new = made.iter().filter_map(|(before, after)| plan::new_place(before.as_ref(), after.as_ref()));
        let new: Vec<NewPlace> = new.collect();
        if new.is_empty() {
            return Ok(());
        }
        self.change_tree(Needs::OpenIntent, |tree| {
            new.iter().for_each(|NewPlace { category, place }| tree.reconcile(category, place.clone()));
        })
        .await
    }

    /// Removes what a change that was not made has claimed (W4).
    pub(super) async fn withdraw_place(&self, before: Option<&Term>, after: Option<&Term>) -> Result<()> {
        let Some(NewPlace { category, .. }) = plan::new_place(before, after) else { return Ok(()) };
        let by = self.name.to_string();
        self.change_tree(Needs::Nothing, |tree| tree.withdraw(&category, &by)).await
    }

    async fn change_tree(&self, needs: Needs, change: impl Fn(&mut CategoryTree)) -> Result<()> {
        retry_on_conflict(WHAT, || async {
            let _lock = self.store.keyed_lock(tree_rows::TABLE.name(), category_tree::TREE_PARTITION).await;
            let row = read(&self.store).await?;
            let found = tree_rows::read_optional(row.as_ref())?;
            let mut tree = found.clone();
            change(&mut tree);
            if tree == found {
                return Ok(());
            }
            if needs == Needs::OpenIntent {
                require_open(&self.store, &self.name).await?;
            }
            put(&self.store, row.as_ref(), &tree).await
        })
        .await
    }
}

/// What a change of the tree requires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// That the intent, read after the row, is open: a later change of the category can have begun otherwise.
    OpenIntent,
}

/// Whether a category is below this one. An entry of which it is uncertain whether it is a place counts if the category says so.
pub(super) async fn has_children(store: &Store, parent: &Slug) -> Result<bool> {
    let tree = tree_rows::read_optional(read(store).await?.as_ref())?;
    let uncertain = tree.uncertain();
    for entry in tree.below(parent) {
        if !uncertain.contains(&entry.category) {
            return Ok(true);
        }
        let found = identity(store, TermKind::Category, &entry.category).await?;
        if found.is_some_and(|(category, _)| category.parent.as_ref() == Some(parent)) {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn read(store: &Store) -> Result<Option<Entity>> {
    Ok(store.get(tree_rows::TABLE.name(), &category_tree::tree()).await?)
}

async fn put(store: &Store, found: Option<&Entity>, tree: &CategoryTree) -> Result<()> {
    let replacing = tree_rows::replacing(found, tree)
        .map_err(|e| ContentError::TooLarge { what: WHAT.to_owned(), reason: e.to_string() })?;
    if let Some(operation) = replacing {
        let batch = Batch::new(category_tree::TREE_PARTITION, vec![operation])?;
        store.commit(tree_rows::TABLE.name(), &batch).await?;
    }
    Ok(())
}
