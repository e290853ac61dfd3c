//! From the start of a process to its first answer: what a deployment and a crash cost.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant as Moment;

use tidings::graphql::cached::ANSWER_CACHE_BYTES_MAX;
use tidings::http::{ServerLimits, run};
use tokio::net::TcpListener;

use crate::http_client::Client;
use crate::table::Figure;
use crate::{Result, latest, site};

const MILLISECONDS_MAX: f64 = 100.0;
const STARTS: usize = 5;
/// What `tidings serve` prints before its address.
pub const SERVING: &str = "Serving GraphQL at http://";

pub fn figures(store: &Path) -> Result<Vec<Figure>> {
    let of_this = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--child", "serve"]).arg(store);
        Ok(command)
    };
    let of_tidings = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidings"));
        command.arg("serve").arg(format!("--store=file:{}", store.display())).arg("--listen=127.0.0.1:0");
        Ok(command)
    };
    Ok(vec![
        figure("start to first answer, the library", of_this)?,
        figure("start to first answer, tidings serve", of_tidings)?,
    ])
}

/// The best of several starts, as with rates.
fn figure(name: &str, command: impl Fn() -> Result<Command>) -> Result<Figure> {
    let mut best = f64::INFINITY;
    for _ in 0..STARTS {
        match start_and_ask(command()?)? {
            Some(milliseconds) => best = best.min(milliseconds),
            None => return Ok(Figure::new(name, "this program does not serve yet")),
        }
    }
    Ok(Figure::new(name, format!("{best:.0} ms"))
        .with_goal(format!("under {MILLISECONDS_MAX} ms"), best < MILLISECONDS_MAX))
}

/// `None` if the program ends without printing an address.
fn start_and_ask(mut command: Command) -> Result<Option<f64>> {
    let begun = Moment::now();
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut said = BufReader::new(child.stdout.take().ok_or("the child's output is piped")?).lines();
    let mut milliseconds = None;
    if let Some(line) = said.next() {
        let line = line?;
        let place =
            line.strip_prefix(SERVING).and_then(|rest| rest.split('/').next()).ok_or("an address was expected")?;
        let address: SocketAddr = place.parse()?;
        let answer = Client::connect(address)?.query(&latest::document())?.to_vec();
        milliseconds = Some(begun.elapsed().as_secs_f64() * 1e3);
        if !answer.starts_with(b"{\"data\":{\"posts\"") {
            return Err(format!("no posts: {}", String::from_utf8_lossy(&answer)).into());
        }
    }
    // This function has started the child, and kills it by its handle.
    let _ = child.kill();
    child.wait()?;
    Ok(milliseconds)
}

/// Serves as `tidings serve` does, until it is killed.
pub fn in_child(store: &Path) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let content = site::open(store).await?;
        println!("{SERVING}{}/graphql", listener.local_addr()?);
        let routes = site::routes(Arc::new(site::service(&content)), ANSWER_CACHE_BYTES_MAX);
        run(listener, routes, std::future::pending(), ServerLimits::default()).await;
        Ok(())
    })
}
