//! `tidings serve`: the server. The rule: it says where it listens once it does, and stops cleanly on SIGINT and SIGTERM.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::flags::{Flags, OfServer, OfStore, without_flag};
use super::{CommandError, import};
use crate::app::{self, Listeners, Missing};
use crate::config::{self, ServeSettings, Sources, table};
use crate::telemetry;

/// Serve the content as GraphQL, at /graphql.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE, table::OF_SERVER, &table::limits::ALL]))]
pub struct Serve {
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    server: Flags<OfServer>,
    /// Print the settings in effect as a configuration file, each with where it comes from, and exit.
    #[arg(long)]
    print_config: bool,
}

impl Serve {
    pub async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let settings = sources.with([self.store.typed, self.server.typed].concat());
        let found = ServeSettings::of(&settings)?;
        if self.print_config {
            std::io::stdout().lock().write_all(config::print(&settings).as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        serve(found).await
    }
}

async fn serve(settings: ServeSettings) -> Result<ExitCode, CommandError> {
    let tracing = telemetry::start(&settings.log, settings.log_format, settings.traces.as_ref())?;
    // Bound before the import: a port that is taken should not be learnt of after a long one.
    let listener = bind(&settings.listen, "--listen").await?;
    let metrics = match &settings.metrics_listen {
        Some(address) => Some(bind(address, "--metrics-listen").await?),
        None => None,
    };
    let source = match &settings.import {
        Some(path) => Some(import::read(path, None).await?),
        None => None,
    };
    let missing = if source.is_some() || settings.create { Missing::Make } else { Missing::Refuse };
    let content = app::open(&settings.store, missing).await?;
    if let Some(source) = source {
        import::import_into(&content, source, false).await?;
    }
    settings.sign_in.prepare().await;
    // Listened for before the address is told: who reads it may ask for the stop at once.
    let shutdown = stop_signal()?;
    let listeners = Listeners { public: listener, metrics };
    print_addresses(&listeners, settings.http.playground)?;
    let stopped = app::serve(content, settings.into(), listeners, shutdown).await;
    tracing.stop().await;
    if stopped.cut_off > 0 {
        return Err(format!("{} requests were cut off by the stop", stopped.cut_off).into());
    }
    writeln!(std::io::stdout(), "Stopped.")?;
    Ok(ExitCode::SUCCESS)
}

/// The address of GraphQL in the first line, for programs that wait for it.
fn print_addresses(listeners: &Listeners, has_playground: bool) -> std::io::Result<()> {
    let address = listeners.public.local_addr()?;
    let mut text = format!("Serving GraphQL at http://{address}/graphql\n");
    if has_playground {
        text.push_str(&format!("Playground at http://{address}/\n"));
    }
    if let Some(metrics) = &listeners.metrics {
        text.push_str(&format!("Telling metrics at http://{}/metrics\n", metrics.local_addr()?));
    }
    std::io::stdout().write_all(text.as_bytes())
}

async fn bind(address: &str, flag: &str) -> Result<TcpListener, CommandError> {
    let bound = TcpListener::bind(address).await;
    Ok(bound.map_err(|e| format!("cannot listen at {address}: {e}; choose another with {flag} ADDRESS:PORT"))?)
}

fn stop_signal() -> Result<impl Future<Output = ()>, CommandError> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
