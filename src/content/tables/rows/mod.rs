//! Converts the model to rows and back. The rule: a row that does not fit its key is an error that names the row, never a default, except for the kind and the
//! author of an actor.

pub mod asset;
pub mod category_tree;
pub mod change;
pub mod change_log;
pub mod count;
pub mod field_index;
pub mod idempotency;
pub mod lookup;
pub mod packed;
pub mod partition_catalog;
pub mod pointer;
pub mod post;
pub mod site_page;
pub mod term;
pub mod token;
pub mod views;
pub mod webhook;

use std::str::FromStr;
use std::sync::Arc;

use compact_str::CompactString;

use crate::model::{ActorSnapshot, Instant, Slug};
use crate::store::{Entity, Properties, StoreError, Value};

/// Reads the typed properties of a row.
pub(crate) struct RowFields<'a>(pub &'a Entity);

type Result<T> = std::result::Result<T, StoreError>;

impl<'a> RowFields<'a> {
    pub(crate) fn text(&self, name: &str) -> Result<&'a CompactString> {
        match self.0.properties.get(name) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(self.damaged(name)),
        }
    }

    pub(crate) fn parsed<T: FromStr>(&self, name: &str) -> Result<T> {
        self.text(name)?.parse().map_err(|_| self.damaged(name))
    }

    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&'a CompactString>> {
        match self.0.properties.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.damaged(name)),
        }
    }

    pub(crate) fn optional_parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        self.optional_text(name)?.map(|text| text.parse().map_err(|_| self.damaged(name))).transpose()
    }

    pub(crate) fn int32(&self, name: &str) -> Result<i32> {
        match self.0.properties.get(name) {
            Some(Value::Int32(number)) => Ok(*number),
            _ => Err(self.damaged(name)),
        }
    }

    pub(crate) fn int64(&self, name: &str) -> Result<i64> {
        match self.0.properties.get(name) {
            Some(Value::Int64(number)) => Ok(*number),
            _ => Err(self.damaged(name)),
        }
    }

    pub(crate) fn bytes32(&self, name: &str) -> Result<[u8; 32]> {
        match self.0.properties.get(name) {
            Some(Value::Binary(bytes)) => bytes.as_ref().try_into().map_err(|_| self.damaged(name)),
            _ => Err(self.damaged(name)),
        }
    }

    /// An absent flag is false.
    pub(crate) fn flag(&self, name: &str) -> Result<bool> {
        match self.0.properties.get(name) {
            None => Ok(false),
            Some(Value::Boolean(yes)) => Ok(*yes),
            Some(_) => Err(self.damaged(name)),
        }
    }

    pub(crate) fn instant(&self, name: &str) -> Result<Instant> {
        self.optional_instant(name)?.ok_or_else(|| self.damaged(name))
    }

    pub(crate) fn optional_instant(&self, name: &str) -> Result<Option<Instant>> {
        match self.0.properties.get(name) {
            None => Ok(None),
            Some(Value::DateTime(ticks)) => Instant::from_ticks(*ticks).map(Some).ok_or_else(|| self.damaged(name)),
            Some(_) => Err(self.damaged(name)),
        }
    }

    /// The actor from the three properties that [`NewRow::actor`] sets; `None` if the name is absent. The exception to the rule of this module: a kind or
    /// author that cannot be read is unknown, because the post or the change can be read without it. [`check_actor`](Self::check_actor) reports it.
    pub(crate) fn actor(&self, [name, kind, author]: [&str; 3]) -> Result<Option<ActorSnapshot>> {
        let Some(by) = self.optional_text(name)? else { return Ok(None) };
        Ok(Some(ActorSnapshot::of_texts(by, self.lenient_text(kind), self.lenient_text(author))))
    }

    /// # Errors
    /// If [`actor`](Self::actor) drops a part of the actor because it cannot be read.
    pub(crate) fn check_actor(&self, [name, kind, author]: [&str; 3]) -> Result<()> {
        if self.optional_text(name)?.is_none() {
            return Ok(());
        }
        if !ActorSnapshot::is_known_kind(self.lenient_text(kind)) {
            return Err(self.damaged(kind));
        }
        if !ActorSnapshot::is_known_author(self.lenient_text(author)) {
            return Err(self.damaged(author));
        }
        Ok(())
    }

    /// The text; if the property is not a text, an empty one, which is never valid.
    fn lenient_text(&self, name: &str) -> Option<&'a str> {
        self.0.properties.get(name).map(|value| match value {
            Value::String(text) => text.as_str(),
            _ => "",
        })
    }

    /// Slugs separated by spaces; none if the property is absent.
    pub(crate) fn slugs(&self, name: &str) -> Result<Vec<Slug>> {
        let Some(text) = self.optional_text(name)? else { return Ok(Vec::new()) };
        text.split(' ').map(|slug| slug.parse().map_err(|_| self.damaged(name))).collect()
    }

    pub(crate) fn damaged(&self, name: &str) -> StoreError {
        StoreError::corrupt(format!("{name} of the row {} is missing or invalid", self.0.key))
    }
}

/// Builds the typed properties of a row.
#[derive(Default)]
pub(crate) struct NewRow(Properties);

impl NewRow {
    pub(crate) fn text(mut self, name: &str, text: impl AsRef<str>) -> Self {
        self.0.set(name, Value::String(text.as_ref().into()));
        self
    }

    pub(crate) fn optional_text(self, name: &str, text: Option<impl AsRef<str>>) -> Self {
        match text {
            Some(text) => self.text(name, text),
            None => self,
        }
    }

    pub(crate) fn int32(mut self, name: &str, number: i32) -> Self {
        self.0.set(name, Value::Int32(number));
        self
    }

    pub(crate) fn bytes32(mut self, name: &str, bytes: &[u8; 32]) -> Self {
        self.0.set(name, Value::Binary(Arc::from(bytes.as_slice())));
        self
    }

    pub(crate) fn int64(mut self, name: &str, number: i64) -> Self {
        self.0.set(name, Value::Int64(number));
        self
    }

    /// A false flag is not stored.
    pub(crate) fn flag(mut self, name: &str, yes: bool) -> Self {
        if yes {
            self.0.set(name, Value::Boolean(true));
        }
        self
    }

    pub(crate) fn instant(mut self, name: &str, at: Instant) -> Self {
        self.0.set(name, Value::DateTime(at.ticks()));
        self
    }

    pub(crate) fn optional_instant(self, name: &str, at: Option<Instant>) -> Self {
        match at {
            Some(at) => self.instant(name, at),
            None => self,
        }
    }

    /// Sets the properties of an actor. The array: their names.
    pub(crate) fn actor(self, [name, kind, author]: [&str; 3], actor: Option<&ActorSnapshot>) -> Self {
        let Some(actor) = actor else { return self };
        self.text(name, &actor.name).text(kind, actor.kind.text()).optional_text(author, actor.author_text())
    }

    /// An empty list is not stored.
    pub(crate) fn slugs(self, name: &str, slugs: &[Slug]) -> Self {
        if slugs.is_empty() {
            return self;
        }
        let joined: Vec<&str> = slugs.iter().map(Slug::as_str).collect();
        self.text(name, joined.join(" "))
    }

    pub(crate) fn build(self) -> Properties {
        self.0
    }
}
