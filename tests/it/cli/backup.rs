//! `tidings backup` and `tidings restore` beside servers: what is restored is served with the same bytes, and what is not complete is refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use crate::assets::files::png;
use crate::assets::process::{TOKEN, get as get_picture, post as add_picture};
use crate::support::azurite::{Azurite, AzuriteBlobs, connection_string, random_prefix};
use crate::support::command::{Ran, Serving, finish, get, run, tidings};
use crate::support::folder::contents_of;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::s3::S3;

/// Longer than a backup of these blogs takes.
const KILLED_WITHIN_MS: usize = 700;
const KILLS: usize = 8;
const PATIENCE: Duration = Duration::from_secs(120);
const QUERIES: [&str; 4] = [
    "{ posts { totalCount nodes { id slug title html publishedAt version authors { id name } tags { slug postCount } cover { url(width: 320) } } } }",
    "{ pages { totalCount nodes { id path title html } } categories { nodes { id slug name } } archive { month postCount } }",
    "{ tags { nodes { id slug name postCount } } authors { nodes { id slug name } } }",
    "{ post(slug: \"made-2\") { title revisions { nodes { version } } } }",
];

/// A folder with stores and backups.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn store(&self, name: &str) -> String {
        format!("file:{}", self.text(name))
    }

    fn run(&self, arguments: &[&str], store: &str) -> Ran {
        run(&[arguments, &["--store", &self.store(store)]].concat())
    }

    fn succeed(&self, arguments: &[&str], store: &str) -> String {
        let ran = self.run(arguments, store);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        ran.out
    }

    fn import(&self, store: &str) {
        let example = format!("{}/examples/blog", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(self.run(&["import", &example], store).code, Some(0));
    }

    fn serve(&self, store: &str) -> Serving {
        Serving::start_with(&["--store", &self.store(store)], &[("TIDINGS_EDITOR_TOKEN", TOKEN)])
    }

    fn back_up(&self, store: &str) -> String {
        self.succeed(&["backup", &self.text("backup")], store)
    }

    fn restore(&self, store: &str) -> String {
        self.succeed(&["restore", &self.text("backup")], store)
    }

    fn export(&self, store: &str) -> String {
        self.succeed(&["export"], store)
    }

    fn assert_sound(&self, store: &str) {
        assert!(self.succeed(&["check"], store).ends_with(": 0 differences\n"));
    }
}

/// Adds a post with a picture.
fn change(serving: &Serving, n: u32) {
    let picture = png(40, 20 + n);
    let (status, added) = add_picture(&serving.address, "?name=p.png", picture.len(), std::iter::once(picture));
    let added: serde_json::Value = serde_json::from_slice(&added).expect("JSON");
    assert_eq!(status, 201, "{added}");
    let create = format!(
        "mutation {{ createPost(input: {{ title: \"Made {n}\", markdown: \"Text.\", publishAt: \"2025-03-01T00:00:00Z\", coverId: {} }}) \
         {{ userErrors {{ code message }} }} }}",
        added["asset"]["id"]
    );
    let answer = serving.ask_as(Some(TOKEN), &create);
    assert_eq!(answer["data"]["createPost"]["userErrors"], json!([]), "{answer}");
}

fn answers(serving: &Serving) -> Vec<String> {
    let headers = [("content-type", "application/json"), ("authorization", &*format!("Bearer {TOKEN}"))];
    let ask = |query: &&str| serving.post_to("/graphql", &headers, &json!({ "query": query }).to_string()).1;
    QUERIES.iter().map(ask).collect()
}

/// The pictures as they were sent.
fn originals(store: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    contents_of(&store.join("assets/originals"))
}

