//! Validates a request: by the engine, by the `rules` that the engine lacks, and the values of the variables. The rule:
//! nothing of a request runs before its whole document and all values of its variables are valid; a cached document is validated once.
//!
//! The engine validates a document without the values, which are checked for each request.

use std::sync::Arc;

use async_graphql::parser::types::{ExecutableDocument, OperationType};
use async_graphql::{Request, ServerError, Variables};
use futures_util::FutureExt;

use super::rules::Rules;
use super::unsent::omit_unsent;
use crate::graphql::error::ERRORS_MAX;
use crate::graphql::outline::{Checked, Operation, OperationOutline, Outline};
use crate::graphql::schema::Schemas;

/// The prefixes of the engine's messages about errors that the rules check completely. Some of these errors of the engine are wrong.
const OF_RULES: [&str; 4] =
    ["Invalid value for argument", "Invalid default value for argument", "Fields \"", "Variable \""];
/// Part of the engine's messages about the position of a variable. Other messages with this prefix are about rules that only the engine
/// checks.
const OF_POSITIONS: &str = "used in position expecting type";

pub(in crate::graphql) struct Validation {
    rules: Rules,
    schemas: Arc<Schemas>,
}

impl Validation {
    /// `suggests_names`: whether errors suggest names of the schema.
    pub(in crate::graphql) fn new(schemas: &Arc<Schemas>, suggests_names: bool) -> Self {
        Self { rules: Rules::new(Arc::clone(schemas.types()), suggests_names), schemas: Arc::clone(schemas) }
    }

    /// Validates an operation before it runs, and omits the arguments whose variables the client has not sent.
    pub(in crate::graphql) fn prepare(
        &self,
        operation: &OperationOutline,
        request: &mut Request,
    ) -> Result<(), Vec<ServerError>> {
        let faults = self.check(operation, request);
        if !faults.is_empty() {
            return Err(faults);
        }
        omit_unsent(operation, request).map_err(|error| vec![error])
    }

    /// The faults of a request, for the operation that is to run.
    pub(in crate::graphql) fn check(&self, operation: &OperationOutline, request: &mut Request) -> Vec<ServerError> {
        let document = match request.parsed_query() {
            Ok(document) => document,
            Err(error) => return vec![error],
        };
        let (kind, position) = (operation.operation().kind, operation.operation().position);
        if kind == OperationType::Subscription && operation.only_root_field().is_none() {
            let message = "A subscription selects exactly one field, and not in a fragment.";
            return vec![ServerError::new(message, Some(position))];
        }
        let checked = self.check_document(operation.outline(), document);
        if !checked.faults.is_empty() {
            return checked.faults.clone();
        }
        self.check_variables(operation.operation(), checked, &request.variables)
    }

    pub(in crate::graphql) fn check_document<'o>(
        &self,
        outline: &'o Outline,
        document: &ExecutableDocument,
    ) -> &'o Checked {
        outline.checked(|| {
            let mut checked = self.rules.check_values(document);
            let mut faults = self.engine_faults(outline, document);
            // Merging can only be checked if all fields exist.
            if faults.is_empty() {
                let (merging, repeats_fields) = self.rules.check_merging(outline);
                checked.faults.extend(merging);
                checked.repeats_fields = repeats_fields;
            }
            faults.append(&mut checked.faults);
            Checked { faults, ..checked }
        })
    }

    /// `checked`: the result for the document.
    pub(in crate::graphql) fn check_variables(
        &self,
        operation: &Operation,
        checked: &Checked,
        sent: &Variables,
    ) -> Vec<ServerError> {
        self.rules.check_variables(operation, checked.not_null_of(operation.name.as_ref()), sent)
    }

    /// The errors that only the engine finds.
    fn engine_faults(&self, outline: &Outline, document: &ExecutableDocument) -> Vec<ServerError> {
        let mut request = Request::new(String::new());
        request.operation_name =
            outline.operations().first().and_then(|operation| Some(operation.name.as_ref()?.to_string()));
        request.set_parsed_query(document.clone());
        // Validation never waits, and no resolver runs.
        let response = self.schemas.checking().execute(request).now_or_never();
        let mut faults = response.expect("a request that is only validated does not wait").errors;
        faults.retain(|fault| {
            let begin = OF_RULES.iter().find(|begin| fault.message.starts_with(**begin));
            begin.is_none_or(|begin| *begin == "Variable \"" && !fault.message.contains(OF_POSITIONS))
        });
        faults.iter_mut().take(ERRORS_MAX).for_each(|fault| self.rules.suggest(&mut fault.message));
        faults
    }
}
