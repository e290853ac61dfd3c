//! `--store azure`: what it takes and gives, and, where it cannot be reached or does not let us in, one line in well under a minute with
//! no secret in it.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::support::azurite::{Azurite, emulator_key, random_prefix};
use crate::support::command::{Ran, finish, tidings};

/// Base64, and a needle in whatever is printed.
const SECRET: &str = "c2VjcmV0LW9mLXRoZS10ZXN0LXNlY3JldA==";
/// The longest that a start may wait for a service that does not answer.
const START_MAX: Duration = Duration::from_secs(20);

fn azure(arguments: &[&str], connection: Option<&str>) -> Ran {
    let mut command = tidings(&[arguments, &["--store", "azure"]].concat());
    if let Some(connection) = connection {
        command.env("AZURE_STORAGE_CONNECTION_STRING", connection);
    }
    finish(command)
}

fn complaint(connection: Option<&str>) -> String {
    let refused = azure(&["check"], connection);
    let complaint = refused.complaint().to_owned();
    for secret in [SECRET, emulator_key()] {
        assert!(!complaint.contains(secret), "a secret is shown: {complaint}");
    }
    complaint
}

#[test]
fn without_its_variables_they_are_named() {
    let complaint = complaint(None);
    for name in ["AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_ACCOUNT", "UseDevelopmentStorage=true"] {
        assert!(complaint.contains(name), "{complaint}");
    }
}

#[test]
fn a_malformed_connection_string_is_told_what_is_wrong_with_it() {
    for (connection, named) in [
        ("nonsense".to_owned(), "part 1 has no `=`"),
        (format!("AccountKey={SECRET}"), "AccountName or TableEndpoint is missing"),
        (format!("AccountName=mine;AccountKey={SECRET}!!"), "AccountKey is not Base64"),
        (format!("AccountName=mine;AccountKey={SECRET};TableEndpoint=here"), "TableEndpoint is not a URL"),
        (format!("AccountName=mine;Key={SECRET}"), "a name that no connection string has"),
        (format!("AccountName=mine;AccountKey={SECRET};{SECRET}"), "a name that no connection string has"),
    ] {
        let complaint = complaint(Some(&connection));
        assert!(complaint.contains(named), "{connection}: {complaint}");
    }
}

#[test]
fn an_endpoint_where_nothing_listens_is_named_in_time() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    assert_named_in_time(&format!("http://127.0.0.1:{port}/devstoreaccount1"));
}

#[test]
fn an_endpoint_that_takes_connections_and_never_answers_is_named_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    assert_named_in_time(&format!("http://{}/devstoreaccount1", silent.local_addr().expect("its address")));
}

#[test]
fn an_endpoint_without_an_address_is_named_in_time() {
    assert_named_in_time("http://tidings.invalid/devstoreaccount1");
}

fn assert_named_in_time(endpoint: &str) {
    let started = Instant::now();
    let connection = format!("AccountName=devstoreaccount1;AccountKey={SECRET};TableEndpoint={endpoint}");
    let complaint = complaint(Some(&connection));
    assert!(complaint.starts_with("the store could not be reached: "), "{complaint}");
    assert!(started.elapsed() < START_MAX, "it took {:?}: {complaint}", started.elapsed());
}

#[test]
fn a_wrong_key_is_told_to_be_checked() {
    let azurite = Azurite::any();
    let connection = format!("AccountName=devstoreaccount1;AccountKey={SECRET};TableEndpoint={}", azurite.endpoint);
    let started = Instant::now();
    let complaint = complaint(Some(&connection));
    assert!(complaint.starts_with("the store refused access: "), "{complaint}");
    assert!(complaint.contains("check the account's name, its key or signature"), "{complaint}");
    assert!(started.elapsed() < START_MAX, "it took {:?}", started.elapsed());
}

#[test]
fn a_prefix_that_no_table_can_have_is_told_the_form() {
    let azurite = Azurite::any();
    let connection =
        format!("AccountName=devstoreaccount1;AccountKey={};TableEndpoint={}", emulator_key(), azurite.endpoint);
    for prefix in ["1st", "a-b", &"x".repeat(60)] {
        let refused = azure(&["check", "--table-prefix", prefix], Some(&connection));
        assert!(refused.complaint().contains(prefix), "{refused:?}");
    }
}

#[test]
fn a_blog_goes_into_azurite_and_comes_out_again() {
    let azurite = Azurite::any();
    let connection =
        format!("AccountName=devstoreaccount1;AccountKey={};TableEndpoint={}", emulator_key(), azurite.endpoint);
    let prefix = random_prefix();
    let example = format!("{}/examples/blog", env!("CARGO_MANIFEST_DIR"));
    let with = |arguments: &[&str]| {
        let ran = azure(&[arguments, &["--table-prefix", &prefix]].concat(), Some(&connection));
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran
    };
    let imported = with(&["import", &example]);
    let again = with(&["import", &example]);
    assert!(imported.summary().contains(" 0 unchanged, ") && again.summary().contains(" 0 made, 0 changed, "));
    assert_eq!(with(&["export"]).out, with(&["export"]).out);
    assert!(with(&["check"]).summary().ends_with(": 0 differences"));
}

/// Two at once over one store: a post is made once, whoever makes it, and whoever was too late is told to import again.
#[test]
fn two_imports_at_once_make_each_post_once() {
    let azurite = Azurite::any();
    let connection =
        format!("AccountName=devstoreaccount1;AccountKey={};TableEndpoint={}", emulator_key(), azurite.endpoint);
    let prefix = random_prefix();
    let example = format!("{}/examples/blog", env!("CARGO_MANIFEST_DIR"));
    let command = |arguments: &[&str]| azure(&[arguments, &["--table-prefix", &prefix]].concat(), Some(&connection));
    let import = || command(&["import", &example]);
    let (first, second) = std::thread::scope(|scope| {
        let (first, second) = (scope.spawn(import), scope.spawn(import));
        (first.join().expect("a command"), second.join().expect("a command"))
    });
    let mut told = 0;
    for ran in [first, second] {
        assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
        let failed = ran.err.lines().filter(|line| line.starts_with("failed "));
        assert!(failed.clone().all(|line| line.ends_with("import again")), "{ran:?}");
        told += failed.count();
    }
    // A change that had no answer in time, on a slow machine, is finished or undone when the store is opened next.
    let check = command(&["check"]);
    assert!(check.code == Some(0) || told > 0, "{check:?}");
    // Nothing is left but what both were told to import again.
    let rest = import();
    assert!(told > 0 || rest.summary().starts_with("Imported: 0 made, "), "{rest:?}");
    let check = command(&["check"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    let again = import();
    assert!(again.summary().starts_with("Imported: 0 made, 0 changed, "), "{again:?}");
    let posts = std::fs::read_dir(format!("{example}/posts")).expect("the blog").count();
    assert_eq!(command(&["export"]).out.matches("\"type\":\"post\"").count(), posts);
}
