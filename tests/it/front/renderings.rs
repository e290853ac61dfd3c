//! Posts whose bodies are written to harm the one who renders them, imported and read through the binary. The rule: whatever stands in a body, the
//! log, the memory and the time of others are bounded.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::command::{Blog, Serving, finish, tidings};

const WITHOUT_KEEPING: (&str, &str) = ("TIDINGS_LIMITS_RENDERED_BYTES", "0");

struct Site {
    serving: Serving,
    _blog: Blog,
}

impl Site {
    /// A server of one post, `hostile`, and an ordinary one, `ordinary`.
    fn of(hostile: &str, settings: &[(&str, &str)]) -> Self {
        let post = |title, body: &str| format!("---\ntitle: {title}\ndate: 2025-01-01\n---\n{body}\n");
        let ordinary = "An *ordinary* post.\n\n".repeat(500);
        let blog =
            Blog::of(&[("hostile.md", &post("Hostile", hostile)), ("ordinary.md", &post("Ordinary", &ordinary))]);
        let (store, posts) = (blog.store(), blog.posts().display().to_string());
        Self { serving: Serving::start_with(&["--store", &store, "--import", &posts], settings), _blog: blog }
    }

    fn html(&self, slug: &str) -> String {
        let data = self.serving.query(&format!("{{ post(slug: {slug:?}) {{ body {{ html }} }} }}"));
        data["post"]["body"]["html"].as_str().expect("HTML").to_owned()
    }

    /// The most memory that the server has taken, in kilobytes.
    fn memory_kb(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.serving.id())).expect("the process's state");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }
}

fn table_of_blocks(bytes: usize) -> String {
    format!("<table>{}", "<p>x</p>".repeat(bytes / 8))
}

#[test]
fn a_hostile_post_writes_no_lines_of_dependencies_into_the_log() {
    let site = Site::of(&table_of_blocks(40_000), &[WITHOUT_KEEPING]);
    for _ in 0..10 {
        site.html("hostile");
    }
    let (_, errors) = site.serving.stop_with_errors();
    let others: Vec<_> =
        errors.iter().filter(|line| line.starts_with('{') && !line.contains("\"target\":\"tidings")).collect();
    assert_eq!(others, Vec::<&String>::new());
}

/// Whoever asks for these lines gets some of them, and how many were left out.
#[test]
fn repeated_lines_of_a_dependency_are_left_out_and_counted() {
    let site = Site::of(&table_of_blocks(40_000), &[WITHOUT_KEEPING, ("TIDINGS_LOG", "info,html5ever=warn")]);
    for _ in 0..10 {
        site.html("hostile");
    }
    let (_, errors) = site.serving.stop_with_errors();
    let lines: Vec<Value> = errors.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of_html5ever =
        lines.iter().filter(|line| line["target"].as_str().is_some_and(|target| target.starts_with("html5ever")));
    assert!((1..100).contains(&of_html5ever.count()), "{} lines", lines.len());
    let left_out: Vec<_> = lines.iter().filter(|line| line["fields"]["message"] == "log.repeats_left_out").collect();
    assert!(left_out.iter().any(|line| line["fields"]["lines"].as_u64() > Some(1_000)), "{left_out:?}");
}

/// A dozen clients ask and go away. One rendering runs at a time, those whose clients have gone do not begin, and ordinary posts are served beside.
#[cfg(target_os = "linux")]
#[test]
fn cancelled_reads_leave_no_renderings_behind() {
    let hostile = format!("{}\n\n[^1]: a", "[^1]".repeat(250_000));
    let site = Site::of(&hostile, &[WITHOUT_KEEPING]);
    let body = json!({ "query": "{ post(slug: \"hostile\") { body { html } } }" }).to_string();
    let request = format!(
        "POST /graphql HTTP/1.1\r\nhost: tidings\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    for _ in 0..12 {
        let mut stream = TcpStream::connect(&site.serving.address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("a request");
        // Long enough for it to be under way.
        stream.set_read_timeout(Some(Duration::from_millis(50))).expect("a timeout");
        let _ = stream.read(&mut [0; 1]);
        stream.shutdown(Shutdown::Both).expect("a connection that is open");
        assert!(site.html("ordinary").contains("<em>ordinary</em>"));
    }
    // One more is answered after at most one that had begun, not after twelve.
    let begun = Instant::now();
    let html = site.html("hostile");
    println!("{:?}, {} kB", begun.elapsed(), site.memory_kb());
    assert!(html.len() < 10_000_000, "{} bytes", html.len());
    assert!(site.memory_kb() < 400_000, "{} kB", site.memory_kb());
}

/// What a FIFO gives can be read once, and an import reads twice; to open one is to wait for its writer.
#[cfg(unix)]
#[test]
fn an_import_of_a_fifo_is_refused_at_once() {
    let blog = Blog::of(&[]);
    let fifo = blog.path().join("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs");
    assert!(made.success());
    let ran = finish(tidings(&["import", &fifo.display().to_string(), "--store", &blog.store()]));
    assert!(ran.complaint().contains("neither a folder nor a regular file"), "{ran:?}");
}
