//! `tidings cost`: the bounds of documents without a server, their budgets, and faults of manifests.

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran, finish, run, tidings};

/// A folder with these files; the command runs with their paths.
fn cost(blog: &Blog, arguments: &[&str]) -> Ran {
    let folder = blog.path().display().to_string();
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.replace('@', &format!("{folder}/"))).collect();
    run(&[&["cost"], arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat())
}

fn folder(files: &[(&str, String)]) -> Blog {
    let blog = Blog::of(&[]);
    for (name, text) in files {
        std::fs::write(blog.path().join(name), text).expect("a file");
    }
    blog
}

fn manifest() -> String {
    let latest = "query Latest($first: Int = 20) { posts(first: $first) { nodes { title tags { name } } } }";
    let all = "query All($first: Int!, $after: String) { posts(first: $first, after: $after) { nodes { title tags { name } } } }";
    let rename = "mutation Rename($input: UpdatePostInput!) { updatePost(input: $input) { post { id } } }";
    json!({ "9a": latest, "9b": all, "9c": rename, "9d": "{ __typename }" }).to_string()
}

/// The requests of each operation, by its name or the id of its document.
fn requests(ran: &Ran) -> Vec<(String, u64)> {
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    let operations = report["operations"].as_array().expect("a list").clone();
    let of_operation = |operation: Value| {
        let name = operation["operation"].as_str().or(operation["id"].as_str()).expect("a name").to_owned();
        (name, operation["bound"]["requests"].as_u64().expect("a number"))
    };
    operations.into_iter().map(of_operation).collect()
}

#[test]
fn the_bound_of_each_operation_is_printed_the_dearest_first() {
    let blog = folder(&[
        ("m.json", manifest()),
        ("five.json", json!({ "first": 5 }).to_string()),
        ("mistyped.json", json!({ "frist": 5 }).to_string()),
        ("text.json", json!({ "first": "5" }).to_string()),
    ]);
    let all = requests(&cost(&blog, &["@m.json", "--format", "json"]));
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Rename", "All", "Latest", "9d"]);
    assert_eq!(all[3].1, 0);
    let find = |of: &[(String, u64)], name: &str| of.iter().find(|(found, _)| found == name).expect("it is listed").1;
    let five = requests(&cost(&blog, &["@m.json", "--format", "json", "--variables", "@five.json"]));
    assert!(find(&five, "Latest") < find(&all, "Latest"), "a given value replaces the default");
    assert!(find(&five, "All") < find(&all, "All"));
    let mistyped = cost(&blog, &["@m.json", "--variables", "@mistyped.json"]);
    assert!(mistyped.complaint().ends_with("mistyped.json: no document has the variable \"frist\""), "{mistyped:?}");
    let text = cost(&blog, &["@m.json", "--variables", "@text.json"]);
    assert!(text.complaint().contains("document \"9a\"") && text.complaint().contains("first"), "{text:?}");
    let sparse = requests(&cost(&blog, &["@m.json", "--format", "json", "--posts", "100", "--months", "100"]));
    assert!(find(&sparse, "Latest") > find(&all, "Latest"), "a page of more months reads more of them");
    let tables = requests(&cost(&blog, &["@m.json", "--format", "json", "--tables"]));
    assert!(find(&tables, "Latest") > find(&all, "Latest"));

    let table = cost(&blog, &["@m.json"]);
    let lines: Vec<&str> = table.out.lines().collect();
    assert_eq!(
        lines[0],
        "Assumed: a store in a file with 1000 posts, none of them scheduled, and as many drafts, evenly in 60 months, and 100 categories, \
         tags, authors and series each, evenly by first character."
    );
    assert_eq!(lines[1], "requests  operation  dearest part");
    assert!(lines[2].contains("  Rename     updatePost: "), "{}", table.out);
    assert!(lines[3].contains("  All        posts"), "{}", table.out);
    assert_eq!(lines[5], "       0  9d         nothing is read");
    assert_eq!(lines[6], "With the dearest values of the variables of Rename ($input), All ($first, $after).");
    assert_eq!(lines[7], "With the defaults of the variables of Latest ($first).");
}

