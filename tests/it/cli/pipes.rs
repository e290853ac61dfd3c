//! Commands whose output nobody reads any more, as after `| head`. The rule: a command does its work to the end and says nothing of the pipe; only an export
//! that is cut off has another exit code.

use std::process::Stdio;

use serde_json::Value;

use crate::support::command::{Blog, Ran, finish, tidings};

/// The end of a pipe whose reader is gone before the command begins.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

const FILES: [(&str, &str); 3] = [
    ("2025-01-10-one.md", "---\ntitle: One\ntags: [a]\nlayout: wide\n---\nOne. [gone](/posts/gone)\n"),
    ("README.md", "No front matter.\n"),
    ("notes.txt", "Not read.\n"),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Closed {
    Output,
    Errors,
    Both,
}

fn run(arguments: &[&str], which: Closed) -> Ran {
    let mut command = tidings(arguments);
    if which != Closed::Errors {
        command.stdout(closed());
    }
    if which != Closed::Output {
        command.stderr(closed());
    }
    finish(command)
}

#[test]
fn an_import_whose_report_nobody_reads_imports_everything() {
    for which in [Closed::Output, Closed::Errors, Closed::Both] {
        let blog = Blog::of(&FILES);
        let (posts, store, report) = (blog.posts(), blog.store(), blog.path().join("report.json"));
        let report_to = report.to_str().expect("UTF-8");
        let import = ["import", posts.to_str().expect("UTF-8"), "--store", &store, "--report", report_to];
        let dry = run(&[&import[..], &["--dry-run"]].concat(), which);
        assert_eq!(dry.code, Some(0), "{which:?}: {dry:?}");
        let ran = run(&import, which);
        assert_eq!(ran.code, Some(0), "{which:?}: {ran:?}");
        assert!(!ran.err.contains("pipe") && !ran.err.contains("panicked"), "{ran:?}");
        let written: Value = serde_json::from_slice(&std::fs::read(&report).expect("a report")).expect("JSON");
        assert_eq!((&written["created"], &written["brokenLinksTotal"]), (&1.into(), &1.into()));
        assert!(blog.export().contains("\"slug\":\"one\""));
    }
}

#[test]
fn other_commands_end_with_their_own_exit_code() {
    let blog = Blog::of(&FILES);
    blog.import();
    let (store, manual, folder) = (blog.store(), blog.path().join("man"), blog.path().join("backup"));
    std::fs::create_dir(&manual).expect("a folder");
    let failing = ["check", "--links", "--store", &store];
    let store = ["--store", &store];
    for (command, code) in [
        (&["schema"][..], 0),
        (&["man"], 0),
        (&["man", manual.to_str().expect("UTF-8")], 0),
        (&["completions", "bash"], 0),
        (&["serve", "--print-config"], 0),
        (&["--help"], 0),
        (&[&["check"][..], &store].concat(), 0),
        (&failing, 1),
        (&[&["token", "list"][..], &store].concat(), 0),
        (&[&["export", folder.to_str().expect("UTF-8")][..], &store].concat(), 0),
        (&["no-such-command"], 2),
    ] {
        for which in [Closed::Output, Closed::Both] {
            if command[0] == "export" {
                drop(std::fs::remove_dir_all(&folder));
            }
            let ran = run(command, which);
            assert_eq!(ran.code, Some(code), "{command:?} {which:?}: {ran:?}");
            assert!(!ran.err.to_lowercase().contains("pipe") && !ran.err.contains("panicked"), "{ran:?}");
        }
    }
}

#[test]
fn an_export_that_is_cut_off_is_quiet_and_has_the_exit_code_of_a_closed_pipe() {
    let blog = Blog::of(&FILES);
    blog.import();
    for path in [&[][..], &["-"]] {
        let ran = run(&[&["export", "--store", &blog.store()], path].concat(), Closed::Output);
        assert_eq!((ran.code, ran.err.as_str()), (Some(141), ""), "{ran:?}");
    }
}

/// Its text cannot be shown again.
#[test]
fn a_token_that_nobody_has_read_is_an_error() {
    let blog = Blog::of(&FILES);
    blog.import();
    let store = blog.store();
    let ran = run(&["token", "create", "--role", "reader", "--name", "n", "--store", &store], Closed::Output);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("Broken pipe"), "{ran:?}");
}
