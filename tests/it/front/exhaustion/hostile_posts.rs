//! Posts with bodies that are hostile to the server that renders them; they are imported or created, and read. The rule: whatever a body
//! contains, the log, the memory and the waiting times of others are bounded.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::attack::{Attack, MEMORY_MAX, PATIENCE, outcome, peak_memory};
use crate::front::well_behaved::{answer, ask, post, request};
use crate::support::command::{Blog, Serving, finish, tidings};
use crate::support::graphql::EDITOR_TOKEN;

/// Switches off what would spare the server the rendering: the cache of rendered bodies, and cached answers.
const RENDERED: (&str, &str) = ("TIDINGS_LIMITS_RENDERED_BYTES", "0");
const EXECUTED: (&str, &str) = ("TIDINGS_LIMITS_ANSWER_CACHE_BYTES", "0");

/// The query of the well-behaved client: a body of ten kilobytes, which the server renders.
const ORDINARY: &str = r#"{ post(slug: "ordinary") { body { html } } }"#;

struct Site {
    serving: Serving,
    _blog: Blog,
}

impl Site {
    /// A server with a hostile post, `hostile-0`, and an ordinary one, `ordinary`.
    fn of(hostile: &str, settings: &[(&str, &str)]) -> Self {
        Self::of_many(&[hostile.to_owned()], settings)
    }

    /// The same with several hostile posts.
    fn of_many(hostile: &[String], settings: &[(&str, &str)]) -> Self {
        // With an excerpt, so that the import does not generate one from the body.
        let post = |title: &str, body: &str| {
            format!("---\ntitle: {title}\ndate: 2025-01-01\nexcerpt: An excerpt.\n---\n{body}\n")
        };
        let blog = Blog::of(&[("ordinary.md", &post("Ordinary", &"An *ordinary* post.\n\n".repeat(500)))]);
        for (n, body) in hostile.iter().enumerate() {
            blog.write(&format!("hostile-{n}.md"), &post("Hostile", body));
        }
        let imported = blog.import();
        assert_eq!(imported.code, Some(0), "{imported:?}");
        let serving = Serving::start_with(&["--store", &blog.store()], settings);
        Self { serving, _blog: blog }
    }

    fn html(&self, slug: &str) -> String {
        let data = self.serving.query(&html_of(slug));
        data["post"]["body"]["html"].as_str().expect("HTML").to_owned()
    }
}

fn html_of(slug: &str) -> String {
    format!("{{ post(slug: {slug:?}) {{ body {{ html }} }} }}")
}

fn table_of_blocks(bytes: usize) -> String {
    format!("<table>{}", "<p>x</p>".repeat(bytes / 8))
}

fn footnote_references(bytes: usize) -> String {
    format!("{}\n\n[^1]: a", "[^1]".repeat(bytes / 4))
}

/// Bodies of this length that once took more than linear time or memory; tests/it/rendering.rs checks the time of each of them.
fn costly(bytes: usize) -> Vec<String> {
    vec![
        format!("http://a.b/{}", "&a;".repeat(bytes / 3)),
        footnote_references(bytes),
        table_of_blocks(bytes),
        format!("<table>{}", "<b>x<i></b></i>".repeat(bytes / 15)),
        format!("|{}\n|{}\n{}", "a|".repeat(3_000), "-|".repeat(3_000), "|b\n".repeat(bytes / 3 - 4_000)),
    ]
}

/// The lines of the log that the server's dependencies wrote.
fn lines_of_dependencies(errors: &[String]) -> Vec<&String> {
    errors.iter().filter(|line| line.starts_with('{') && !line.contains("\"target\":\"tidings")).collect()
}

#[test]
fn a_hostile_post_causes_no_log_lines_of_dependencies() {
    let site = Site::of(&table_of_blocks(40_000), &[RENDERED, EXECUTED]);
    let attack = Attack::beside("2: a hostile post and the log", &site.serving, ORDINARY);
    attack.repeat(|| drop(site.html("hostile-0")));
    attack.end();
    let (_, errors) = site.serving.stop_with_errors();
    assert_eq!(lines_of_dependencies(&errors).first(), None);
}

