//! `tidings serve`: the start, refused starts, and a stop that loses no data.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::command::{Blog, Serving, finish, run, tidings, without_settings};

const POST: (&str, &str) = ("2025-03-04-hello.md", "---\ntitle: Hello\ntags: [first]\n---\nHello.\n");
const HELLO: &str = r#"{ post(slug: "hello") { title body { html } tags { slug } } posts { totalCount } }"#;

/// The lines of a server after the first one, until it has stopped: the address to open, and the end.
fn lines_of(serving: &Serving) -> Vec<String> {
    vec![
        format!("Write at http://{}/editor", serving.address),
        format!("Open http://{}/ in a browser.", serving.address),
        "Stopped.".to_owned(),
    ]
}

fn start(blog: &Blog) -> Serving {
    Serving::start(&["--store", &blog.store(), "--import", &blog.posts().display().to_string()])
}

#[test]
fn a_server_imports_answers_and_stops_without_losing_data() {
    let blog = Blog::of(&[POST]);
    let expected = json!({
        "post": { "title": "Hello", "body": { "html": "<p>Hello.</p>\n" }, "tags": [{ "slug": "first" }] },
        "posts": { "totalCount": 1 },
    });
    let first = start(&blog);
    assert_eq!(first.query(HELLO), expected);
    let lines = lines_of(&first);
    assert_eq!(first.stop(), (Some(0), lines));
    let second = Serving::start(&["--store", &blog.store()]);
    assert_eq!(second.query(HELLO), expected);
    let lines = lines_of(&second);
    assert_eq!(second.stop(), (Some(0), lines));
    assert_eq!(blog.check().code, Some(0));
}

#[test]
fn the_example_blog_is_imported_and_served() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog");
    let blog = Blog::of(&[]);
    let serving = Serving::start(&["--store", &blog.store(), "--import", &example.display().to_string()]);
    let data = serving.query(r#"{ post(slug: "why-we-wash-our-html") { title author { name } } }"#);
    assert_eq!(data, json!({ "post": { "title": "Why We Wash Our HTML", "author": { "name": "Fionn O'Malley" } } }));
    assert_eq!(serving.stop().0, Some(0));
}

#[test]
fn no_playground_is_served_when_it_is_switched_off() {
    let blog = Blog::of(&[POST]);
    let serving = Serving::start(&["--create", "--no-playground", "--store", &blog.store()]);
    assert!(serving.status_of("/playground/favicon.svg").contains(" 404 "));
    let write = format!("Write at http://{}/editor", serving.address);
    assert_eq!(serving.stop(), (Some(0), vec![write, "Stopped.".to_owned()]));
}

#[test]
fn a_stop_right_after_the_start_is_clean() {
    let blog = Blog::of(&[POST]);
    for _ in 0..10 {
        let serving = Serving::start(&["--create", "--store", &blog.store()]);
        let lines = lines_of(&serving);
        assert_eq!(serving.stop(), (Some(0), lines));
    }
}

#[test]
fn an_interrupt_and_the_end_of_the_session_stop_the_server() {
    for signal in ["INT", "HUP"] {
        let blog = Blog::of(&[POST]);
        let serving = start(&blog);
        serving.signal(signal);
        assert_eq!(serving.wait_for_line("Stopped."), "", "{signal}");
        drop(serving);
        assert_eq!(blog.check().code, Some(0));
    }
}

