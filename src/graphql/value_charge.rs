//! The memory of the values of an answer before they are written. The rule: it is charged by the bound of their number, before any of them exists.

use super::cost::Bound;
use super::memory::{Charge, OverBudget};

/// The number of values that an answer may have without this charge: so few that all running requests can have them at once.
const UNCHARGED_VALUES: u64 = 5_000;

/// The memory of a value until it is written: its node in the tree, its name and a short text.
const VALUE_BYTES: u64 = 128;

/// Charges the values of an answer before the execution, by their bound. The charge is released after it.
pub(super) async fn charge_values(charge: Option<&Charge>, bound: &Bound) -> Result<Option<Charge>, OverBudget> {
    let bytes = bound.values.saturating_sub(UNCHARGED_VALUES).saturating_mul(VALUE_BYTES);
    let Some(charge) = charge.filter(|_| bytes > 0) else { return Ok(None) };
    let values = charge.beside();
    values.take(bytes.min(charge.most() / 4)).await?;
    Ok(Some(values))
}