/// A dozen clients send a query and disconnect, repeatedly. One rendering runs at a time, and the renderings of disconnected clients do not
/// start.
#[cfg(target_os = "linux")]
#[test]
fn cancelled_reads_leave_no_renderings_running() {
    let site = Site::of(&footnote_references(1_000_000), &[RENDERED, EXECUTED]);
    let attack = Attack::beside("3: reads that are cancelled", &site.serving, ORDINARY);
    let body = json!({ "query": html_of("hostile-0") }).to_string();
    let sent = request("POST /graphql", "content-type: application/json\r\n", body.as_bytes());
    attack.repeat(|| {
        for _ in 0..12 {
            let mut stream = TcpStream::connect(&site.serving.address).expect("a connection");
            stream.write_all(&sent).expect("a request");
            // Long enough for the request to be running.
            stream.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
            let _ = stream.read(&mut [0; 1]);
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
    // The next query waits for at most one rendering that had started, not for all of them.
    let html = site.html("hostile-0");
    assert!(html.len() < 10_000_000, "{} bytes", html.len());
    attack.end();
}

/// Four clients read bodies of one megabyte.
#[test]
fn costly_bodies_do_not_delay_ordinary_posts() {
    let bodies = costly(1_000_000);
    let site = Site::of_many(&bodies, &[RENDERED, EXECUTED]);
    let attack = Attack::beside("4: costly bodies that are read", &site.serving, ORDINARY);
    attack.repeat(|| {
        thread::scope(|scope| {
            for first in 0..4 {
                let (address, count) = (&site.serving.address, bodies.len());
                scope.spawn(move || {
                    let query = html_of(&format!("hostile-{}", first % count));
                    let answer = ask(address, &post(json!({ "query": query })));
                    assert!(matches!(outcome(&answer), (200, "") | (503, "OVERLOADED") | (504, "TIMEOUT")));
                });
            }
        });
    });
    for n in 0..bodies.len() {
        assert!(!site.html(&format!("hostile-{n}")).is_empty());
    }
    attack.end();
}

/// Four editors at once create and change posts with costly bodies and without an excerpt, so that the server generates it from the body.
#[test]
fn excerpts_of_costly_bodies_do_not_delay_readers() {
    let site = Site::of("", &[("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN), RENDERED, EXECUTED]);
    let attack = Attack::beside("5: excerpts of costly bodies", &site.serving, ORDINARY);
    let body = footnote_references(1_000_000);
    let address = &site.serving.address;
    let change = |query: &str, input: Value| {
        let headers = format!("content-type: application/json\r\nauthorization: Bearer {EDITOR_TOKEN}\r\n");
        let sent = json!({ "query": query, "variables": { "input": input } }).to_string();
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.write_all(&request("POST /graphql", &headers, sent.as_bytes())).expect("a request");
        let (status, answer) = answer(stream);
        assert_eq!((status, answer.get("errors")), (200, None), "{answer}");
        answer["data"]["change"]["post"].clone()
    };
    attack.repeat(|| {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let create = "mutation($input: CreatePostInput!) { change: createPost(input: $input) { post { id version } } }";
                    let made = change(create, json!({ "title": "Costly", "markdown": body }));
                    let update = "mutation($input: UpdatePostInput!) { change: updatePost(input: $input) { post { id } } }";
                    let changed = format!("{}changed", &body[..body.len() - 7]);
                    change(update, json!({ "id": made["id"], "expectedVersion": made["version"], "markdown": changed }));
                });
            }
        });
    });
    attack.end();
}

/// An import generates excerpts too.
#[cfg(target_os = "linux")]
#[test]
fn an_import_of_costly_bodies_takes_no_more_memory_than_a_server() {
    let file =
        |n: usize| format!("---\ntitle: Costly {n}\ndate: 2025-01-0{n}\n---\n{}\n", footnote_references(1_200_000));
    let blog = Blog::of(&[("a.md", &file(1)), ("b.md", &file(2))]);
    let (posts, store) = (blog.posts().display().to_string(), blog.store());
    let mut import = tidings(&["import", &posts, "--store", &store]);
    // Freed memory is returned at once, so that the peak is what was used at one time, however late a thread returns its own.
    import.env("MIMALLOC_PURGE_DELAY", "0");
    let mut import = import.spawn().expect("the command starts");
    let (begun, mut peak) = (Instant::now(), 0);
    let status = loop {
        peak = peak_memory(import.id()).unwrap_or_default().max(peak);
        if let Some(status) = import.try_wait().expect("its state") {
            break status;
        }
        if begun.elapsed() > PATIENCE {
            let _ = import.kill();
            panic!("the import has not ended");
        }
        thread::sleep(Duration::from_millis(5));
    };
    println!("the import's peak: {} MiB", peak >> 20);
    assert_eq!(status.code(), Some(0));
    assert!(0 < peak && peak < MEMORY_MAX, "{peak} bytes");
}

/// A FIFO can be read only once, but an import reads its source twice; and opening a FIFO would wait for a writer.
#[cfg(unix)]
#[test]
fn an_import_of_a_fifo_is_refused_at_once() {
    let blog = Blog::of(&[]);
    let fifo = blog.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs");
    assert!(made.success());
    let ran = finish(tidings(&["import", &fifo.display().to_string(), "--store", &blog.store()]));
    assert!(ran.complaint().contains("neither a folder nor a regular file"), "{ran:?}");
}
