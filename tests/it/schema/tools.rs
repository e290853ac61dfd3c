//! The schema checked by programs of Node.js: graphql-js, graphql-eslint, and GraphQL Inspector, which compares it with the last release. The rule: each
//! check has a test in which it fails, so that a program that reads nothing is noticed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::{root, schema};

/// Breaking changes since the last release that are intended: those before 1.0.
const INTENDED_BREAKS: &[&str] = &[];

/// A fault for each rule that can find one: the rule, a part of the schema, and what replaces it.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "description-style",
        "\"\"\"\nA calendar month (UTC) with published posts.\n\"\"\"",
        "\"A calendar month (UTC) with published posts.\"",
    ),
    ("naming-convention", "\twordCount: Int!", "\tWordCount: Int!"),
    ("no-hashtag-description", "\"\"\"\nA category: a subject that groups posts.\n\"\"\"", "# A category."),
    ("no-typename-prefix", "\treadingMinutes: Int!", "\trichTextMinutes: Int!"),
    (
        "no-unreachable-types",
        "type RichText {",
        "type Unused {\n\tid: ID!\n}\n\n\"\"\"\nA text.\n\"\"\"\ntype RichText {",
    ),
    ("relay-arguments", "\t\tlast: Int,", "\t\tlast: Float,"),
    ("relay-connection-types", "\tedges: [TagEdge!]!", "\tedges: TagEdge!"),
    ("relay-edge-types", "\tnode: Category!", "\tnode: [Category!]!"),
    ("relay-page-info", "\thasNextPage: Boolean!", "\thasNextPage: Boolean"),
    ("require-deprecation-reason", "\tsuggestions: [String!]!", "\tsuggestions: [String!]! @deprecated"),
    ("require-description", "\"\"\"\nAn author of posts.\n\"\"\"\n", ""),
    ("strict-id-in-types", "PreviewLink", "PreviewAddress"),
];

#[test]
fn the_lint_finds_nothing_in_the_schema() {
    assert_eq!(findings(&schema()), Vec::<String>::new());
}

#[test]
fn the_lint_reports_each_kind_of_fault() {
    let faulty = FAULTS.iter().fold(schema(), |text, (rule, old, new)| {
        assert!(text.contains(old), "{rule}: {old}");
        text.replace(old, new)
    });
    let findings = findings(&faulty);
    for (rule, ..) in FAULTS {
        let found = findings.iter().any(|finding| finding.starts_with(&format!("{rule}: ")));
        assert!(found, "{rule} is not in {findings:#?}");
    }
}

#[test]
fn the_schema_is_valid_for_graphql_js() {
    assert_eq!(invalid(&schema()), "");
    let without_argument = schema().replacen("\t\torderBy: PostOrder,", "\t\tsorted: PostOrder,", 2);
    assert!(
        invalid(&without_argument).contains("Interface field argument Term.posts("),
        "{}",
        invalid(&without_argument)
    );
    let without_type = schema().replacen("Author!", "Writer!", 1);
    assert!(invalid(&without_type).contains("Unknown type \"Writer\""), "{}", invalid(&without_type));
}

#[test]
#[ignore = "compares with the last release; scripts/test runs it if there is a tag v*"]
fn the_schema_breaks_nothing_of_the_last_release() {
    let tag = last_release(root().as_path()).expect("no tag v*: there is no release to compare with");
    let folder = tempfile::tempdir().expect("a folder");
    let released = folder.path().join("released.graphql");
    std::fs::write(&released, schema_of(&root(), &tag)).expect("a file");
    assert_eq!(breaking_changes(&released, &root().join("schema.graphql")), INTENDED_BREAKS, "since {tag}");
}

#[test]
fn the_inspector_reports_a_removed_field() {
    let folder = tempfile::tempdir().expect("a folder");
    let less = folder.path().join("less.graphql");
    let text = schema();
    let (before, after) = text.split_once("\twordCount: Int!\n").expect("a field");
    std::fs::write(&less, format!("{before}\tpages: Int!\n{after}")).expect("a file");
    let expected = ["Field wordCount was removed from object type RichText"];
    assert_eq!(breaking_changes(&root().join("schema.graphql"), &less), expected);
}