#[test]
fn a_document_over_its_budget_fails_with_a_line() {
    let budget = |latest: u64| json!({ "Latest": latest, "*": 100_000 }).to_string();
    let blog = folder(&[
        ("m.json", manifest()),
        ("ample.json", budget(10_000)),
        ("tight.json", budget(1)),
        ("unknown.json", json!({ "Lates": 1 }).to_string()),
        ("text.json", json!({ "Latest": "1" }).to_string()),
    ]);
    assert_eq!(cost(&blog, &["@m.json", "--budget", "@ample.json"]).code, Some(0));
    let over = cost(&blog, &["@m.json", "--budget", "@tight.json"]);
    assert_eq!(over.code, Some(1));
    let start = "over budget: Latest may need ";
    assert!(
        over.err.starts_with(start) && over.err.contains("; its budget is 1. The dearest part is posts"),
        "{}",
        over.err
    );
    assert_eq!(over.err.lines().count(), 1, "{}", over.err);
    assert!(over.out.contains("requests  budget  operation"), "{}", over.out);
    let unknown = cost(&blog, &["@m.json", "--budget", "@unknown.json"]);
    assert!(unknown.complaint().ends_with("unknown.json: no document has the operation \"Lates\""), "{unknown:?}");
    let text = cost(&blog, &["@m.json", "--budget", "@text.json"]);
    assert!(
        text.complaint().ends_with("the budget of \"Latest\" is not a whole number of storage requests"),
        "{text:?}"
    );
}

#[test]
fn the_numbers_can_be_those_of_a_store_and_documents_can_be_files() {
    let blog = folder(&[("latest.graphql", "query Latest { posts(first: 50) { nodes { title } } }".to_owned())]);
    let posts: Vec<(String, String)> = (1..=9)
        .map(|month| (format!("2025-0{month}-10-{month}.md"), format!("---\ntitle: {month}\n---\nText.\n")))
        .collect();
    posts.iter().for_each(|(name, text)| blog.write(name, text));
    assert_eq!(blog.import().code, Some(0));
    let store = blog.store();
    let read = requests(&cost(&blog, &["@latest.graphql", "--format", "json", "--read-store", "--store", &store]));
    assert_eq!(read, [("Latest".to_owned(), 10)], "one range read for each month, and for the present one");
    let missing = cost(&blog, &["@latest.graphql", "--read-store", "--store", "file:/no/such/store"]);
    assert!(missing.complaint().starts_with("there is no store at /no/such/store"), "{missing:?}");
    let both = cost(&blog, &["@latest.graphql", "--read-store", "--posts", "7"]);
    assert_eq!(both.code, Some(2), "{both:?}");
}

#[test]
fn a_faulty_manifest_stops_the_command_and_the_server_with_the_place() {
    let blog = folder(&[("m.json", json!({ "9a": "{\n  headline\n}" }).to_string()), ("empty.json", "{}".to_owned())]);
    let fault = "m.json, document \"9a\", line 2, column 3: Unknown field \"headline\" on type \"Query\".";
    let counted = cost(&blog, &["@m.json"]);
    assert!(counted.complaint().ends_with(fault), "{counted:?}");
    let file = blog.path().join("m.json").display().to_string();
    let served = run(&["serve", "--store", &blog.store(), "--create", "--manifest", &file]);
    assert_eq!(served.code, Some(2), "{served:?}");
    assert!(served.err.contains("--manifest: ") && served.err.contains(fault), "{served:?}");
    assert!(!blog.path().join("store").exists(), "nothing was opened");
    let empty = cost(&blog, &["@empty.json"]);
    assert!(empty.complaint().ends_with("empty.json has no documents in it"), "{empty:?}");
    let only = run(&["serve", "--store", &blog.store(), "--create", "--manifests-only"]);
    assert!(only.err.contains("--manifests-only: there is no manifest"), "{only:?}");
    let mut little = tidings(&["serve", "--store", &blog.store(), "--create"]);
    little.env("TIDINGS_LIMITS_PERSISTED_BYTES", "1000");
    let little = finish(little);
    let why = "TIDINGS_LIMITS_PERSISTED_BYTES: 1000 is too little: write 0, or at least";
    assert!(little.complaint().starts_with(why), "{little:?}");
}
