//! Compares what readers get with the posts and terms: every list, count, month, slug and id, read as a query reads them. The rule: this check runs
//! only if the rows agree with each other, so a difference that it reports is a defect of Tidings.

mod lists;
mod lookups;
mod shown;

use std::sync::Arc;

use crate::content::error::Result;
use crate::content::read::Reader;
use crate::model::actor::Role;
use crate::model::{Actor, ActorKind, Term};

use crate::content::maintenance::check::known::Posts;
use crate::content::maintenance::check::report::Difference;
use shown::Shown;

/// Reads each post about twice for each list that it is in, and once for its id and for each of its slugs.
///
/// # Errors
/// If the store cannot be read; differences are not errors.
pub(super) async fn check(reader: &Reader, posts: &Posts, terms: &[Term]) -> Result<Vec<Difference>> {
    let actor = Arc::new(Actor::new(ActorKind::Unknown, "check", Role::Admin));
    let editor = reader.clone().for_actor(Some(actor));
    let shown = Shown { public: reader, editor: &editor, posts, terms };
    let mut differences = lists::check(&shown).await?;
    differences.extend(lookups::check(&shown).await?);
    Ok(differences)
}
