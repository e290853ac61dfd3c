//! The documents of the operator's manifests. The rule: all of them are checked at startup, so that an invalid document prevents the start,
//! and none is dropped while the server runs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::hash::DocumentHash;
use super::manifest::{ListedDocument, Manifest, ManifestError};
use crate::graphql::engine::validation::Validation;
use crate::graphql::error::Code;
use crate::graphql::guard::{CheckedDocument, Limits, Refusal};
use crate::graphql::schema::Schemas;
use crate::model::SiteFields;

#[derive(Debug)]
pub struct TrustedDocument {
    pub text: Arc<str>,
    pub checked: Arc<CheckedDocument>,
}

/// The documents of all manifests.
#[derive(Debug, Default)]
pub struct TrustedDocuments {
    documents: Vec<TrustedDocument>,
    by_id: HashMap<String, usize>,
    by_hash: HashMap<DocumentHash, usize>,
}

impl TrustedDocuments {
    /// Reads and checks these manifests. `fields`: the declared fields of the site.
    ///
    /// # Errors
    /// The first fault, with the file, the id and the position.
    pub fn read<P: AsRef<Path>>(paths: &[P], limits: &Limits, fields: &SiteFields) -> Result<Self, ManifestError> {
        let (mut all, validation) = (Self::default(), Validation::new(&Schemas::of(fields), true));
        for path in paths {
            let Manifest { file, documents } = Manifest::read(path.as_ref())?;
            for listed in &documents {
                let checked =
                    validate(&validation, &listed.text, limits).map_err(|Refusal { message, at, .. }| {
                        let place =
                            at.map(|at| format!(", line {}, column {}", at.line, at.column)).unwrap_or_default();
                        ManifestError(format!("{file}, document {:?}{place}: {message}", listed.id))
                    })?;
                all.add(&file, listed, checked)?;
            }
        }
        Ok(all)
    }

    /// All documents, in the order of the manifests.
    pub fn all(&self) -> &[TrustedDocument] {
        &self.documents
    }

    pub fn find(&self, id: &str) -> Option<&TrustedDocument> {
        self.by_id.get(id).map(|at| &self.documents[*at])
    }

    pub fn find_by_hash(&self, hash: DocumentHash) -> Option<&TrustedDocument> {
        self.by_hash.get(&hash).map(|at| &self.documents[*at])
    }

    fn add(&mut self, file: &str, listed: &ListedDocument, checked: CheckedDocument) -> Result<(), ManifestError> {
        let hash = DocumentHash::of(&listed.text);
        let refused = |why: &str| ManifestError(format!("{file}, document {:?}: {why}", listed.id));
        if listed.id.strip_prefix(DocumentHash::PREFIX).is_some_and(|claimed| claimed != hash.to_string()) {
            return Err(refused(&format!("its id is not the hash of its text, which is {hash}")));
        }
        let text_of = |at: &usize| &*self.documents[*at].text;
        match self.by_id.get(&listed.id).map(text_of) {
            Some(text) if text == listed.text => return Ok(()),
            Some(_) => return Err(refused("another document has the same id")),
            None => {}
        }
        let at = *self.by_hash.entry(hash).or_insert_with(|| {
            self.documents.push(TrustedDocument { text: listed.text.as_str().into(), checked: Arc::new(checked) });
            self.documents.len() - 1
        });
        self.by_id.insert(listed.id.clone(), at);
        Ok(())
    }
}

/// Parses and checks a document, by the limits and rules of a request, without the values of its variables.
///
/// # Errors
/// The first fault: the document does not parse, exceeds a limit, or is not valid for the schema.
fn validate(validation: &Validation, text: &str, limits: &Limits) -> Result<CheckedDocument, Refusal> {
    let document = CheckedDocument::of(text, limits)?;
    if document.outline().operations().is_empty() {
        return Err(Refusal::new(Code::GraphqlValidationFailed, "The document has no operation."));
    }
    match validation.check_document(document.outline(), document.parsed()).faults.first() {
        Some(fault) => {
            let refusal = Refusal::new(Code::GraphqlValidationFailed, &*fault.message);
            Err(Refusal { at: fault.locations.first().copied(), ..refusal })
        }
        None => Ok(document),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(manifests: &[Value]) -> Result<TrustedDocuments, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let paths: Vec<_> = (0..manifests.len()).map(|n| folder.path().join(format!("{n}.json"))).collect();
        for (path, manifest) in paths.iter().zip(manifests) {
            std::fs::write(path, manifest.to_string()).expect("a file");
        }
        let folder = format!("{}/", folder.path().display());
        TrustedDocuments::read(&paths, &Limits::default(), &SiteFields::default())
            .map_err(|error| error.to_string().replace(&folder, ""))
    }

    const POSTS: &str = "{ posts { totalCount } }";

    #[test]
    fn a_document_is_found_by_its_id_and_by_its_hash() {
        let hash = DocumentHash::of(POSTS);
        let documents = read(&[json!({ "9a": POSTS }), json!({ "9b": POSTS, "9a": POSTS })]).expect("two manifests");
        assert_eq!(documents.documents.len(), 1, "one text is held once");
        for id in ["9a", "9b"] {
            assert_eq!(documents.find(id).map(|found| &*found.text), Some(POSTS), "{id}");
        }
        assert!(documents.find("9c").is_none() && documents.find("").is_none());
        assert!(documents.find_by_hash(hash).is_some());
    }

    #[test]
    fn a_fault_names_the_file_the_document_and_the_position() {
        let hash = DocumentHash::of(POSTS);
        let cases = [
            (
                vec![json!({ "9a": POSTS }), json!({ "9b": "{\n  headline\n}" })],
                "1.json, document \"9b\", line 2, column 3: Unknown field \"headline\" on type \"Query\".",
            ),
            (
                vec![json!({ "9a": POSTS }), json!({ "9a": "{ tags { totalCount } }" })],
                "1.json, document \"9a\": another document has the same id",
            ),
        ];
        for (manifests, expected) in cases {
            assert_eq!(read(&manifests).expect_err(expected), expected);
        }
        let wrong = format!("sha256:{}", DocumentHash::of("another"));
        let fault = read(&[json!({ &wrong: POSTS })]).expect_err("not its hash");
        assert_eq!(fault, format!("0.json, document {wrong:?}: its id is not the hash of its text, which is {hash}"));
    }

    #[test]
    fn a_document_is_validated_as_a_whole_without_the_values_of_its_variables() {
        let validation = Validation::new(&Schemas::of(&SiteFields::default()), true);
        let valid = [
            "{ posts { totalCount } }",
            "query A($first: Int!) { posts(first: $first) { nodes { ...F } } } fragment F on Post { id }",
            "query A { posts { totalCount } } query B($slug: String!) { post(slug: $slug) { id } }",
            "mutation M($input: CreatePostInput!) { createPost(input: $input) { post { id } } }",
        ];
        for text in valid {
            assert!(
                validate(&validation, text, &Limits::default()).is_ok(),
                "{text}: {:?}",
                validate(&validation, text, &Limits::default()).err()
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
            let fault = validate(&validation, text, &Limits::default()).expect_err(text);
            let found = fault.at.map(|at| (at.line, at.column));
            assert!(at.is_none() || found == at, "{text}: {fault:?}");
            assert!(!fault.message.is_empty(), "{text}");
        }
    }
}
