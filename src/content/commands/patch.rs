//! A change of one field. The rule: a field that a client has not sent keeps its value, and a field that is sent as null loses it.

use serde::{Serialize, Serializer};

use super::UserError;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Patch<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> Patch<T> {
    /// The new value of a required field; `None` if it keeps its value.
    ///
    /// # Errors
    /// If the change clears the field.
    pub(crate) fn required(self, field: &'static str) -> Result<Option<T>, UserError> {
        match self {
            Self::Keep => Ok(None),
            Self::Set(value) => Ok(Some(value)),
            Self::Clear => Err(UserError::invalid(field, format!("{field} cannot be null; omit it instead"))),
        }
    }

    /// The value of an optional field after the change.
    pub(crate) fn apply(self, before: Option<T>) -> Option<T> {
        match self {
            Self::Keep => before,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    pub(crate) fn map<U>(self, of: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(of(value)),
        }
    }

    pub(crate) fn as_ref(&self) -> Patch<&T> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(value),
        }
    }

    /// The new value, if there is one.
    pub(crate) fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    pub(crate) fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<T, E> Patch<Result<T, E>> {
    pub(crate) fn transpose(self) -> Result<Patch<T>, E> {
        match self {
            Self::Keep => Ok(Patch::Keep),
            Self::Clear => Ok(Patch::Clear),
            Self::Set(value) => value.map(Patch::Set),
        }
    }
}

impl<T> From<Option<T>> for Patch<T> {
    /// `None` keeps the value.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Keep, Self::Set)
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(to)
    }
}
