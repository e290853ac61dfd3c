//! The figures that the README names, measured on this machine: `cargo bench --bench figures -- [--posts N] [--store FOLDER] [FIGURE …]`. The rule: a
//! figure is measured through the interfaces that users use, and in a process of its own if it is about a process.
//!
//! Figures: `create` and `update` (together), `import-json`, `import-markdown`, `latest`, `search`, `start`, the pages of `filters.rs` such as `filter-two-tags`, and
//! the queries of `rates.rs` such as `query-tag`; the start of a name is enough, and without a name all are measured but `pictures`, which takes minutes. `--store` keeps the store that the figures read in a folder, and uses the
//! store that exists there. `scripts/bench` uses the same posts, and starts this program for its client, its corpus and the servers without storage.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is its result")]

mod corpus;
mod creates;
mod filters;
mod http_client;
mod import;
mod latest;
mod load;
mod machine;
mod maps;
mod mix;
mod pictures;
mod plain;
mod posts;
mod rates;
mod search;
mod site;
mod start;
mod sync;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use table::with_commas;

/// That of the program, so that the servers that it is compared with have the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A failure ends the run with its text.
pub type Result<T, E = Box<dyn std::error::Error + Send + Sync>> = std::result::Result<T, E>;

#[derive(Debug, Parser)]
struct Arguments {
    /// How many posts the site has.
    #[arg(long, default_value_t = 100_000)]
    posts: u64,
    /// Keep the store in this folder, and use it if it exists.
    #[arg(long)]
    store: Option<PathBuf>,
    /// How long a rate is measured, in seconds.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// How many pictures in other forms the figure `pictures` asks for.
    #[arg(long, default_value_t = 10_000)]
    resizes: usize,
    /// The figures to measure; all but `pictures` if none is named.
    figures: Vec<String>,
    /// Cargo passes it to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
    /// The work of a process that this process has started.
    #[arg(long, hide = true, num_args = 1..)]
    child: Vec<String>,
}

impl Arguments {
    /// For a figure that is measured only if it is named.
    fn names(&self, figure: &str) -> bool {
        !self.figures.is_empty() && self.asks_for(figure)
    }

    fn asks_for(&self, figure: &str) -> bool {
        self.figures.is_empty() || self.figures.iter().any(|name| figure.starts_with(name.as_str()))
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let done = match arguments.child.as_slice() {
        [] => measure(&arguments),
        [what, from, store] if what == "import" => import::in_child(from.as_ref(), store.as_ref()),
        [what, store] if what == "serve" => start::in_child(store.as_ref()),
        [what, folder, posts] if what == "corpus" => {
            number(posts).and_then(|posts| corpus::write(folder.as_ref(), posts))
        }
        [what, posts] if what == "serve-maps" => number(posts).and_then(plain::serve_maps),
        [what, file] if what == "serve-bytes" => plain::serve_bytes(file.as_ref()),
        [what] if what == "load" => load::run(),
        [what, folder] if what == "sync" => sync::print_rate(folder.as_ref(), arguments.seconds),
        other => Err(format!("unknown work for a child: {other:?}").into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn number(text: &str) -> Result<u64> {
    text.parse().map_err(|_| format!("{text} is not a number of posts").into())
}

fn measure(arguments: &Arguments) -> Result<()> {
    println!("{}", machine::describe());
    let folder = tempfile::tempdir()?;
    let store = arguments.store.clone().unwrap_or_else(|| folder.path().join("store"));
    let print = |figures: Vec<table::Figure>| figures.iter().for_each(table::Figure::print);
    if arguments.names("pictures") {
        print(pictures::figures(arguments.resizes)?);
        if arguments.figures.len() == 1 {
            return Ok(());
        }
    }
    println!("{} posts\n", with_commas(arguments.posts as f64));
    if arguments.asks_for("import-markdown") {
        print(import::of_markdown(arguments.posts, folder.path())?);
    }
    if arguments.asks_for("import-json") || !store.exists() {
        // The other figures read the store that this import creates.
        let into = if store.exists() { folder.path().join("again") } else { store.clone() };
        print(import::of_json_lines(arguments.posts, folder.path(), &into)?);
    }
    if arguments.asks_for("start") {
        print(start::figures(&store)?);
    }
    if arguments.asks_for("latest") {
        print(latest::figures(&store, arguments.posts, arguments.seconds)?);
    }
    if arguments.asks_for("search") {
        print(search::figures(&store, arguments.posts, arguments.seconds)?);
    }
    if arguments.asks_for("create") || arguments.asks_for("update") {
        print(creates::figures(&store, arguments.posts, arguments.seconds)?);
    }
    print(filters::figures(&store, |name| arguments.asks_for(name))?);
    print(rates::figures(&store, arguments.posts, arguments.seconds, |name| arguments.asks_for(name))?);
    Ok(())
}
