//! The work of the queries Q1 to Q5, beside the same queries over maps: `cargo bench --bench instructions -- [--posts N] [--requests N] [QUERY …]`.
//! The rule: a request takes the way through admission, service and JSON that it takes in the server, in a task, and on one thread.
//!
//! With `valgrind` on the path it counts instructions, which other processes do not disturb: each query runs in two processes of its own, and what the
//! longer one has more, divided by the requests that it has more, is the figure. Without valgrind it prints times. The maps are measured with the
//! same engine, and without admission, limits and completion. `reading` is the server that holds no values.
//!
//! `-- --loaders` counts the loaders beside those of the crate `dataloader` (`loaders.rs`).

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its result")]

mod loaders;
#[path = "../figures/machine.rs"]
#[expect(dead_code, reason = "the other benchmark uses the rest")]
mod machine;
#[path = "../figures/maps.rs"]
mod maps;
#[path = "../figures/posts.rs"]
#[expect(dead_code, reason = "the other benchmark uses the rest")]
mod posts;
mod queries;
#[path = "../figures/site.rs"]
#[expect(dead_code, reason = "the other benchmark uses the rest")]
mod site;
mod subject;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

use clap::Parser;
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::store::embedded::EmbeddedStore;
use tidings::{import, ingest};

use queries::Query;
use subject::Subject;

/// A failure ends the run with its text.
pub type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

#[derive(Debug, Parser)]
struct Arguments {
    /// How many posts the site has.
    #[arg(long, default_value_t = 2_000)]
    posts: u64,
    /// How many requests are measured.
    #[arg(long, default_value_t = 100)]
    requests: u32,
    /// Measure times, even if valgrind is there.
    #[arg(long)]
    times: bool,
    /// Compare the loaders with those of the crate `dataloader` instead.
    #[arg(long)]
    loaders: bool,
    /// The loading to measure; for the processes that this process starts.
    #[arg(long, hide = true)]
    loading: Option<loaders::Loading>,
    /// The queries to measure; all if none is named.
    queries: Vec<Query>,
    /// Cargo passes it to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
    /// Only send the requests to this subject; for the processes that this process starts.
    #[arg(long, hide = true)]
    of: Option<Subject>,
    /// The store of the site.
    #[arg(long, hide = true)]
    store: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match (arguments.of, arguments.loading, &arguments.store) {
        (Some(of), _, Some(store)) => send(of, store, &arguments),
        (_, Some(loading), Some(store)) => loaders::run(loading, store, arguments.posts, arguments.requests),
        _ => measure(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

/// The work of a process that is measured.
fn send(of: Subject, store: &Path, arguments: &Arguments) -> Result<()> {
    let running = of.start(store, arguments.posts)?;
    arguments.queries.iter().try_for_each(|query| running.send(*query, arguments.requests).map(drop))
}

fn measure(arguments: &Arguments) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("store");
    import(folder.path(), &store, arguments.posts)?;
    let queries = if arguments.queries.is_empty() { Query::ALL.to_vec() } else { arguments.queries.clone() };
    let has_valgrind = !arguments.times && Command::new("valgrind").arg("--version").output().is_ok();
    let unit = if has_valgrind { "instructions" } else { "µs" };
    println!("{}\n{} posts, {unit} for each request\n", machine::describe(), arguments.posts);
    if arguments.loaders {
        return measure_loaders(&store, arguments);
    }
    println!("{:<14}{:>14}{:>14}{:>14}{:>8}", "", "reading", "server", "maps", "ratio");
    for query in queries {
        subject::compare(&store, query, arguments.posts)?;
        let of = |subject: Subject| match has_valgrind {
            true => {
                let child = |requests| child(&store, arguments, ("--of", &subject.to_string()), Some(query), requests);
                instructions(child, arguments.requests)
            }
            false => subject::time(subject, &store, query, arguments.posts, arguments.requests),
        };
        let (reading, server, maps) = (of(Subject::Reading)?, of(Subject::Server)?, of(Subject::Maps)?);
        println!("{:<14}{reading:>14.0}{server:>14.0}{maps:>14.0}{:>8.2}", query.to_string(), maps / server);
    }
    Ok(())
}

/// Each way of loading, and the query whose fields load so: what it costs for one request.
fn measure_loaders(store: &Path, arguments: &Arguments) -> Result<()> {
    let whole = |requests| child(store, arguments, ("--of", "reading"), Some(Query::Q1), requests);
    let whole = instructions(whole, arguments.requests)?;
    println!("{:<34}{whole:>14.0}", "the latest 20 posts, reading");
    for loading in loaders::Loading::ALL {
        let name = loading.to_string();
        let of = |requests| child(store, arguments, ("--loading", &name), None, requests);
        let counted = instructions(of, arguments.requests)?;
        println!("{name:<34}{counted:>14.0}{:>8.1} %", 100.0 * counted / whole);
    }
    Ok(())
}

fn instructions(child: impl Fn(u32) -> Result<Command>, requests: u32) -> Result<f64> {
    const FEW: u32 = 10;
    Ok((count(child(FEW + requests)?)? - count(child(FEW)?)?) / f64::from(requests))
}

/// A process of this program that does the same work this often.
fn child(
    store: &Path,
    arguments: &Arguments,
    work: (&str, &str),
    query: Option<Query>,
    requests: u32,
) -> Result<Command> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg(std::env::current_exe()?).args([work.0, work.1]);
    command.args(["--posts", &arguments.posts.to_string(), "--requests", &requests.to_string()]);
    command.arg("--store").arg(store).args(query.map(|query| query.to_string()));
    Ok(command)
}

/// The instructions of a whole process.
fn count(mut child: Command) -> Result<f64> {
    let output = child.output()?;
    let report = String::from_utf8_lossy(&output.stderr);
    let line = report.lines().find_map(|line| line.split_once("I   refs:").or_else(|| line.split_once("I refs:")));
    match line {
        Some((_, number)) if output.status.success() => Ok(number.replace(',', "").trim().parse()?),
        _ => Err(format!("valgrind has reported no instructions:\n{report}").into()),
    }
}

fn import(folder: &Path, store: &Path, posts: u64) -> Result<()> {
    let file = folder.join("site.jsonl");
    posts::write_json_lines(&file, posts)?;
    let work = async {
        let store = Arc::new(EmbeddedStore::open(store)?);
        let content = Content::open(store, Clock::System, Sharing::Alone).await?;
        let source = Arc::new(import::open(&file, None)?);
        ingest::import(&content, source, ingest::ImportOptions::default(), |_, _| {}).await?;
        Ok(())
    };
    tokio::runtime::Runtime::new()?.block_on(work)
}
