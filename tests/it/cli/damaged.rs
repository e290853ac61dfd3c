//! Commands on a store file that is truncated or has flipped bits. The rule: a command says in one line what to do, or its output equals the
//! output for the undamaged file; nothing panics, nothing hangs.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::command::{Blog, Ran, Serving, run, tidings};
use crate::support::graphql::EDITOR_TOKEN;

const QUERY: &str =
    "{ posts { totalCount nodes { slug title body { markdown } tags { slug } } } tags { nodes { name } } }";

struct Patient {
    blog: Blog,
    whole: Vec<u8>,
    export: String,
}

impl Patient {
    fn new() -> Self {
        let blog = Blog::of(&[]);
        for n in 0..60 {
            let text =
                format!("---\ntitle: Post {n}\ntags: [a, b{}]\nauthor: Ada\n---\nThe text of post {n}.\n", n % 7);
            blog.write(&format!("2025-01-{:02}-post-{n}.md", 1 + n % 28), &text);
        }
        assert_eq!(blog.import().code, Some(0));
        let export = blog.export();
        let whole = fs::read(blog.path().join("store/tidings.redb")).expect("the file");
        Self { blog, whole, export }
    }

    fn file(&self) -> PathBuf {
        self.blog.path().join("store/tidings.redb")
    }

    fn run(&self, command: &[&str], damaged: &[u8]) -> Ran {
        fs::write(self.file(), damaged).expect("the file");
        run(&[command, &["--store", &self.blog.store()]].concat())
    }

    /// Runs each command on this file; returns whether one of them noticed the damage.
    fn assert_clear(&self, damaged: &[u8], what: &str) -> bool {
        let export = self.run(&["export"], damaged);
        let is_whole = export.code == Some(0);
        if is_whole {
            assert!(export.out == self.export, "{what}: other content was exported");
        } else {
            assert_one_line(&export, what);
        }
        let mut noticed = !is_whole;
        for command in [&["check"][..], &["check", "--repair"]] {
            let ran = self.run(command, damaged);
            assert!(!ran.err.contains("panicked"), "{what}: {ran:?}");
            noticed |= ran.code != Some(0);
            match ran.code {
                Some(0) => assert!(ran.out.ends_with(": 0 differences\n"), "{what}: {ran:?}"),
                _ if ran.out.is_empty() => assert_one_line(&ran, what),
                _ => {}
            }
        }
        noticed
    }
}

fn assert_one_line(ran: &Ran, what: &str) {
    assert_eq!(ran.code, Some(1), "{what}: {ran:?}");
    let lines: Vec<_> = ran.err.lines().filter(|line| !line.contains("store.")).collect();
    assert!(lines.len() == 1 && lines[0].starts_with("tidings: "), "{what}: {ran:?}");
    assert!(lines[0].contains("restore it from a copy"), "{what}: {ran:?}");
    assert!(!ran.err.contains("panicked"), "{what}: {ran:?}");
}

#[test]
fn a_truncated_file_is_refused_with_one_line() {
    let patient = Patient::new();
    for n in 0..16 {
        let length = 1 + patient.whole.len() * n / 16;
        assert!(patient.assert_clear(&patient.whole[..length], &format!("{length} bytes")));
    }
}

#[test]
fn flipped_bits_are_reported_with_one_line_or_change_nothing() {
    let patient = Patient::new();
    let used: Vec<usize> = (0..patient.whole.len()).filter(|at| patient.whole[*at] != 0).collect();
    let mut noticed = 0;
    for n in 0..24 {
        let at = if n % 3 == 0 { n * 13 } else { used[n * 7_919 % used.len()] };
        let mut damaged = patient.whole.clone();
        damaged[at] ^= 1 << (n % 8);
        noticed += u32::from(patient.assert_clear(&damaged, &format!("bit {} of byte {at}", n % 8)));
    }
    assert!(noticed > 5, "only {noticed} of 24 flips were noticed");
}

