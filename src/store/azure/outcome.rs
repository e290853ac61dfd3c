//! Finds out whether a write was committed whose first answer was lost and whose retry was refused: the first request
//! may be the reason. The rule: a change that may have been committed is never reported as refused, because the caller
//! would make it again (`no_increment_is_lost_or_made_twice_if_answers_are_lost` counts them).

use super::AzureStore;
use crate::store::error::StoreError;
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Result};

/// What a row shows about the operation on it.
enum Trace {
    /// It is as the operation would leave it.
    Done(Option<Etag>),
    /// It is as it was before: the batch was not committed.
    Untouched,
    /// Another writer has written it, before the operation or after it.
    Other,
}

impl AzureStore {
    /// Reads back the rows of a batch that was refused after its first request was lost.
    ///
    /// If all rows are as the batch would leave them, it was committed. If one of them is untouched, it was not. Otherwise the outcome is unknown,
    /// because another writer may have written over the batch.
    pub(super) async fn resolve_outcome(
        &self,
        table: &'static str,
        batch: &Batch,
        refusal: String,
    ) -> Result<Vec<Option<Etag>>> {
        let (mut etags, mut met_other) = (Vec::with_capacity(batch.operations().len()), false);
        // A new deadline, because the write has used up its own, or most of it.
        let call = self.call();
        for operation in batch.operations() {
            let key = Key::new(batch.partition(), operation.row())?;
            let found = self.get_row(table, &key, &call).await;
            match trace(operation, found.map_err(|e| StoreError::outcome_unknown(refusal.clone(), e))?) {
                Trace::Done(etag) => etags.push(etag),
                Trace::Untouched => return Err(StoreError::Precondition(refusal)),
                Trace::Other => met_other = true,
            }
        }
        if met_other {
            return Err(StoreError::OutcomeUnknown { what: refusal, source: None });
        }
        Ok(etags)
    }
}

fn trace(operation: &Operation, found: Option<Entity>) -> Trace {
    match (operation, found) {
        // Our write would have changed the ETag, so an unchanged one is checked first.
        (
            Operation::Put { precondition: Precondition::Match(etag), .. }
            | Operation::Delete { precondition: Precondition::Match(etag), .. },
            Some(row),
        ) if row.etag == *etag => Trace::Untouched,
        (Operation::Put { properties, .. }, Some(row)) if row.properties == *properties => Trace::Done(Some(row.etag)),
        (Operation::Put { precondition: Precondition::Absent, .. }, None) => Trace::Untouched,
        (Operation::Delete { .. }, None) => Trace::Done(None),
        (Operation::Delete { precondition: Precondition::None, .. }, Some(_)) => Trace::Untouched,
        _ => Trace::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Properties, Value};

    fn properties(number: i32) -> Properties {
        let mut properties = Properties::new();
        properties.set("N", Value::Int32(number));
        properties
    }

    fn row(number: i32, etag: &str) -> Option<Entity> {
        let key = Key::new("p", "r").expect("a key");
        Some(Entity { key, etag: Etag(etag.into()), properties: properties(number) })
    }

    fn shown(operation: &Operation, found: Option<Entity>) -> &'static str {
        match trace(operation, found) {
            Trace::Done(_) => "done",
            Trace::Untouched => "untouched",
            Trace::Other => "other",
        }
    }

    #[test]
    fn a_row_shows_whether_a_put_was_committed() {
        let put = |precondition| Operation::Put { row: "r".to_owned(), properties: properties(1), precondition };
        let (absent, matching, any) =
            (put(Precondition::Absent), put(Precondition::Match(Etag("old".into()))), put(Precondition::None));
        for (operation, found, expected) in [
            (&absent, row(1, "new"), "done"),
            (&absent, row(2, "new"), "other"),
            (&absent, None, "untouched"),
            (&matching, row(1, "new"), "done"),
            (&matching, row(1, "old"), "untouched"),
            (&matching, row(2, "new"), "other"),
            (&matching, None, "other"),
            (&any, row(1, "new"), "done"),
            (&any, row(2, "new"), "other"),
            (&any, None, "other"),
        ] {
            assert_eq!(shown(operation, found.clone()), expected, "{operation:?} {found:?}");
        }
    }

    #[test]
    fn a_row_shows_whether_a_delete_was_committed() {
        let delete = |precondition| Operation::Delete { row: "r".to_owned(), precondition };
        let (matching, any) = (delete(Precondition::Match(Etag("old".into()))), delete(Precondition::None));
        for (operation, found, expected) in [
            (&matching, None, "done"),
            (&matching, row(1, "old"), "untouched"),
            (&matching, row(1, "new"), "other"),
            (&any, None, "done"),
            (&any, row(1, "new"), "untouched"),
        ] {
            assert_eq!(shown(operation, found.clone()), expected, "{operation:?} {found:?}");
        }
    }
}
