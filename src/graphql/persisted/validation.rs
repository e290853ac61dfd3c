//! Validates a document that nobody has sent. The rule: the limits and rules are those of a request, and nothing is executed.

use async_graphql::{Pos, Variables};

use crate::graphql::engine::validation::Validation;
use crate::graphql::guard::{CheckedDocument, Limits, Refusal};
use crate::graphql::schemas::Schemas;
use crate::model::SiteFields;

/// The fault of a document, and its position if it has one.
#[derive(Debug)]
pub(super) struct Fault {
    pub message: String,
    pub at: Option<Pos>,
}

pub(super) struct Validator {
    validation: Validation,
    limits: Limits,
}

impl Validator {
    pub(super) fn new(limits: &Limits, fields: &SiteFields) -> Self {
        Self { validation: Validation::new(&Schemas::of(fields), true), limits: limits.clone() }
    }

    /// Parses and checks a document. `given`: values of variables, which are checked if the document has them.
    ///
    /// # Errors
    /// The first fault: the document does not parse, exceeds a limit, or is not valid for the schema.
    pub(super) fn check(&self, text: &str, given: &Variables) -> Result<CheckedDocument, Fault> {
        let refused = |refusal: Refusal| Fault { at: refusal.at, message: refusal.message };
        let document = CheckedDocument::of(text, &self.limits).map_err(refused)?;
        let operations = document.outline().operations();
        if operations.is_empty() {
            return Err(Fault { message: "The document has no operation.".to_owned(), at: None });
        }
        let checked = self.validation.check_document(document.outline(), document.parsed());
        let of_values = |operation| self.validation.check_variables(operation, checked, given);
        let mut faults = checked.faults.iter().cloned().chain(operations.iter().flat_map(of_values));
        let fault = faults.next().map(|fault| Fault { at: fault.locations.first().copied(), message: fault.message });
        drop(faults);
        fault.map_or(Ok(document), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_values_are_checked_if_the_document_has_their_variables() {
        let validator = Validator::new(&Limits::default(), &SiteFields::default());
        let text = "query A($first: Int!) { posts(first: $first) { totalCount } }";
        let check = |given| validator.check(text, &Variables::from_json(given)).map_err(|fault| fault.message);
        assert!(check(serde_json::json!({ "first": 20, "other": "x" })).is_ok());
        assert!(check(serde_json::json!({ "first": "20" })).is_err_and(|message| message.contains("first")));
    }

    #[test]
    fn a_document_is_validated_as_a_whole_without_the_values_of_its_variables() {
        let validator = Validator::new(&Limits::default(), &SiteFields::default());
        let valid = [
            "{ posts { totalCount } }",
            "query A($first: Int!) { posts(first: $first) { nodes { ...F } } } fragment F on Post { id }",
            "query A { posts { totalCount } } query B($slug: String!) { post(slug: $slug) { id } }",
            "mutation M($input: CreatePostInput!) { createPost(input: $input) { post { id } } }",
        ];
        for text in valid {
            assert!(
                validator.check(text, &Variables::default()).is_ok(),
                "{text}: {:?}",
                validator.check(text, &Variables::default()).err()
            );
        }
        let faulty = [
            ("{ posts {", None),
            ("{\n  headline }", Some((2, 3))),
            ("query A { posts { totalCount } } query B { nothing }", Some((1, 44))),
            ("query A($first: Nothing) { posts(first: $first) { totalCount } }", None),
            ("fragment F on Post { id }", None),
        ];
        for (text, at) in faulty {
            let fault = validator.check(text, &Variables::default()).expect_err(text);
            let found = fault.at.map(|at| (at.line, at.column));
            assert!(at.is_none() || found == at, "{text}: {fault:?}");
            assert!(!fault.message.is_empty(), "{text}");
        }
    }
}
