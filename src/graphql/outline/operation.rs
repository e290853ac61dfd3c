//! The outline of a request, and the operation to run. The rule: the operation is selected once, as by GetOperation() of the GraphQL
//! specification ("Executing Requests"), before anything runs.

use std::any::TypeId;
use std::sync::Arc;

use async_graphql::{Request, ServerError};

use super::{Field, Operation, Outline, SelectionKind};

/// The outline of a document, and the operation to run. Clones share the outline.
#[derive(Debug, Clone)]
pub struct OperationOutline {
    outline: Arc<Outline>,
    index: usize,
}

/// Why a request does not identify one operation of its document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnresolvedOperation {
    #[error("The document has no operation named {0:?}.")]
    Unknown(String),
    #[error("The document has {0} operations: name the one to run in `operationName`.")]
    NotNamed(usize),
}

impl OperationOutline {
    /// The operation with this name; without a name, the only operation.
    ///
    /// # Errors
    /// If the outline has no such operation.
    pub fn select(outline: impl Into<Arc<Outline>>, name: Option<&str>) -> Result<Self, UnresolvedOperation> {
        let outline = outline.into();
        let operations = outline.operations();
        let index = match name {
            Some(name) => operations
                .iter()
                .position(|operation| operation.name.as_ref().is_some_and(|found| found == name))
                .ok_or_else(|| UnresolvedOperation::Unknown(name.to_owned()))?,
            None if operations.len() == 1 => 0,
            None => return Err(UnresolvedOperation::NotNamed(operations.len())),
        };
        Ok(Self { outline, index })
    }

    /// The outline that [`attach`](Self::attach) has added to the request, or a new one. `None` if the request does not identify one
    /// operation of its document, which the engine reports.
    ///
    /// # Errors
    /// If the document does not parse.
    pub fn of(request: &mut Request) -> Result<Option<Self>, ServerError> {
        if let Some(attached) = request.data.get(&TypeId::of::<Self>()).and_then(|data| data.downcast_ref::<Self>()) {
            return Ok(Some(attached.clone()));
        }
        let outline = Outline::of(request.parsed_query()?);
        Ok(Self::select(outline, request.operation_name.as_deref()).ok())
    }

    /// Adds the outline to its request, so that it is not built again.
    #[must_use]
    pub fn attach(self, request: Request) -> Request {
        request.data(self)
    }

    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    pub fn operation(&self) -> &Operation {
        &self.outline.operations()[self.index]
    }

    /// The field of an operation that selects a single one, and not in a fragment.
    pub fn only_root_field(&self) -> Option<&Field> {
        match &*self.outline.set(self.operation().set).selections {
            [one] => match &one.kind {
                SelectionKind::Field(field) => Some(field),
                SelectionKind::Spread { .. } | SelectionKind::InlineFragment { .. } => None,
            },
            _ => None,
        }
    }
}