#[test]
fn a_restored_site_answers_with_the_same_bytes() {
    let place = Place::new();
    place.import("store");
    let serving = place.serve("store");
    change(&serving, 1);
    let first = place.back_up("store");
    assert!(
        first.starts_with("Backed up to position 1 (") && first.contains(" rows, 21 pictures and files, "),
        "{first}"
    );
    change(&serving, 2);
    let second = place.back_up("store");
    assert!(second.contains(" changes, 1 pictures and files, "), "{second}");
    let third = place.back_up("store");
    assert!(third.contains(": 0 changes, 0 pictures and files, 0 bytes"), "{third}");
    place.restore("restored");
    place.assert_sound("restored");
    let restored = place.serve("restored");
    assert_eq!(answers(&restored), answers(&serving));
    assert!(answers(&restored)[3].contains("\"Made 2\""), "{:?}", answers(&restored));
    let pictures = originals(&place.path("restored"));
    assert!(pictures == originals(&place.path("store")), "other pictures");
    for name in pictures.keys() {
        let path = format!("/assets/{}", name.display());
        assert!(get_picture(&restored.address, &path) == get_picture(&serving.address, &path), "{path}");
    }
    change(&restored, 3);
    assert_eq!((restored.stop().0, serving.stop().0), (Some(0), Some(0)));
    place.succeed(&["restore", &place.text("backup"), "--at", "1"], "before");
    let before = place.export("before");
    assert!(before.contains("\"Made 1\"") && !before.contains("\"Made 2\""));
    let of_another = place.run(&["backup", &place.text("backup")], "restored");
    assert!(of_another.complaint().contains("--full"), "{of_another:?}");
    place.succeed(&["backup", &place.text("backup"), "--full"], "restored");
    let ambiguous = place.run(&["restore", &place.text("backup"), "--at", "1"], "none");
    assert!(ambiguous.complaint().contains("two states of the position 1"), "{ambiguous:?}");
}

#[test]
fn a_store_that_is_not_empty_is_refused_and_stays_as_it_is() {
    let place = Place::new();
    place.import("store");
    place.back_up("store");
    let before = place.export("store");
    let refused = place.run(&["restore", &place.text("backup")], "store");
    assert!(refused.complaint().contains("the store is not empty"), "{refused:?}");
    assert!(place.export("store") == before, "another content");
    for (arguments, named) in [
        (vec!["restore", &place.text("none")], "none: "),
        (vec!["restore", &place.text("store")], "there is no backup at this place"),
        (vec!["restore", &place.text("backup"), "--at", "999"], "it has the positions 1 ("),
        (vec!["restore", &place.text("backup"), "--at", "2020-01-01T00:00:00Z"], "it has the positions 1 ("),
    ] {
        let refused = place.run(&arguments, "other");
        assert!(refused.complaint().contains(named), "{arguments:?}: {refused:?}");
    }
    assert!(!place.path("other").exists());
    let into_store = place.run(&["backup", &place.text("store")], "store");
    assert!(into_store.complaint().contains("is no backup: it has "), "{into_store:?}");
}

#[test]
fn a_damaged_byte_and_a_missing_file_are_refused_whichever_it_is() {
    let place = Place::new();
    place.import("store");
    place.back_up("store");
    let serving = place.serve("store");
    change(&serving, 1);
    place.back_up("store");
    serving.stop();
    let files = contents_of(&place.path("backup"));
    assert!(files.len() > 20, "{:?}", files.keys());
    for (n, (name, bytes)) in files.iter().enumerate() {
        let path = place.path("backup").join(name);
        let mut damaged = bytes.clone();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        for (how, change) in [("damaged", Some(damaged)), ("missing", None)] {
            match change {
                Some(damaged) => fs::write(&path, damaged).expect("a file"),
                None => fs::remove_file(&path).expect("it was there"),
            }
            let store = format!("{how}-{n}");
            let refused = place.run(&["restore", &place.text("backup")], &store);
            if !["manifest", "base-", "log-"].iter().any(|of_rows| name.display().to_string().starts_with(of_rows)) {
                assert_eq!(refused.code, Some(2), "{name:?}: {refused:?}");
                assert!(refused.err.contains("1 pictures and files are damaged or missing"), "{name:?}: {refused:?}");
                place.assert_sound(&store);
                continue;
            }
            let complaint = refused.complaint();
            assert!(complaint.contains(how) || complaint.contains("has no manifest"), "{name:?}: {complaint}");
            // It was refused before anything was written, or the store cannot be used.
            let opened = place.run(&["check"], &store);
            assert!(opened.code == Some(1) && opened.out.is_empty(), "{name:?}: {opened:?}");
        }
        fs::write(&path, bytes).expect("a file");
    }
    place.restore("restored");
    assert!(place.export("restored") == place.export("store"), "another content");
}

