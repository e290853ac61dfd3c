//! The documents of the operator's manifests. The rule: all of them are checked at startup, so that an invalid document prevents the start,
//! and none is dropped while the server runs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use async_graphql::Variables;
use serde_json::{Map, Value};

use super::hash::DocumentHash;
use super::manifest::{ListedDocument, Manifest, ManifestError};
use super::validation::{Fault, Validator};
use crate::graphql::guard::{CheckedDocument, Limits};
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
        let mut all = Self::default();
        for path in paths {
            let manifest = Manifest::read(path.as_ref())?;
            for (listed, checked) in check(&manifest, (limits, fields), &Map::new())? {
                all.add(&manifest.file, listed, checked)?;
            }
        }
        Ok(all)
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

/// Parses and validates the documents of a manifest. `fields`: the declared fields of the site. `given`: values of variables by name, which
/// are checked in each document that has them.
///
/// # Errors
/// The first fault, with the file, the id and the position.
pub fn check<'m>(
    manifest: &'m Manifest,
    (limits, fields): (&Limits, &SiteFields),
    given: &Map<String, Value>,
) -> Result<Vec<(&'m ListedDocument, CheckedDocument)>, ManifestError> {
    let validator = Validator::new(limits, fields);
    let given = Variables::from_json(Value::Object(given.clone()));
    let checked = manifest.documents.iter().map(|listed| {
        let checked = validator.check(&listed.text, &given).map_err(|Fault { message, at }| {
            let place = at.map(|at| format!(", line {}, column {}", at.line, at.column)).unwrap_or_default();
            ManifestError(format!("{}, document {:?}{place}: {message}", manifest.file, listed.id))
        });
        checked.map(|checked| (listed, checked))
    });
    checked.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
}
