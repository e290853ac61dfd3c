//! A post on its way between two partitions. The rule: of the two ends of a move one stands, the new one as soon as the old one forwards.

use crate::keys::PostPlace;
use crate::store::{Entity, Store};

use super::error::Result;
use super::rows::post::{self as rows, Move};

/// Whether a row bears the mark of a move, so that [`stands`] must be asked.
pub(super) fn may_be_moving(row: &Entity) -> bool {
    rows::is_marked(row)
}

/// Whether a post's row counts at this moment. One point read where it is the new end of a move, else none.
pub(super) async fn stands(store: &Store, row: &Entity) -> Result<bool> {
    let from = match rows::read_move(row)? {
        None => return Ok(true),
        Some(Move::ForwardTo(_)) => return Ok(false),
        Some(Move::PendingFrom(from)) => PostPlace { shelf: from.shelf, key: from.key },
    };
    Ok(match store.get(from.shelf.name(), &from.summary()).await? {
        None => true,
        Some(old) => matches!(rows::read_move(&old)?, Some(Move::ForwardTo(_))),
    })
}
