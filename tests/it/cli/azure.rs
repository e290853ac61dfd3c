//! Commands with `--store azure`. If the service cannot be reached or refuses access, a command prints one line without a secret in it, within
//! 20 seconds.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use tidings::store::TableStore;
use tidings::store::azure::AzureStore;

use crate::support::azurite::{Azurite, emulator_key, random_prefix};
use crate::support::command::{Ran, finish, tidings};

/// An account key that must not occur in the output; Base64.
const SECRET: &str = "c2VjcmV0LW9mLXRoZS10ZXN0LXNlY3JldA==";
/// The longest time that a command may wait for a service that does not answer.
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
fn missing_azure_variables_are_named_in_the_error() {
    let complaint = complaint(None);
    for name in ["AZURE_STORAGE_CONNECTION_STRING", "AZURE_STORAGE_ACCOUNT", "UseDevelopmentStorage=true"] {
        assert!(complaint.contains(name), "{complaint}");
    }
}

#[test]
fn the_error_of_a_malformed_connection_string_says_what_is_wrong() {
    for (connection, named) in [
        ("nonsense".to_owned(), "is not NAME=VALUE"),
        (format!("AccountKey={SECRET}"), "AccountName or TableEndpoint is missing"),
        (format!("AccountName=mine;AccountKey={SECRET}!!"), "AccountKey is not Base64"),
        (format!("AccountName=mine;AccountKey={SECRET};TableEndpoint=here"), "TableEndpoint is not a URL"),
        (format!("AccountName=mine;Key={SECRET}"), "a name or value that is not known"),
        (format!("AccountName=mine;AccountKey={SECRET};{SECRET}"), "a name or value that is not known"),
    ] {
        let complaint = complaint(Some(&connection));
        assert!(complaint.contains(named), "{connection}: {complaint}");
    }
}

#[test]
fn an_endpoint_where_nothing_listens_is_reported_in_time() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    assert_reported_in_time(&format!("http://127.0.0.1:{port}/devstoreaccount1"));
}

#[test]
fn an_endpoint_that_accepts_connections_and_never_answers_is_reported_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    assert_reported_in_time(&format!("http://{}/devstoreaccount1", silent.local_addr().expect("its address")));
}

#[test]
fn an_endpoint_whose_name_does_not_resolve_is_reported_in_time() {
    assert_reported_in_time("http://tidings.invalid/devstoreaccount1");
}

fn assert_reported_in_time(endpoint: &str) {
    let started = Instant::now();
    let connection = format!("AccountName=devstoreaccount1;AccountKey={SECRET};TableEndpoint={endpoint}");
    let complaint = complaint(Some(&connection));
    assert!(complaint.starts_with("the store could not be reached: "), "{complaint}");
    assert!(started.elapsed() < START_MAX, "it took {:?}: {complaint}", started.elapsed());
}

#[test]
fn the_error_of_a_wrong_account_key_says_what_to_check() {
    let azurite = Azurite::any();
    let connection = format!("AccountName=devstoreaccount1;AccountKey={SECRET};TableEndpoint={}", azurite.endpoint);
    let started = Instant::now();
    let complaint = complaint(Some(&connection));
    assert!(complaint.starts_with("the store refused access: "), "{complaint}");
    assert!(complaint.contains("check the account's name, its key or signature"), "{complaint}");
    assert!(started.elapsed() < START_MAX, "it took {:?}", started.elapsed());
}

#[test]
fn an_invalid_table_prefix_is_named_in_the_error() {
    let azurite = Azurite::any();
    let connection =
        format!("AccountName=devstoreaccount1;AccountKey={};TableEndpoint={}", emulator_key(), azurite.endpoint);
    for prefix in ["1st", "a-b", &"x".repeat(60)] {
        let refused = azure(&["check", "--table-prefix", prefix], Some(&connection));
        assert!(refused.complaint().contains(prefix), "{refused:?}");
    }
}

