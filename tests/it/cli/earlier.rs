//! The way out of a store of an earlier format: `earlier/` is what the last version that wrote it exported. The rule: an import of it keeps every value, on
//! both stores, and a second one changes nothing.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::azurite::{Azurite, emulator_key, random_prefix};
use crate::support::command::{Blog, Ran, finish, run, tidings};

fn exported_by_it() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cli/earlier")
}

/// The records of an exported folder by their type and id.
fn records(folder: &Path) -> Vec<(String, Value)> {
    let of = |line| {
        let record: Value = serde_json::from_str(line).expect("JSON");
        let id =
            ["nodeId", "id", "file", "tidings"].iter().find_map(|name| record.get(name)).expect("an id").to_string();
        // The name of a picture has its size since then.
        let id = id.split(['-', '.']).next().filter(|_| record["type"] == "asset").unwrap_or(&id).to_owned();
        (format!("{} {id}", record["type"]), record)
    };
    let lines = std::fs::read_to_string(folder.join("content.jsonl")).expect("an export");
    let mut records: Vec<_> = lines.lines().map(of).collect();
    records.sort_by(|(a, _), (b, _)| a.cmp(b));
    records
}

fn every_value_is_kept(command: impl Fn(&[&str]) -> Ran) {
    let folder = exported_by_it();
    let import = || command(&["import", folder.to_str().expect("UTF-8")]);
    let ran = import();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.summary().starts_with("Imported: 4 created, 0 changed, 0 unchanged, 0 skipped, 0 failed;"), "{ran:?}");
    assert!(
        ran.summary()
            .ends_with("; pages: 3 created, 0 changed, 0 unchanged; pictures and files: 1 created, 0 unchanged"),
        "{ran:?}"
    );

    let exported = tempfile::tempdir().expect("a folder");
    assert_eq!(command(&["export", exported.path().to_str().expect("UTF-8")]).code, Some(0));
    let (before, after) = (records(&folder), records(exported.path()));
    let ids = |records: &[(String, Value)]| records.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&before), ids(&after));
    for ((id, before), (_, after)) in before.iter().zip(&after) {
        for (name, value) in before.as_object().expect("an object") {
            // The ids of terms and the names of pictures had another form beside the present one.
            let is_replaced = (name == "id" && before.get("nodeId").is_some()) || name == "file";
            if is_replaced {
                continue;
            }
            assert_eq!(after.get(name), Some(value), "{name} of {id}");
        }
    }
    let again = import();
    assert!(
        again.summary().starts_with("Imported: 0 created, 0 changed, 4 unchanged, 0 skipped, 0 failed;"),
        "{again:?}"
    );
    assert_eq!(command(&["check"]).code, Some(0));
}

#[test]
fn a_file_has_every_value_of_an_export_by_an_earlier_version() {
    let blog = Blog::of(&[]);
    every_value_is_kept(|arguments| run(&[arguments, &["--store", &blog.store()]].concat()));
}

#[test]
fn azurite_has_every_value_of_an_export_by_an_earlier_version() {
    let azurite = Azurite::any();
    let (prefix, pictures) = (random_prefix(), tempfile::tempdir().expect("a folder"));
    let key = emulator_key();
    let connection = format!("AccountName=devstoreaccount1;AccountKey={key};TableEndpoint={}", azurite.endpoint);
    every_value_is_kept(|arguments| {
        let mut command = tidings(&[arguments, &["--store", "azure", "--table-prefix", &prefix]].concat());
        command.env("AZURE_STORAGE_CONNECTION_STRING", &connection).env("TIDINGS_ASSETS_STORE", pictures.path());
        finish(command)
    });
}
