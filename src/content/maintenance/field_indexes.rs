//! Builds the indexes of declared fields. The rule: a field is listed first, so that each later change writes its index rows, and counts as built only after a
//! check has found the rows of every post.

use crate::content::error::Result;
use crate::content::tables::rows::field_index::ListedFields;
use crate::content::{Content, Sharing};
use crate::keys::{COUNT_ROW, Collection};
use crate::model::IndexedFields;
use crate::store::StoreError;

use super::{RepairOptions, repair};

impl Content {
    /// Lists the fields that the site declares with `@index`. If the store has posts already, their index rows are written now if no other
    /// process can write to the store; otherwise `tidings check --repair` writes them. Call it before content is changed or served. One point
    /// read if all of them are built.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn prepare_field_indexes(&self) -> Result<()> {
        self.refresh_field_indexes().await?;
        let declared = self.fields().indexed();
        if self.unbuilt(&declared).is_empty() {
            return Ok(());
        }
        let is_empty = self.has_no_posts().await?;
        let list = |fields: ListedFields| {
            let listed = fields.listed.and(&declared);
            let built = if is_empty { listed.clone() } else { fields.built };
            ListedFields { listed, built }
        };
        self.change_listed(list).await?;
        if !self.unbuilt(&declared).is_empty() && self.is_alone() {
            repair(self, RepairOptions::default(), |line| tracing::info!(line, "store.repaired")).await?;
        }
        let unbuilt = self.unbuilt(&declared);
        if !unbuilt.is_empty() {
            let todo =
                "filters by these fields are refused until `tidings check --repair` has written their index rows";
            tracing::warn!(fields = unbuilt.join(" "), todo, "store.index_not_built");
        }
        Ok(())
    }

    fn unbuilt(&self, declared: &IndexedFields) -> Vec<String> {
        let built = self.field_indexes.get().built;
        declared.names().filter(|name| !built.has(name)).map(ToOwned::to_owned).collect()
    }

    /// Lists only the fields that the site declares with `@index`, for a repair whose process knows the declarations.
    pub(super) async fn list_declared_fields(&self) -> Result<()> {
        let declared = self.fields().indexed();
        let knows_declarations = !self.fields().is_empty();
        let list = |fields: ListedFields| {
            let listed = match knows_declarations {
                // The server continues to write the index rows of all fields that were listed when it started.
                true if self.is_beside() => fields.listed.and(&declared),
                true => declared.clone(),
                false => fields.listed,
            };
            let built = fields.built.names().filter(|name| listed.has(name)).map(ToOwned::to_owned);
            ListedFields { built: IndexedFields::of(built), listed }
        };
        self.change_listed(list).await
    }

    fn is_beside(&self) -> bool {
        matches!(self.sharing, Sharing::Beside { .. })
    }

    /// Refuses a change of the list while a server has the store open, because that server writes the index rows of the fields that were listed when it started.
    async fn change_listed(&self, list: impl Fn(ListedFields) -> ListedFields) -> Result<()> {
        if self.is_beside() {
            self.refresh_field_indexes().await?;
            let known = self.field_indexes.get();
            if list(known.clone()).listed != known.listed {
                let what = "the site declares other fields with @index than the server that has the store open: start the server with the same \
                            --site-fields, or stop it and repeat the command";
                return Err(StoreError::Locked(what.to_owned()).into());
            }
        }
        self.field_indexes.change(&self.store, list).await
    }

    /// Marks the listed fields among these as built, after a repair has found their index rows of every post. Returns the fields that were not built before.
    pub(super) async fn set_fields_built(&self, examined: &IndexedFields) -> Result<Vec<String>> {
        let mut unbuilt = self.checked_fields().unbuilt;
        unbuilt.retain(|name| examined.has(name));
        if !unbuilt.is_empty() {
            let build = |fields: ListedFields| {
                let is_built = |name: &&str| fields.built.has(name) || examined.has(name);
                let built = IndexedFields::of(fields.listed.names().filter(is_built).map(ToOwned::to_owned));
                ListedFields { built, ..fields }
            };
            self.field_indexes.change(&self.store, build).await?;
        }
        Ok(unbuilt)
    }

    async fn has_no_posts(&self) -> Result<bool> {
        for collection in [Collection::Posts, Collection::Drafts] {
            let page = self.store.scan(collection.name(), None).await?;
            if page.continuation.is_some() || page.rows.iter().any(|row| row.key.row() != COUNT_ROW) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