/// Starts a command and kills it after some milliseconds, unless it has ended.
fn kill_after(arguments: &[&str], milliseconds: usize) {
    let mut child = tidings(arguments).spawn().expect("the command starts");
    std::thread::sleep(Duration::from_millis(milliseconds as u64));
    let _ = child.kill();
    child.wait().expect("it has ended");
}

#[test]
fn a_backup_that_is_killed_leaves_the_one_before() {
    for seed in seeds(1) {
        let (_report, mut random, place) = (report_seed_on_failure(seed), Random::new(seed), Place::new());
        place.import("store");
        let serving = place.serve("store");
        let mut is_backed_up = false;
        for n in 0..KILLS as u32 {
            change(&serving, n);
            let mut arguments =
                vec!["backup".to_owned(), place.text("backup"), "--store".to_owned(), place.store("store")];
            if random.chance(30) {
                arguments.push("--full".to_owned());
            }
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            kill_after(&arguments, random.below(KILLED_WITHIN_MS));
            is_backed_up |= place.path("backup/manifest").exists();
            let store = format!("restored-{n}");
            match is_backed_up {
                true => {
                    place.restore(&store);
                    place.assert_sound(&store);
                }
                false => assert_eq!(place.run(&["restore", &place.text("backup")], &store).code, Some(1)),
            }
        }
        place.back_up("store");
        place.restore("restored");
        assert!(place.export("restored") == place.export("store"), "another content");
        assert!(originals(&place.path("restored")) == originals(&place.path("store")), "other pictures");
        serving.stop();
    }
}

#[test]
fn a_restore_that_is_killed_leaves_no_store_that_can_be_opened() {
    for seed in seeds(1) {
        let (_report, mut random, place) = (report_seed_on_failure(seed), Random::new(seed), Place::new());
        place.import("store");
        place.back_up("store");
        let expected = place.export("store");
        for n in 0..KILLS {
            let store = format!("restored-{n}");
            kill_after(
                &["restore", &place.text("backup"), "--store", &place.store(&store)],
                random.below(KILLED_WITHIN_MS),
            );
            let exported = place.run(&["export"], &store);
            match exported.code {
                Some(0) => {
                    // Before the first row was written, the store is a new one.
                    let is_new = exported.out.lines().count() == 1;
                    assert!(is_new || exported.out == expected, "a part was restored");
                }
                code => assert_eq!(code, Some(1), "{}", exported.err),
            }
        }
    }
}

#[test]
fn tokens_are_backed_up_and_restored_by_choice_only() {
    let place = Place::new();
    place.import("store");
    let token = place.succeed(&["token", "create", "--role", "editor", "--name", "A"], "store");
    let token = token.trim_end();
    place.back_up("store");
    let files = contents_of(&place.path("backup"));
    place.restore("plain");
    assert_eq!(place.succeed(&["token", "list"], "plain").matches("editor").count(), 0);
    let of_plain = place.run(&["restore", &place.text("backup"), "--tokens"], "none");
    assert!(of_plain.complaint().contains("has no tokens"), "{of_plain:?}");
    let mixed = place.run(&["backup", &place.text("backup"), "--tokens"], "store");
    assert!(mixed.complaint().contains("--full"), "{mixed:?}");
    assert!(contents_of(&place.path("backup")) == files, "the backup was changed");
    let with = place.text("with");
    place.succeed(&["backup", &with, "--tokens"], "store");
    place.succeed(&["restore", &with], "without");
    assert_eq!(place.succeed(&["token", "list"], "without").matches("editor").count(), 0);
    place.succeed(&["restore", &with, "--tokens"], "restored");
    let serving = place.serve("restored");
    let viewer = serving.ask_as(Some(token), "{ viewer { role } }");
    assert_eq!(viewer["data"]["viewer"]["role"], json!("EDITOR"), "{viewer}");
    serving.stop();
}

