//! Stores and arguments that cannot be used: the command prints one line with the reason, and never panics.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::command::{Blog, Ran, run};

const POST: (&str, &str) = ("2025-03-04-hello.md", "---\ntitle: Hello\n---\nHello.\n");

fn check(store: &Path) -> Ran {
    run(&["check", "--store", &format!("file:{}", store.display())])
}

fn serve(store: &Path) -> Ran {
    run(&["serve", "--create", "--listen", "127.0.0.1:0", "--store", &format!("file:{}", store.display())])
}

#[test]
fn a_store_folder_that_cannot_be_created_is_named() {
    for folder in ["/proc/tidings", "/dev/null/tidings"] {
        let refused = serve(Path::new(folder));
        assert!(refused.complaint().contains(&format!("cannot create the folder {folder}")), "{refused:?}");
    }
}

#[test]
fn a_store_path_that_is_a_file_is_refused() {
    let blog = Blog::of(&[POST]);
    let file = blog.posts().join(POST.0);
    for refused in [serve(&file), check(&file)] {
        let expected = format!("{} is a file; a store is a folder, such as file:tidings-data", file.display());
        assert_eq!(refused.complaint(), expected);
    }
}

/// A mistyped path must not look like an empty site, above all in a backup.
#[test]
fn a_command_that_only_reads_does_not_create_a_missing_store() {
    let blog = Blog::of(&[]);
    let folder = blog.path().join("store");
    let expected = format!(
        "there is no store at {}: make one with `tidings import PATH` or `tidings serve --import PATH` (or an empty one with `tidings serve \
         --create`), or name another with --store",
        folder.display()
    );
    for command in ["check", "export", "serve"] {
        let refused = run(&[command, "--store", &blog.store()]);
        assert_eq!(refused.complaint(), expected);
        assert!(!folder.exists(), "{command} created a store");
    }
}

/// A store with a post in it, and its file.
fn store_with_a_post() -> (Blog, PathBuf) {
    let blog = Blog::of(&[POST]);
    assert_eq!(blog.import().code, Some(0));
    let file = blog.path().join("store/tidings.redb");
    (blog, file)
}

fn assert_reported_as_damaged(refused: &Ran, file: &Path) {
    let complaint = refused.complaint();
    assert!(complaint.starts_with("the store is damaged: "), "{complaint}");
    assert!(complaint.contains(&file.display().to_string()), "{complaint}");
    assert!(complaint.contains("restore it from a copy"), "{complaint}");
}

#[test]
fn garbage_in_place_of_the_store_is_reported_as_damage() {
    let (_blog, file) = store_with_a_post();
    for garbage in [vec![0; 1 << 20], b"not a store".to_vec(), vec![0xA5; 70_000]] {
        fs::write(&file, garbage).expect("a file");
        assert_reported_as_damaged(&check(file.parent().expect("the folder")), &file);
    }
}

#[test]
fn a_truncated_store_is_reported_as_damaged() {
    let (_blog, file) = store_with_a_post();
    let whole = fs::read(&file).expect("the store");
    for length in [1, 100, 4_096, whole.len() / 4, whole.len() / 2, whole.len() - 4_096, whole.len() - 1] {
        fs::write(&file, &whole[..length]).expect("a file");
        assert_reported_as_damaged(&check(file.parent().expect("the folder")), &file);
    }
}

/// Whichever page is overwritten, the command succeeds or ends with one line.
#[test]
fn a_store_with_an_overwritten_page_is_read_or_reported_and_never_panics() {
    let (_blog, file) = store_with_a_post();
    let whole = fs::read(&file).expect("the store");
    for page in (0..whole.len()).step_by(4_096).take(40) {
        let mut damaged = whole.clone();
        let end = (page + 4_096).min(whole.len());
        damaged[page..end].fill(0x5A);
        fs::write(&file, &damaged).expect("a file");
        let ran = check(file.parent().expect("the folder"));
        if ran.code != Some(0) {
            assert_reported_as_damaged(&ran, &file);
        }
    }
}

#[test]
fn a_database_file_of_another_program_is_not_changed() {
    let blog = Blog::of(&[]);
    let folder = blog.path().join("store");
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join("tidings.redb");
    let table: redb::TableDefinition<u64, u64> = redb::TableDefinition::new("theirs");
    let database = redb::Database::create(&file).expect("a database");
    let write = database.begin_write().expect("a write");
    write.open_table(table).expect("a table").insert(1, 2).expect("a row");
    write.commit().expect("a commit");
    drop(database);
    let refused = serve(&folder);
    assert!(refused.complaint().contains("is a redb file of another program"), "{refused:?}");
    let theirs = redb::Database::open(&file).expect("their database");
    let read = redb::ReadableDatabase::begin_read(&theirs).expect("a read");
    assert!(read.open_table(table).is_ok());
}

/// Clap refuses the argument: exit code 2, the name of the argument, a hint to `--help`.
#[test]
fn the_error_of_an_invalid_argument_names_it_and_the_accepted_form() {
    for (arguments, named) in [
        (vec!["serve", "--port", "80"], "unexpected argument '--port'"),
        (vec!["publish"], "unrecognized subcommand 'publish'"),
        (vec!["import"], "<PATH>"),
        (
            vec!["import", ".", "--format", "docx"],
            "\"docx\" is not a format: markdown, wxr, ghost, substack, medium, notion, contentful or jsonl",
        ),
        (vec!["serve", "--store", "redis:1"], "\"redis:1\" is not a store; write file:PATH"),
        (vec!["check", "--repair-everything"], "unexpected argument '--repair-everything'"),
    ] {
        let refused = run(&arguments);
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(refused.err.contains(named), "{arguments:?}: {}", refused.err);
        assert!(refused.err.contains("--help"), "{arguments:?}: {}", refused.err);
    }
}

#[test]
fn an_invalid_store_in_the_environment_is_refused() {
    let mut command = crate::support::command::tidings(&["check"]);
    command.env("TIDINGS_STORE", "nonsense");
    let refused = crate::support::command::finish(command);
    assert!(refused.err.contains("is not a store; write file:PATH"), "{refused:?}");
}