#[test]
fn the_last_release_is_found_in_a_plain_and_in_a_shallow_clone() {
    let folder = tempfile::tempdir().expect("a folder");
    let origin = folder.path().join("origin");
    std::fs::create_dir(&origin).expect("a folder");
    git(&origin, &["init", "--quiet"]);
    assert_eq!(last_release(&origin), None, "a checkout without a tag");
    for (number, tag) in ["v0.9.0", "v0.10.0-rc.1", "v0.10.0", "nightly", "playground-v9"].iter().enumerate() {
        std::fs::write(origin.join("schema.graphql"), format!("type Query {{ f{number}: Int }}\n")).expect("a file");
        git(&origin, &["add", "schema.graphql"]);
        git(&origin, &["commit", "--quiet", "--message", tag]);
        git(&origin, &["tag", tag]);
    }
    let url = format!("file://{}", origin.display());
    git(folder.path(), &["clone", "--quiet", &url, "plain"]);
    git(folder.path(), &["clone", "--quiet", "--depth", "1", &url, "shallow"]);
    // A shallow clone has the tags of its commits only, until others are fetched.
    let shallow = folder.path().join("shallow");
    git(&shallow, &["fetch", "--quiet", "--depth", "1", "origin", "refs/tags/*:refs/tags/*"]);
    for clone in [folder.path().join("plain"), shallow] {
        let tag = last_release(&clone).expect("a release");
        assert_eq!(
            (tag.as_str(), schema_of(&clone, &tag).as_str()),
            ("v0.10.0", "type Query { f2: Int }\n"),
            "{clone:?}"
        );
    }
    let no_checkout = tempfile::tempdir().expect("a folder");
    assert_eq!(last_release(no_checkout.path()), None, "an archive of the sources");
}

/// The findings of graphql-eslint, in the order of the lines, as `rule: line of the schema`.
fn findings(sdl: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("schema.graphql"), sdl).expect("a file");
    let config = root().join("tests/tools/eslint.config.mjs");
    let output = Command::new(tool("eslint"))
        .args(["--format", "json", "--config"])
        .arg(config)
        .arg("schema.graphql")
        .current_dir(&folder)
        .output()
        .unwrap_or_else(|error| panic!("eslint does not run: {error}"));
    let result: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    let lines: Vec<&str> = sdl.lines().collect();
    let messages = result[0]["messages"].as_array().unwrap_or_else(|| panic!("{}", said(&output))).iter();
    let described = messages.map(|message| {
        let rule = message["ruleId"].as_str().unwrap_or_else(|| panic!("{message}"));
        let line = message["line"].as_u64().and_then(|line| lines.get(usize::try_from(line).ok()? - 1));
        format!("{}: {}", rule.trim_start_matches("@graphql-eslint/"), line.expect("a line of the schema").trim())
    });
    described.collect()
}

/// What graphql-js finds wrong with a schema, one error a line.
fn invalid(sdl: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("schema.graphql");
    std::fs::write(&file, sdl).expect("a file");
    let output = Command::new("node").arg(root().join("tests/tools/validate.js")).arg(&file).output();
    let output = output.unwrap_or_else(|error| panic!("node does not run: {error}"));
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The breaking changes from `old` to `new` that GraphQL Inspector reports.
fn breaking_changes(old: &Path, new: &Path) -> Vec<String> {
    let tool = tool("graphql-inspector");
    let output = Command::new(tool).arg("diff").args([old, new]).env("NO_COLOR", "1").output();
    let output = output.unwrap_or_else(|error| panic!("GraphQL Inspector does not run: {error}"));
    let reported = String::from_utf8_lossy(&output.stdout);
    let breaking: Vec<String> =
        reported.lines().filter_map(|line| line.split_once('✖')).map(|(_, change)| change.trim().to_owned()).collect();
    // If the tool could not read its files, the test must not pass as if no change was found.
    assert_eq!(output.status.success(), breaking.is_empty(), "{}", said(&output));
    breaking
}

/// The tag of the last release: the highest version, so that no history is needed. `None` without a tag, and in sources without a repository.
fn last_release(checkout: &Path) -> Option<String> {
    let arguments = ["-c", "versionsort.suffix=-", "tag", "--list", "v*", "--sort=-version:refname"];
    let output = git_command(checkout).args(arguments).output().expect("git runs");
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

fn schema_of(checkout: &Path, tag: &str) -> String {
    let output = git_command(checkout).args(["show", &format!("{tag}:schema.graphql")]).output().expect("git runs");
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = git_command(folder);
    // The settings of the machine must not change what the test does.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
        command.env(name, "Test");
    }
    for name in ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
        command.env(name, "test@example.org");
    }
    let output = command.args(arguments).output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", said(&output));
}

/// git in a folder, which does not search the folders above it for a repository.
fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder)).current_dir(folder);
    command
}

fn tool(name: &str) -> PathBuf {
    let tool = root().join("tests/tools/node_modules/.bin").join(name);
    assert!(tool.exists(), "{} is not installed: npm ci --prefix tests/tools", tool.display());
    tool
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
