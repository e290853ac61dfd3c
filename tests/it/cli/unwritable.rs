//! Stores that the user cannot read or write, and stores of which a part is lost. The rule: the message says what it is, and never that there is no store; what
//! only reads works on a disk that is only read.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::command::{Blog, Ran, Serving, finish, run, tidings};
use crate::support::folder::contents_of;
use crate::support::graphql::EDITOR_TOKEN;

/// A user without rights: the tests may run as root, for whom every file is readable and writable.
const NOBODY: u32 = 65_534;

fn blog() -> Blog {
    let blog = Blog::of(&[("2025-03-04-hello.md", "---\ntitle: Hello\n---\nHello.\n")]);
    assert_eq!(blog.import().code, Some(0));
    blog
}

fn is_root(path: &Path) -> bool {
    std::os::unix::fs::MetadataExt::uid(&fs::metadata(path).expect("a folder")) == 0
}

/// The command as a user who does not own the store, if the tests run as root; otherwise the permissions alone decide.
fn as_another_user(blog: &Blog, arguments: &[&str]) -> Command {
    let plain = tidings(arguments);
    if !is_root(blog.path()) {
        return plain;
    }
    // Where the program is may be closed to others.
    let program = blog.path().join("program");
    if !program.exists() {
        fs::copy(plain.get_program(), &program).expect("a copy of the program");
    }
    set_mode(blog.path(), 0o755);
    let mut command = Command::new(program);
    crate::support::command::without_settings(&mut command).args(plain.get_args());
    command
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    command.uid(NOBODY).gid(NOBODY).current_dir("/");
    command
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the permissions");
}

/// Gives the folder of the store, and its files, these permissions until it is dropped.
struct Closed(PathBuf);

impl Closed {
    fn new(blog: &Blog, folder: u32, files: u32) -> Self {
        let store = blog.path().join("store");
        for file in fs::read_dir(&store).expect("the store") {
            let path = file.expect("a file").path();
            set_mode(&path, if path.is_dir() { folder } else { files });
        }
        set_mode(&store, folder);
        Self(store)
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        set_mode(&self.0, 0o700);
    }
}

#[test]
fn a_store_that_another_user_owns_is_neither_missing_nor_damaged() {
    let blog = blog();
    let store = blog.store();
    for (folder, files) in [(0o000, 0o000), (0o755, 0o000)] {
        let _closed = Closed::new(&blog, folder, files);
        for arguments in [
            &["check"][..],
            &["export"],
            &["serve", "--listen", "127.0.0.1:0"],
            &["serve", "--create", "--listen", "127.0.0.1:0"],
        ] {
            let ran = finish(as_another_user(&blog, &[arguments, &["--store", &store]].concat()));
            let said = ran.complaint();
            assert!(said.contains("tidings.redb cannot be read (Permission denied"), "{ran:?}");
            assert!(said.contains("the user that owns the store"), "{ran:?}");
        }
    }
}

#[test]
fn a_store_that_can_only_be_read_is_checked_exported_and_served_and_is_not_changed() {
    let blog = blog();
    let store = blog.store();
    let exported = blog.export();
    let folder = blog.path().join("store");
    let before = contents_of(&folder);
    let _closed = Closed::new(&blog, 0o555, 0o444);
    let ask = |arguments: &[&str]| finish(as_another_user(&blog, &[arguments, &["--store", &store]].concat()));
    let checked = ask(&["check"]);
    assert_eq!((checked.code, checked.out.ends_with(": 0 differences\n")), (Some(0), true), "{checked:?}");
    assert_eq!(ask(&["export"]).out, exported);
    for refused in [ask(&["serve", "--listen", "127.0.0.1:0"]), ask(&["check", "--repair"])] {
        let said = refused.complaint();
        assert!(said.contains("cannot be written") && said.contains("tidings serve --read-only"), "{refused:?}");
    }
    let arguments = ["--read-only", "--store", &store];
    let token = [("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN)];
    let serving = Serving::start_of(&arguments, &token, |arguments| as_another_user(&blog, arguments));
    assert_eq!(serving.query("{ posts { nodes { title } } }")["posts"]["nodes"], json!([{ "title": "Hello" }]));
    let mutation = "mutation { createPost(input: { title: \"New\", markdown: \"\" }) { userErrors { code } } }";
    let answer = serving.ask_as(Some(EDITOR_TOKEN), mutation);
    assert_eq!(answer["errors"][0]["extensions"]["code"], "FORBIDDEN", "{answer}");
    assert_eq!(serving.stop().0, Some(0));
    assert!(contents_of(&folder) == before);
}

#[test]
fn a_server_that_only_reads_creates_and_imports_nothing() {
    let blog = blog();
    let (store, posts) = (blog.store(), blog.posts().display().to_string());
    for more in [&["--create"][..], &["--import", &posts]] {
        let ran = run(&[&["serve", "--read-only", "--store", &store], more].concat());
        assert_eq!(ran.complaint(), "--read-only writes nothing; leave out --create and --import");
    }
    let ran = run(&["serve", "--read-only", "--store", &format!("{store}-missing")]);
    assert!(ran.complaint().contains("there is no store at"), "{ran:?}");
}

/// Runs each command on a store that has lost a part; each must refuse it and leave it as it is.
#[test]
fn a_store_file_that_is_empty_or_missing_beside_its_log_is_no_empty_site() {
    let blog = blog();
    let (store, posts) = (blog.store(), blog.posts().display().to_string());
    let (file, log) = (blog.path().join("store/tidings.redb"), blog.path().join("store/tidings.log"));
    for (what, is_missing) in [("is empty (0 bytes)", false), ("is missing, and", true)] {
        fs::write(&file, "").expect("the file");
        fs::write(&log, "what was acknowledged").expect("the log");
        if is_missing {
            fs::remove_file(&file).expect("it is removed");
        }
        for arguments in [
            &["check"][..],
            &["check", "--repair"],
            &["export"],
            &["import", &posts],
            &["import", "--dry-run", &posts],
            &["serve", "--listen", "127.0.0.1:0"],
            &["serve", "--create", "--listen", "127.0.0.1:0"],
            &["serve", "--read-only", "--listen", "127.0.0.1:0"],
        ] {
            let ran: Ran = run(&[arguments, &["--store", &store]].concat());
            assert!(ran.complaint().contains(what) && ran.complaint().contains("restore it from a copy"), "{ran:?}");
            assert_eq!(fs::read(&log).expect("the log"), b"what was acknowledged", "{arguments:?}");
            assert_eq!(fs::metadata(&file).map_or(0, |file| file.len()), 0, "{arguments:?}");
        }
    }
}