/// As `nohup` starts it.
#[test]
fn a_server_that_was_started_with_sighup_ignored_survives_the_end_of_the_session() {
    let blog = Blog::of(&[POST]);
    let posts = blog.posts().display().to_string();
    let serving = Serving::start_of(&["--store", &blog.store(), "--import", &posts], &[], |arguments| {
        let plain = tidings(arguments);
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(plain.get_program()).args(plain.get_args());
        without_settings(&mut command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    });
    serving.signal("HUP");
    assert_eq!(serving.query(HELLO)["posts"]["totalCount"], json!(1));
    let lines = lines_of(&serving);
    assert_eq!(serving.stop(), (Some(0), lines));
}

/// A server that listens at this address; the address that the first line has, and the last line of the start.
fn listening(listen: &str) -> (String, String) {
    let blog = Blog::of(&[]);
    let serving = Serving::start_of(&["--create", "--store", &blog.store()], &[], |arguments| {
        let own = arguments.len() - 1;
        tidings(&[&arguments[..own], &[listen]].concat())
    });
    assert!(serving.status_of("/healthz").contains(" 200 "));
    let (address, opened) = (serving.address.clone(), format!("Open {}", serving.wait_for_line("Open ")));
    assert_eq!(serving.stop(), (Some(0), vec!["Stopped.".to_owned()]));
    (address, opened)
}

#[test]
fn a_port_alone_is_one_of_this_machine_and_the_last_line_is_the_address_to_open() {
    for (listen, host, opened) in [
        ("0", "127.0.0.1", "127.0.0.1"),
        (":0", "127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:0", "127.0.0.1", "127.0.0.1"),
        ("0.0.0.0:0", "0.0.0.0", "127.0.0.1"),
    ] {
        let (address, line) = listening(listen);
        let port = address.rsplit(':').next().expect("a port");
        assert_eq!(address, format!("{host}:{port}"), "{listen}");
        assert_eq!(line, format!("Open http://{opened}:{port}/ in a browser."), "{listen}");
    }
    // Which of its addresses comes first is a matter of the machine.
    let (address, _) = listening("localhost:0");
    assert!(address.starts_with("127.0.0.1:") || address.starts_with("[::1]:"), "{address}");
}

#[test]
fn a_wrong_address_is_refused_with_what_to_write() {
    let blog = Blog::of(&[]);
    for listen in ["http://127.0.0.1:8080", "::1", "99999", "localhost:99999", "localhost"] {
        let refused = run(&["serve", "--create", "--store", &blog.store(), "--listen", listen]);
        assert_eq!(refused.code, Some(1), "{listen}: {refused:?}");
        assert!(refused.err.contains("is not ADDRESS:PORT; write, for example, 8080"), "{listen}: {refused:?}");
    }
}

#[test]
fn the_sample_reports_its_costs_on_a_port_alone_too() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog").display().to_string();
    for (listen, reports) in [("8080", "true"), (":8080", "true"), ("0.0.0.0:8080", "false")] {
        let printed = run(&["serve", "--print-config", "--import", &example, "--listen", listen]);
        assert!(printed.out.contains(&format!("report_storage = {reports}")), "{listen}: {printed:?}");
    }
}

/// The store can be opened again when the process has ended, also when it was killed.
#[test]
fn a_killed_server_leaves_a_store_that_opens() {
    let blog = Blog::of(&[POST]);
    let serving = start(&blog);
    serving.signal("KILL");
    drop(serving);
    assert_eq!(blog.check().code, Some(0));
    assert_eq!(Serving::start(&["--create", "--store", &blog.store()]).stop().0, Some(0));
}

#[test]
fn a_post_that_fails_to_import_does_not_stop_the_server() {
    let blog = Blog::of(&[POST, ("bad.md", "---\ntitle: [\n---\n")]);
    let serving = start(&blog);
    assert_eq!(serving.query("{ posts { totalCount } }"), json!({ "posts": { "totalCount": 1 } }));
}

#[test]
fn the_error_of_a_second_server_names_the_open_file_and_what_to_do() {
    let blog = Blog::of(&[POST]);
    let serving = start(&blog);
    let refused = run(&["serve", "--listen", "127.0.0.1:0", "--store", &blog.store()]);
    let file = blog.path().join("store/tidings.redb");
    let expected =
        format!("{} is open in another process: stop that process, or name another store with --store", file.display());
    assert_eq!(refused.complaint(), expected);
    assert_eq!(serving.query(HELLO)["posts"]["totalCount"], json!(1));
}

#[test]
fn a_port_in_use_is_reported_before_the_import() {
    let blog = Blog::of(&[POST]);
    let serving = start(&blog);
    let other = Blog::of(&[POST]);
    let posts = other.posts().display().to_string();
    let refused = run(&["serve", "--listen", &serving.address, "--store", &other.store(), "--import", &posts]);
    let complaint = refused.complaint();
    assert!(complaint.starts_with(&format!("cannot listen at {}: ", serving.address)), "{complaint}");
    assert!(complaint.ends_with("choose another with --listen ADDRESS:PORT"), "{complaint}");
    assert!(!other.path().join("store").exists(), "the store was created");
}

#[test]
fn the_error_of_an_invalid_address_shows_the_accepted_form() {
    let blog = Blog::of(&[]);
    for address in ["99999", ":99999", ":", "80 80", "nowhere", "127.0.0.1", "127.0.0.1:99999", ""] {
        let refused = run(&["serve", "--listen", address, "--store", &blog.store()]);
        assert!(refused.complaint().contains("ADDRESS:PORT"), "{refused:?}");
    }
}

#[test]
fn the_error_of_an_invalid_log_setting_shows_the_accepted_form() {
    let mut command = tidings(&["serve", "--create", "--store", &Blog::of(&[]).store()]);
    command.env("TIDINGS_LOG", "((nonsense");
    let refused = finish(command);
    let complaint = refused.complaint();
    assert!(complaint.starts_with("TIDINGS_LOG: ") && complaint.contains("such as info"), "{refused:?}");
}
