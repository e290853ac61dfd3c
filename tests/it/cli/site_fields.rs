//! Declared fields in the commands: the setting, its faults, the printed schema, the check and the server.

use serde_json::json;

use crate::support::command::{Blog, Ran, Serving, finish, run, tidings};

const BOOKS: &str = "extend type PostFields { rating: Int! } extend type PageFields { wide: Boolean }";

/// A blog with a post that fits, and the path of a file of declared fields.
fn blog() -> (Blog, String) {
    let blog = Blog::of(&[("2025-01-10-one.md", "---\ntitle: One\nrating: 5\n---\nOne.\n")]);
    let file = blog.path().join("fields.graphql");
    std::fs::write(&file, BOOKS).expect("a file");
    let file = file.to_str().expect("a path").to_owned();
    (blog, file)
}

fn with_variable(arguments: &[&str], file: &str) -> Ran {
    let mut command = tidings(arguments);
    command.env("TIDINGS_SITE_FIELDS", file);
    finish(command)
}

#[test]
fn the_schema_command_prints_the_declared_fields() {
    let (blog, file) = blog();
    let by_flag = run(&["schema", "--site-fields", &file]);
    assert_eq!((by_flag.code, by_flag.err.as_str()), (Some(0), ""));
    assert!(by_flag.out.contains("\ntype PostFields {\n\trating: Int\n}\n"), "{}", by_flag.out);
    assert_eq!(with_variable(&["schema"], &file).out, by_flag.out);
    let config = blog.path().join("tidings.toml");
    std::fs::write(&config, format!("[site]\nfields = {file:?}\n")).expect("a file");
    assert_eq!(run(&["schema", "--config", config.to_str().expect("a path")]).out, by_flag.out);
    assert_eq!(run(&["schema"]).out, include_str!("../../../schema.graphql"));
}

/// A pipe that nobody writes to would be read for ever.
#[test]
fn a_file_of_fields_that_is_no_regular_file_is_refused() {
    let (blog, _) = blog();
    let pipe = blog.path().join("pipe").display().to_string();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    for path in [pipe, blog.path().display().to_string(), "/dev/zero".to_owned()] {
        let refused = with_variable(&["schema"], &path);
        assert_eq!(refused.complaint(), format!("TIDINGS_SITE_FIELDS: {path} is not a regular file"));
    }
}

#[test]
fn a_fault_names_the_setting_the_file_the_place_and_what_to_do() {
    let (blog, file) = blog();
    std::fs::write(&file, "extend type PostFields {\n  rating: Integer\n}\n").expect("a file");
    let expected = format!(
        "{file}, line 2, column 11: PostFields.rating: Integer is not a type that a field can have: String, Int, Float, Boolean, ID, DateTime, URL, JSON, \
         or a type or an enum of this file"
    );
    for command in
        [vec!["schema"], vec!["serve", "--store", "file:none"], vec!["import", "none"], vec!["check", "--fields"]]
    {
        let refused = with_variable(&command, &file);
        assert_eq!(refused.complaint(), format!("TIDINGS_SITE_FIELDS: {expected}"), "{command:?}");
    }
    let typed = run(&["schema", "--site-fields", &file]);
    assert_eq!(typed.code, Some(2), "a flag is an error of the command line: {typed:?}");
    assert!(typed.err.contains(&format!("--site-fields: {expected}")), "{typed:?}");
    let missing = blog.path().join("none.graphql").display().to_string();
    let refused = with_variable(&["schema"], &missing);
    assert!(
        refused.complaint().starts_with(&format!("TIDINGS_SITE_FIELDS: {missing} cannot be read: ")),
        "{refused:?}"
    );
    std::fs::write(&file, "# long\n".repeat(20_000)).expect("a file");
    let refused = with_variable(&["schema"], &file);
    assert_eq!(
        refused.complaint(),
        format!("TIDINGS_SITE_FIELDS: {file} has more than 65536 bytes, which is the limit")
    );
}

#[test]
fn an_import_and_a_server_use_the_declared_fields() {
    let (blog, file) = blog();
    blog.write("2025-01-11-two.md", "---\ntitle: Two\nrating: good\n---\n");
    let ran = blog.import_of(&blog.posts(), &["--site-fields", &file]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let line = "failed   2025-01-11-two.md: rating must be a whole number of 32 bits (Int), but is the text \"good\"";
    assert!(ran.err.lines().any(|found| found == line), "{ran:?}");
    let dry = blog.import_of(&blog.posts(), &["--site-fields", &file, "--dry-run"]);
    assert!(dry.code == Some(2) && dry.err.lines().any(|found| found == line), "{dry:?}");
    let manifest = blog.path().join("m.json");
    std::fs::write(&manifest, json!({ "9a": "query A { posts { nodes { fields { rating } } } }" }).to_string())
        .expect("a file");
    let manifest = manifest.to_str().expect("a path");
    let serving = Serving::start(&["--store", &blog.store(), "--site-fields", &file, "--manifest", manifest]);
    let query = "{ posts { nodes { slug fields { rating } } } }";
    assert_eq!(serving.query(query), json!({ "posts": { "nodes": [{ "slug": "one", "fields": { "rating": 5 } }] } }));
    assert!(serving.get("/schema.graphql", &[]).1.contains("\ntype PageFields {\n\twide: Boolean\n}\n"));
    drop(serving);
    let refused = run(&["serve", "--store", &blog.store(), "--manifest", manifest]);
    assert!(
        refused.code == Some(2) && refused.err.contains("Unknown field \"fields\" on type \"Post\""),
        "{refused:?}"
    );
}

#[test]
fn a_check_lists_the_values_that_do_not_fit() {
    let (blog, file) = blog();
    blog.write("2025-01-11-two.md", "---\ntitle: Two\nrating: good\n---\n");
    blog.write("2025-01-12-three.md", "---\ntitle: Three\ndraft: true\n---\n");
    blog.write("about.md", "---\ntitle: About\nwide: 1\n---\n");
    assert_eq!(blog.import().code, Some(0));
    let store = blog.store();
    let ran = run(&["check", "--fields", "--store", &store, "--site-fields", &file]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines: Vec<_> = ran.out.lines().collect();
    let expected = [
        "page about: wide must be true or false (Boolean), but is 1",
        "post three: rating is missing; it is required (Int!)",
        "post two: rating must be a whole number of 32 bits (Int), but is the text \"good\"",
        "3 posts, 1 pages: 3 fields do not fit",
    ];
    assert_eq!(lines, expected);
    std::fs::write(&file, "extend type PostFields { layout: String }").expect("a file");
    let ran = run(&["check", "--fields", "--store", &store, "--site-fields", &file]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "3 posts, 0 pages: 0 fields do not fit\n"));
    let unset = run(&["check", "--fields", "--store", &store]);
    assert_eq!(
        unset.complaint(),
        "TIDINGS_SITE_FIELDS: not set, so no fields are declared; name the file that declares them"
    );
    let both = run(&["check", "--fields", "--repair", "--store", &store]);
    assert_eq!(both.code, Some(2), "{both:?}");
}
