//! Manifests: the files in which the tools of a front end list its documents. The rule: an entry that is not understood is an error, never
//! skipped.
//!
//! A JSON file is either an object with texts by id, as written by graphql-codegen (`persistedDocuments`) and relay-compiler
//! (`persistConfig`), or a manifest of Apollo (`"format": "apollo-persisted-query-manifest"`). A file whose name ends with `.graphql` or
//! `.gql` is one document, with its hash as its id.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;

use super::hash::DocumentHash;

/// The maximum size of a file. The manifest of a large front end has some hundred kilobytes.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// The maximum number of documents in a file.
const DOCUMENTS_MAX: usize = 10_000;
/// The maximum length of an id. Hashes have at most 71 bytes.
const ID_BYTES_MAX: usize = 256;

const APOLLO_FORMAT: &str = "apollo-persisted-query-manifest";

/// The documents of one file, in its order.
#[derive(Debug)]
pub(super) struct Manifest {
    /// The path of the file, for messages.
    pub file: String,
    pub documents: Vec<ListedDocument>,
}

#[derive(Debug)]
pub(super) struct ListedDocument {
    pub id: String,
    pub text: String,
}

/// The fault of a manifest, with the file, the document and the position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ManifestError(pub(super) String);

impl Manifest {
    /// # Errors
    /// If the file cannot be read, is not a manifest, or exceeds a limit.
    pub(super) fn read(path: &Path) -> Result<Self, ManifestError> {
        let file = path.display().to_string();
        let text = read_text(path, FILE_BYTES_MAX)?;
        let is_document = path.extension().is_some_and(|extension| extension == "graphql" || extension == "gql");
        let documents = if is_document { vec![of_text(text)] } else { of_json(&file, &text)? };
        match documents.len() {
            0 => Err(ManifestError(format!("{file} has no documents in it"))),
            found if found > DOCUMENTS_MAX => {
                Err(ManifestError(format!("{file} has {found} documents; the limit is {DOCUMENTS_MAX}")))
            }
            _ => Ok(Self { file, documents }),
        }
    }
}

/// Reads the text of a regular file.
///
/// # Errors
/// If the file cannot be read, is not regular, or has more than `bytes_max` bytes.
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String, ManifestError> {
    let failed = |error: std::io::Error| ManifestError(format!("{} cannot be read: {error}", path.display()));
    let mut text = String::new();
    // Reading a pipe without a writer would never end.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(ManifestError(format!("{} is not a regular file", path.display())));
    }
    let file = File::open(path).map_err(failed)?;
    let bytes = file.take(bytes_max + 1).read_to_string(&mut text).map_err(failed)?;
    if bytes as u64 > bytes_max {
        return Err(ManifestError(format!("{} has more than {bytes_max} bytes, which is the limit", path.display())));
    }
    Ok(text)
}

fn of_text(text: String) -> ListedDocument {
    ListedDocument { id: format!("{}{}", DocumentHash::PREFIX, DocumentHash::of(&text)), text }
}

fn of_json(file: &str, text: &str) -> Result<Vec<ListedDocument>, ManifestError> {
    let refused = |why: String| ManifestError(format!("{file} {why}"));
    let Entries(entries) =
        serde_json::from_str(text).map_err(|error| refused(format!("is not a manifest: {error}")))?;
    let is_apollo = entries.iter().any(|(name, value)| name == "format" && value == APOLLO_FORMAT);
    let found = if is_apollo { of_apollo(entries) } else { of_texts(entries) };
    found.map_err(refused)
}

/// Parses an object with texts by id.
fn of_texts(entries: Vec<(String, Value)>) -> Result<Vec<ListedDocument>, String> {
    let listed = entries.into_iter().map(|(id, value)| match value {
        Value::String(text) => listed(id, text),
        _ => {
            Err(format!("has no text for {id:?}: a manifest is an object of documents by their ids, or one of Apollo"))
        }
    });
    listed.collect()
}

