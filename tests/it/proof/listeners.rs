//! Thousands of idle subscribers of a few live queries, on one server with a file. The rule: a change of what one live query reads executes that query
//! once, however many wait; it prints what the subscribers cost and how long a change takes to them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::support::command::{Blog, Serving, get};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::random::listeners;

/// The live queries.
const QUERIES: usize = 50;
const CHANGES: usize = 100;
const PATIENCE: Duration = Duration::from_secs(120);

/// An answer that a subscriber has got: of which query, and its title.
type Got = (usize, String, Instant);

fn query(of: usize) -> String {
    format!(
        "query @live {{ post(slug: \"post-{of}\") {{ title body {{ html }} }} \
           posts(first: 10, filter: {{ tags: {{ all: [\"tag-{of}\"] }} }}) {{ nodes {{ slug title }} totalCount }} }}"
    )
}

/// Subscribes over Server-Sent Events, and reports each answer.
async fn listen(address: String, of: usize, got: mpsc::UnboundedSender<Got>) {
    let mut stream = TcpStream::connect(&address).await.expect("a connection");
    let body = json!({ "query": query(of) }).to_string();
    let head = format!(
        "POST /graphql HTTP/1.1\r\nhost: {address}\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.expect("a request");
    let mut lines = BufReader::with_capacity(1024, stream).lines();
    while let Some(line) = lines.next_line().await.expect("a line") {
        let Some(data) = line.strip_prefix("data: ") else { continue };
        let answer: Value = serde_json::from_str(data).expect("JSON");
        let title = answer["data"]["post"]["title"].as_str().unwrap_or_else(|| panic!("{answer}"));
        if got.send((of, title.to_owned(), Instant::now())).is_err() {
            return;
        }
    }
}

/// So many answers, all with this title.
async fn wait_for(
    got: &mut mpsc::UnboundedReceiver<Got>,
    count: usize,
    title: impl Fn(usize) -> String,
) -> Vec<Instant> {
    let mut at = Vec::new();
    while at.len() < count {
        let (of, shown, when) = timeout(PATIENCE, got.recv()).await.expect("it comes in time").expect("all listen");
        assert_eq!(shown, title(of), "an answer that nobody waits for");
        at.push(when);
    }
    at
}

/// The memory that the process uses, in KiB.
fn resident(server: &Serving) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// The queries that were executed since the server began.
fn executed(metrics: &str) -> f64 {
    let (_, text) = get(metrics, "/metrics", &[]);
    let of_queries = |line: &&str| line.starts_with("tidings_graphql_operations_total{operation=\"query\"");
    let value = |line: &str| line.rsplit_once(' ').and_then(|(_, value)| value.parse::<f64>().ok());
    text.lines().filter(of_queries).filter_map(value).sum()
}

fn made(server: &Serving, field: &str, kind: &str, input: &Value) -> Value {
    let query = format!(
        "mutation($input: {kind}!) {{ made: {field}(input: $input) {{ post {{ id version }} userErrors {{ message }} }} }}"
    );
    let token = format!("Bearer {EDITOR_TOKEN}");
    let body = json!({ "query": query, "variables": { "input": input } });
    let answer = server.post(&[("authorization", &token)], &body).1;
    assert_eq!(answer["data"]["made"]["userErrors"], json!([]), "{answer}");
    answer["data"]["made"]["post"].clone()
}

#[expect(clippy::print_stdout, reason = "the figures of a run")]
async fn measure(count: usize) {
    let blog = Blog::of(&[]);
    let connections = (2 * count + 100).to_string();
    let settings = [
        ("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN),
        ("TIDINGS_LIMITS_CONNECTIONS", &connections),
        ("TIDINGS_LIMITS_ADDRESS_CONNECTIONS", &connections),
    ];
    let store = blog.store();
    let arguments = ["--create", "--store", &store, "--metrics-listen", "127.0.0.1:0"];
    let server = Serving::start_with(&arguments, &settings);
    let metrics = server.wait_for_line("Serving metrics at http://");
    let metrics = metrics.strip_suffix("/metrics").expect("the path /metrics");
    let mut posts: Vec<Value> = Vec::new();
    for of in 0..QUERIES {
        let new = json!({ "slug": format!("post-{of}"), "title": "Before", "markdown": "A *text*.", "publish": true });
        let tags = json!({ "tagSlugs": [format!("tag-{of}")], "createMissingTags": true });
        let mut input = new;
        input.as_object_mut().expect("an object").extend(tags.as_object().expect("an object").clone());
        posts.push(made(&server, "createPost", "CreatePostInput", &input));
    }
    let (send, mut got) = mpsc::unbounded_channel();
    let (begun, before) = (Instant::now(), resident(&server));
    for number in 0..count {
        tokio::spawn(listen(server.address.clone(), number % QUERIES, send.clone()));
        // As many as the queue of a socket takes.
        if number % 50 == 49 {
            wait_for(&mut got, 50, |_| "Before".to_owned()).await;
        }
    }
    wait_for(&mut got, count % 50, |_| "Before".to_owned()).await;
    let (took, after) = (begun.elapsed(), resident(&server));
    println!(
        "{count} subscribers of {QUERIES} live queries in {:.1} s: {:.1} MiB, before {:.1} MiB, {:.1} KiB each",
        took.as_secs_f64(),
        after as f64 / 1024.0,
        before as f64 / 1024.0,
        (after as f64 - before as f64) / count as f64
    );
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(executed(metrics), QUERIES as f64, "those who ask for the same share the first answer too");
    let mut delays = Vec::new();
    for change in 0..CHANGES {
        let (of, title) = (change % QUERIES, format!("Title {change}"));
        let before = executed(metrics);
        let input = json!({ "id": posts[of]["id"], "expectedVersion": posts[of]["version"], "title": title });
        posts[of] = made(&server, "updatePost", "UpdatePostInput", &input);
        let at = Instant::now();
        let heard = wait_for(&mut got, count / QUERIES, |_| title.clone()).await;
        delays.extend(heard.iter().map(|heard| heard.saturating_duration_since(at)));
        // A change is announced before it can be read; on a busy machine the query can be executed in between, and then again.
        let again = executed(metrics) - before;
        assert!((1.0..=3.0).contains(&again), "{again} queries for {} subscribers", heard.len());
    }
    delays.sort_unstable();
    let at = |per_mille: usize| delays[(delays.len() - 1) * per_mille / 1_000].as_millis();
    println!("{CHANGES} changes, 1 query each: p50 {} ms, p99 {} ms, at most {} ms", at(500), at(990), at(1_000));
    println!("the server at the end: {:.1} MiB", resident(&server) as f64 / 1024.0);
    assert!(got.try_recv().is_err(), "nobody else has got an answer");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_query_is_executed_for_all_who_wait_for_it() {
    measure(4 * QUERIES).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: scripts/torture --listeners"]
async fn what_thousands_of_subscribers_cost() {
    measure(listeners()).await;
}