#[test]
fn a_blog_is_imported_into_azurite_and_exported() {
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
    assert!(imported.summary().contains(" 0 unchanged, ") && again.summary().contains(" 0 created, 0 changed, "));
    assert_eq!(with(&["export"]).out, with(&["export"]).out);
    assert!(with(&["check"]).summary().ends_with(": 0 differences"));
}

/// If both imports create the same post, one of them creates it, and the other reports that the file is to be imported again.
#[test]
fn two_concurrent_imports_create_each_post_once() {
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
    let mut failures = 0;
    for ran in [first, second] {
        assert!(matches!(ran.code, Some(0 | 2)), "{ran:?}");
        let failed = ran.err.lines().filter(|line| line.starts_with("failed "));
        assert!(failed.clone().all(|line| line.ends_with("import again")), "{ran:?}");
        failures += failed.count();
    }
    // A change without an answer in time, on a slow machine, is completed when the store is opened next.
    let check = command(&["check"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    // The third import creates only posts that both of the others reported as failed.
    let rest = import();
    assert!(failures > 0 || rest.summary().starts_with("Imported: 0 created, "), "{rest:?}");
    let check = command(&["check"]);
    assert_eq!(check.code, Some(0), "{check:?}");
    let again = import();
    assert!(again.summary().starts_with("Imported: 0 created, 0 changed, "), "{again:?}");
    let posts = std::fs::read_dir(format!("{example}/posts")).expect("the blog").count();
    assert_eq!(command(&["export"]).out.matches("\"type\":\"post\"").count(), posts);
}

/// A mistyped prefix must not look like an empty site, above all in a backup.
#[test]
fn a_table_prefix_without_tables_is_refused_by_a_command_that_only_reads() {
    let azurite = Azurite::any();
    let connection =
        format!("AccountName=devstoreaccount1;AccountKey={};TableEndpoint={}", emulator_key(), azurite.endpoint);
    let prefix = random_prefix();
    let expected = format!(
        "the Azure account has no Tidings tables with the prefix {prefix:?}: create them with `tidings import PATH` or `tidings serve \
         --import PATH` (or empty ones with `tidings serve --create`), or name another prefix with --table-prefix"
    );
    let commands: [&[&str]; 4] = [&["check"], &["export"], &["serve", "--listen", "127.0.0.1:0"], &["token", "list"]];
    // Every command runs twice, the second time after all others, so that the test fails if one of them creates the tables.
    for arguments in [commands, commands].concat() {
        let refused = azure(&[arguments, &["--table-prefix", &prefix]].concat(), Some(&connection));
        assert_eq!(refused.complaint(), expected, "{arguments:?}");
    }
}

/// Their rows would be read and written by other rules.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_without_a_log_are_refused_with_the_way_out() {
    let azurite = Azurite::any();
    let connection =
        format!("AccountName=devstoreaccount1;AccountKey={};TableEndpoint={}", emulator_key(), azurite.endpoint);
    let prefix = random_prefix();
    let earlier = AzureStore::connect(&azurite.settings(&prefix)).expect("a client");
    earlier.create_tables(&["Posts", "PostKeys", "Intents"]).await.expect("the tables of an earlier version");
    let expected = format!(
        "the tables with the prefix {prefix:?} were written by an earlier version of Tidings, which kept no log: export them with that version (`tidings \
         export FOLDER`), and import the folder into a new prefix (`tidings import FOLDER --table-prefix PREFIX`)"
    );
    for arguments in [vec!["check"], vec!["export"], vec!["serve", "--create", "--listen", "127.0.0.1:0"]] {
        let refused = azure(&[arguments.as_slice(), &["--table-prefix", &prefix]].concat(), Some(&connection));
        assert_eq!(refused.complaint(), expected, "{arguments:?}");
    }
    assert!(!earlier.has_table("Log").await.expect("an answer"), "nothing was created");
}