#[test]
fn a_server_does_not_start_on_a_truncated_file() {
    let patient = Patient::new();
    fs::write(patient.file(), &patient.whole[..patient.whole.len() / 2]).expect("the file");
    let ran = run(&["serve", "--store", &patient.blog.store(), "--listen", "127.0.0.1:0"]);
    assert_one_line(&ran, "half a file");
}

/// `UNAVAILABLE` counts, because a row that the damage hides looks like a row that has just been moved, which the client may retry.
fn is_storage_error(error: &Value) -> bool {
    ["INTERNAL_SERVER_ERROR", "OUTCOME_UNKNOWN", "UNAVAILABLE"].iter().any(|code| error["extensions"]["code"] == *code)
}

/// Whether every value of an answer also occurs in the answer for the undamaged file. Rows may be missing: if redb does not find a row because
/// of a damaged page, no error reports it.
fn is_part_of(found: &Value, whole: &Value) -> bool {
    match (found, whole) {
        (Value::Object(found), Value::Object(whole)) => {
            found.iter().all(|(name, value)| is_part_of(value, whole.get(name).unwrap_or(&Value::Null)))
        }
        (Value::Array(found), Value::Array(whole)) => {
            found.iter().all(|item| whole.iter().any(|other| is_part_of(item, other)))
        }
        (Value::Number(found), Value::Number(whole)) => found.as_u64() <= whole.as_u64(),
        (found, whole) => found == whole,
    }
}

/// Another process changes the file while the server runs: the server returns what was written, or an error.
#[test]
fn a_server_whose_file_is_damaged_returns_no_wrong_content() {
    let patient = Patient::new();
    let whole = Serving::start_of(&["--store", &patient.blog.store()], &[], tidings);
    let expected = whole.query(QUERY);
    whole.stop();
    for n in 0..6 {
        fs::write(patient.file(), &patient.whole).expect("the file");
        let serving = Serving::start_of(&["--store", &patient.blog.store()], &[], tidings);
        let mut damaged = fs::read(patient.file()).expect("the file");
        for at in (n * 97..damaged.len()).step_by(501) {
            damaged[at] ^= 0x40;
        }
        fs::write(patient.file(), &damaged).expect("the file");
        let answer = serving.ask(QUERY);
        let is_right = answer.get("errors").is_none() && is_part_of(&answer["data"], &expected);
        let errors = answer["errors"].as_array().cloned().unwrap_or_default();
        let is_storage_failure = !errors.is_empty() && errors.iter().all(is_storage_error);
        assert!(is_right || is_storage_failure, "iteration {n}: {answer}");
        let (_, errors) = serving.stop_with_errors();
        assert!(!errors.iter().any(|line| line.starts_with("thread ")), "{errors:?}");
    }
}

/// A write may be the first request that reads the damage; the process must not end because of it.
#[test]
fn a_server_whose_file_is_damaged_refuses_changes_and_keeps_running() {
    let patient = Patient::new();
    for n in 0..12 {
        fs::write(patient.file(), &patient.whole).expect("the file");
        let settings = [("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN)];
        let serving = Serving::start_of(&["--store", &patient.blog.store()], &settings, tidings);
        let mut damaged = fs::read(patient.file()).expect("the file");
        for at in (n * 97..damaged.len()).step_by(501) {
            damaged[at] ^= 0x40;
        }
        fs::write(patient.file(), &damaged).expect("the file");
        if n % 2 == 0 {
            serving.ask(QUERY);
        }
        let mutation = r#"mutation { createTag(input: { slug: "new", name: "New" }) { userErrors { message } } }"#;
        let answer = serving.ask_as(Some(EDITOR_TOKEN), mutation);
        let errors = answer["errors"].as_array().cloned().unwrap_or_default();
        assert!(errors.iter().all(is_storage_error), "iteration {n}: {answer}");
        assert!(serving.status_of("/healthz").contains("200"));
        let (code, errors) = serving.stop_with_errors();
        assert!(code == Some(0) && !errors.iter().any(|line| line.starts_with("thread ")), "{errors:?}");
    }
}