#[test]
fn a_server_backs_up_by_itself_and_says_when() {
    let place = Place::new();
    place.import("store");
    let (store, backup) = (place.store("store"), place.text("backup"));
    let settings = [("TIDINGS_BACKUP_PLACE", backup.as_str())];
    let serving = Serving::start_with(&["--store", &store, "--metrics-listen", "127.0.0.1:0"], &settings);
    let address = serving.wait_for_line("Serving metrics at http://");
    let address = address.strip_suffix("/metrics").expect("the path /metrics").to_owned();
    let begun = Instant::now();
    let last = || {
        let (_, text) = get(&address, "/metrics", &[]);
        let line = text.lines().find_map(|line| line.strip_prefix("tidings_backup_last_success_timestamp_seconds "));
        line.and_then(|value| value.parse::<f64>().ok()).unwrap_or_default()
    };
    while last() == 0.0 {
        assert!(begun.elapsed() < PATIENCE, "no backup was made");
        std::thread::sleep(Duration::from_millis(100));
    }
    place.restore("restored");
    assert!(place.export("restored") == place.export("store"), "another content");
    serving.stop();
}

#[test]
fn a_site_on_azurite_is_backed_up_into_a_container_and_restored_into_other_tables() {
    let (tables, blobs) = (Azurite::any(), AzuriteBlobs::start());
    let connection = format!("{}BlobEndpoint={};", connection_string(&tables.endpoint), blobs.endpoint);
    let prefixes = [random_prefix(), random_prefix()];
    let succeed = |arguments: &[&str], site: usize| {
        let assets = format!("az://pictures/site-{site}");
        let of_site = ["--store", "azure", "--table-prefix", &prefixes[site], "--assets", &assets];
        let takes_assets = arguments[0] != "check";
        let mut command = tidings(&[arguments, if takes_assets { &of_site } else { &of_site[..4] }].concat());
        command.env("AZURE_STORAGE_CONNECTION_STRING", &connection);
        let ran = finish(command);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran.out
    };
    let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    let export = |site: usize| {
        let folder = folders[site].path().join("export");
        succeed(&["export", &folder.display().to_string()], site);
        contents_of(&folder)
    };
    succeed(&["import", &format!("{}/examples/blog", env!("CARGO_MANIFEST_DIR"))], 0);
    succeed(&["backup", "az://backups/site"], 0);
    let restored = succeed(&["restore", "az://backups/site"], 1);
    assert!(restored.ends_with(", with 20 pictures and files\n"), "{restored}");
    assert!(succeed(&["check"], 1).ends_with(": 0 differences\n"));
    assert!(export(1) == export(0), "another content");
}

#[test]
fn a_site_is_backed_up_into_a_bucket_of_s3_twice_and_restored() {
    let (bucket, place) = (S3::start(), Place::new());
    place.import("site");
    let succeed = |arguments: &[&str], store: &str| {
        let mut command = tidings(&[arguments, &["--store", &place.store(store)]].concat());
        command.env("AWS_ENDPOINT_URL_S3", &bucket.endpoint);
        command.env("AWS_ACCESS_KEY_ID", &bucket.access_key_id);
        command.env("AWS_SECRET_ACCESS_KEY", &bucket.secret_access_key);
        let ran = finish(command);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran.out
    };
    succeed(&["backup", "s3://pictures/backups/site"], "site");
    let serving = place.serve("site");
    change(&serving, 1);
    serving.stop();
    succeed(&["backup", "s3://pictures/backups/site"], "site");
    succeed(&["restore", "s3://pictures/backups/site"], "restored");
    place.assert_sound("restored");
    assert!(place.export("restored") == place.export("site"), "another content");
}
