//! A full disk, simulated by a limit on the size of the process's files. The rule: a write fails with an error, reads are served, and every
//! acknowledged write is kept.

#![cfg(unix)]

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::broken::vast;
use crate::support::command::{Blog, Serving, finish, limited};
use crate::support::graphql::EDITOR_TOKEN;

const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\ntags: [a, b]\nauthor: Ada\n---\nOne.\n");

fn blog() -> Blog {
    let blog = Blog::of(&[ONE]);
    assert_eq!(blog.import().code, Some(0));
    blog
}

fn store_bytes(blog: &Blog) -> u64 {
    std::fs::metadata(blog.path().join("store/tidings.redb")).expect("the file").len()
}

/// 400 KB that compress badly.
fn large(n: usize) -> String {
    vast().lines().skip(3 + 1_000 * n).take(4_000).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_import_reports_a_full_disk_and_continues_when_there_is_space() {
    let blog = blog();
    for n in 0..12 {
        blog.write(&format!("2025-02-02-large-{n}.md"), &format!("---\ntitle: Large {n}\n---\n{}", large(n)));
    }
    let posts = blog.posts().display().to_string();
    let ran = finish(limited(&["import", &posts, "--store", &blog.store()], store_bytes(&blog) + 1_024));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let line = ran.err.lines().last().expect("a line");
    assert!(line.starts_with("tidings: ") && line.contains("the disk is full"), "{line}");
    assert!(line.contains("free disk space, then try again") && !ran.err.contains("panicked"), "{ran:?}");
    let again = blog.import();
    assert!(again.code == Some(0) && again.summary().contains(" 0 failed"), "{again:?}");
    let check = blog.check();
    assert!(check.code == Some(0) && check.out.starts_with("13 posts"), "{check:?}");
}

fn create(serving: &Serving, n: usize, text: &str) -> Value {
    let markdown = serde_json::to_string(text).expect("a text");
    let input = format!(
        r#"title: "New {n}", markdown: {markdown}, publishAt: "2025-03-01T00:00:00Z", tagSlugs: ["a"], createMissingTags: true"#
    );
    let mutation =
        format!("mutation {{ createPost(input: {{ {input} }}) {{ post {{ slug }} userErrors {{ message }} }} }}");
    serving.ask_as(Some(EDITOR_TOKEN), &mutation)
}

#[test]
fn a_server_on_a_full_disk_serves_reads_and_writes_again_when_there_is_space() {
    let blog = blog();
    let bytes = store_bytes(&blog) + 1_024;
    let settings = [("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN)];
    let serving = Serving::start_of(&["--store", &blog.store()], &settings, |arguments| limited(arguments, bytes));
    let mut acknowledged = vec!["one".to_owned()];
    // A GraphQL document has a size limit, so the test creates many small posts.
    let refusal = (0..2_000).find_map(|n| {
        let text: String = large(n % 300).chars().filter(char::is_ascii_alphanumeric).take(30_000).collect();
        let answer = create(&serving, n, &text);
        if let Some(errors) = answer.get("errors") {
            return Some(errors[0].clone());
        }
        acknowledged.push(answer["data"]["createPost"]["post"]["slug"].as_str().expect("a slug").to_owned());
        None
    });
    let refusal = refusal.expect("the disk is full at last");
    assert_eq!(refusal["extensions"]["code"], json!("UNAVAILABLE"), "{refusal}");
    assert!(refusal["message"].as_str().is_some_and(|message| message.contains("disk") && message.contains("full")));
    for slug in &acknowledged {
        let seen = serving.query(&format!("{{ post(slug: {slug:?}) {{ slug body {{ markdown }} }} }}"));
        assert_eq!(seen["post"]["slug"], json!(slug));
    }
    assert!(serving.status_of("/readyz").contains("200"));
    free_space(&serving);
    // The server retries writes only some time after a full disk.
    let again = (0..40).find_map(|n| {
        std::thread::sleep(Duration::from_millis(500));
        create(&serving, 5_000 + n, "Small.")["data"]["createPost"]["post"]["slug"].as_str().map(str::to_owned)
    });
    acknowledged.push(again.expect("writes succeed again"));
    let (code, errors) = serving.stop_with_errors();
    assert!(code == Some(0) && !errors.iter().any(|line| line.contains("panicked")), "{errors:?}");
    let export = blog.export();
    for slug in &acknowledged {
        assert!(export.contains(&format!("\"slug\":{slug:?}")), "{slug} is lost");
    }
    let check = blog.check();
    assert_eq!(check.code, Some(0), "{check:?}");
}

fn free_space(serving: &Serving) {
    let done = Command::new("prlimit").args(["--fsize=unlimited", "--pid", &serving.id().to_string()]).status();
    assert!(done.is_ok_and(|status| status.success()), "prlimit (util-linux) is needed");
}
