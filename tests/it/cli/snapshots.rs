//! Texts that users read, compared with the files in `snapshots/`: the help of the commands, the report of an import, the report of `check`, and an
//! answer. After an intended change, run `INSTA_UPDATE=always scripts/test -E 'test(snapshots)'` and review the difference in git.

use tidings::keys::{Table, term};
use tidings::model::TermKind;

use crate::front::Example;
use crate::support::command::{Blog, Ran, finish, tidings};
use crate::support::rows::{batch, delete};
use crate::support::site::slug;

#[test]
fn the_help_of_each_command_is_unchanged() {
    let mut names = vec![String::new()];
    while let Some(name) = names.pop() {
        let arguments: Vec<&str> = name.split_whitespace().chain(["--help"]).collect();
        let mut command = tidings(&arguments);
        command.env_remove("COLUMNS");
        let help = finish(command);
        assert_eq!((help.code, help.err.as_str()), (Some(0), ""), "{name}");
        names.extend(commands(&help.out).map(|command| format!("{name} {command}").trim().to_owned()));
        insta::assert_snapshot!(format!("help {name}").trim().replace(' ', "_"), help.out);
    }
}

/// The commands that a help text lists.
fn commands(help: &str) -> impl Iterator<Item = &str> {
    let list = help.split_once("Commands:\n").and_then(|(_, rest)| rest.split("\n\n").next()).unwrap_or_default();
    let names = list.lines().filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help")
}

#[test]
fn the_report_of_an_import_is_unchanged() {
    let blog = Blog::of(&[
        ("2025-01-10-one.md", "---\ntitle: One\ntags: [a, b]\nlayout: wide\n---\nOne.\n"),
        ("one.md", "---\ntitle: One\nslug: one\ndate: 2025-01-11\n---\nAnother one.\n"),
        ("broken.md", "---\ntitle: Rust: a love story\n---\nText.\n"),
        ("page.mdx", "---\ntitle: A page\n---\nText.\n"),
        ("picture.png", "not a picture"),
    ]);
    insta::assert_snapshot!("report_of_an_import", report(&blog, &blog.import()));
}

#[tokio::test]
async fn the_report_of_a_damaged_store_is_unchanged() {
    let blog = Blog::of(&[
        ("2025-01-10-one.md", "---\ntitle: One\ntags: [a, b]\n---\nOne.\n"),
        ("2025-02-20-two.md", "---\ntitle: Two\ntags: [b]\n---\nTwo.\n"),
    ]);
    assert_eq!(blog.import().code, Some(0));
    let site = blog.site().await;
    let (table, key) = (Table::Terms(TermKind::Tag), term::term(&slug("b")));
    site.store
        .commit(table.name(), &batch(key.partition(), vec![delete(key.row(), tidings::store::Precondition::None)]))
        .await
        .expect("a commit");
    drop(site);
    insta::assert_snapshot!("report_of_a_damaged_store", report(&blog, &blog.check()));
}

#[test]
fn an_answer_is_unchanged() {
    let example = Example::start(&[], &[]);
    // Without the posts whose date may be in the future.
    let query = "{ posts(first: 3, filter: { publishedAt: { lt: \"2026-01-01T00:00:00Z\" } }) { nodes { title slug excerpt publishedAt authors { name } categories { name } tags { slug } } pageInfo { hasNextPage } } }";
    let answer = example.serving.ask(query);
    insta::assert_snapshot!("answer", serde_json::to_string_pretty(&answer).expect("JSON"));
    assert_eq!(example.serving.stop().0, Some(0));
}

/// The exit code and what was printed, without the path of the temporary folder.
fn report(blog: &Blog, ran: &Ran) -> String {
    let store = blog.store();
    let folder =
        std::path::Path::new(store.trim_start_matches("file:")).parent().expect("a folder").display().to_string();
    format!("exit code {:?}\n--- output\n{}--- errors\n{}", ran.code, ran.out, ran.err).replace(&folder, "FOLDER")
}