fn of_apollo(entries: Vec<(String, Value)>) -> Result<Vec<ListedDocument>, String> {
    let value = |name: &str| entries.iter().find(|(entry, _)| entry == name).map(|(_, value)| value);
    if value("version").and_then(Value::as_u64) != Some(1) {
        return Err("is a manifest of Apollo of another version than 1".to_owned());
    }
    let operations = value("operations").and_then(Value::as_array).ok_or("has no list `operations`")?;
    let of_operation = |(at, operation): (usize, &Value)| {
        let text = |name: &str| {
            let text = operation.get(name).and_then(Value::as_str);
            text.map(str::to_owned).ok_or_else(|| format!("has no text `{name}` in operations[{at}]"))
        };
        listed(text("id")?, text("body")?)
    };
    operations.iter().enumerate().map(of_operation).collect()
}

fn listed(id: String, text: String) -> Result<ListedDocument, String> {
    match id.len() {
        0 => Err("has a document without an id".to_owned()),
        bytes if bytes > ID_BYTES_MAX => {
            let start: String = id.chars().take(20).collect();
            Err(format!("has an id of {bytes} bytes, which begins with {start:?}; the limit is {ID_BYTES_MAX}"))
        }
        _ => Ok(ListedDocument { id, text }),
    }
}

/// The entries of a JSON object in order, including duplicate names.
struct Entries(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ByName;
        impl<'de> Visitor<'de> for ByName {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(ByName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<(String, String)>, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        let manifest =
            Manifest::read(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "F"))?;
        Ok(manifest.documents.into_iter().map(|document| (document.id, document.text)).collect())
    }

    fn one(id: &str, text: &str) -> Result<Vec<(String, String)>, String> {
        Ok(vec![(id.to_owned(), text.to_owned())])
    }

    #[test]
    fn each_form_of_a_manifest_is_read() {
        assert_eq!(read("m.json", r#"{"9a": "{ a }"}"#), one("9a", "{ a }"));
        let apollo = r#"{"format": "apollo-persisted-query-manifest", "version": 1,
            "operations": [{"id": "9a", "body": "{ a }", "name": "A", "type": "query"}]}"#;
        assert_eq!(read("m.json", apollo), one("9a", "{ a }"));
        let id = format!("sha256:{}", DocumentHash::of("{ a }"));
        assert_eq!(read("a.graphql", "{ a }"), one(&id, "{ a }"));
        let twice = read("m.json", r#"{"9a": "{ a }", "9a": "{ b }"}"#).map(|documents| documents.len());
        assert_eq!(twice, Ok(2), "an id that is listed twice is not lost");
    }

    #[test]
    fn what_is_no_manifest_is_refused_with_the_file_and_the_place() {
        let cases = [
            ("{", "F is not a manifest: EOF while parsing an object at line 1 column 1"),
            ("[]", "F is not a manifest: invalid type: sequence, expected a JSON object at line 1 column 0"),
            ("{}", "F has no documents in it"),
            (
                r#"{"9a": 7}"#,
                "F has no text for \"9a\": a manifest is an object of documents by their ids, or one of Apollo",
            ),
            (r#"{"": "{ a }"}"#, "F has a document without an id"),
            (
                r#"{"format": "apollo-persisted-query-manifest", "version": 2}"#,
                "F is a manifest of Apollo of another version than 1",
            ),
            (r#"{"format": "apollo-persisted-query-manifest", "version": 1}"#, "F has no list `operations`"),
            (
                r#"{"format": "apollo-persisted-query-manifest", "version": 1, "operations": [{"id": "9a"}]}"#,
                "F has no text `body` in operations[0]",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read("m.json", text).expect_err(text), expected);
        }
        let long = format!(r#"{{"{}": "{{ a }}"}}"#, "x".repeat(300));
        assert!(read("m.json", &long).expect_err("a long id").contains("an id of 300 bytes"));
        assert!(Manifest::read(Path::new("no-such-file.json")).is_err());
    }
}
