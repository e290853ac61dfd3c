//! `tidings serve`: the server. The rule: it prints its addresses once it listens, and stops cleanly on SIGINT and SIGTERM.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::flags::{Flags, OfServer, OfStore, without_flag};
use super::{CommandError, import};
use crate::app::{self, Listeners, Missing, Serving};
use crate::config::{self, ServeSettings, Sources, table};
use crate::import::ReadOptions;
use crate::telemetry;

/// Serve the content with a GraphQL API at /graphql.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE, table::OF_SERVER, &table::limits::ALL, &table::fair_use::ALL]))]
pub(super) struct Serve {
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    server: Flags<OfServer>,
    /// Print the effective settings as a configuration file, each with its source, and exit.
    #[arg(long)]
    print_config: bool,
}

impl Serve {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
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
    // Bound before the import, so that a port in use is reported before a long import and not after it.
    let listener = bind(&settings.listen, "--listen").await?;
    let metrics = match &settings.metrics_listen {
        Some(address) => Some(bind(address, "--metrics-listen").await?),
        None => None,
    };
    if settings.read_only && (settings.create || settings.import.is_some()) {
        return Err("--read-only writes nothing; leave out --create and --import".into());
    }
    let source = match &settings.import {
        Some(path) => {
            let options = ReadOptions { time_zone: settings.site_paths.time_zone.clone(), ..ReadOptions::default() };
            Some(import::read(path, None, options, settings.site_paths.clone()).await?)
        }
        None => None,
    };
    let missing = if source.is_some() || settings.create { Missing::Create } else { Missing::Refuse };
    let (content, assets) = match settings.read_only {
        true => app::open_read_only(&settings.store, &settings.assets).await?,
        false => (app::open(&settings.store, missing).await?, app::open_assets(&settings.assets, missing).await?),
    };
    let content = content.with_assets(assets.clone()).with_fields(settings.fields.clone());
    match settings.read_only {
        true => content.refresh_field_indexes().await?,
        false => content.prepare_field_indexes().await?,
    }
    if let Some(source) = source {
        import::import_into(&content, source, false).await?;
    }
    settings.sign_in.prepare().await;
    // The handlers are installed before the address is printed, because a program that reads the address may stop the server at once.
    let shutdown = stop_signal()?;
    let listeners = Listeners { public: listener, metrics };
    print_addresses(&listeners, settings.http.playground)?;
    let serving = Serving { assets, ..settings.into() };
    let stopped = app::serve(content, serving, listeners, shutdown).await;
    tracing.stop().await;
    if stopped.cut_off > 0 {
        return Err(format!("{} requests were cut off by the stop", stopped.cut_off).into());
    }
    writeln!(std::io::stdout(), "Stopped.")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the GraphQL address in the first line, because programs wait for that line.
fn print_addresses(listeners: &Listeners, has_playground: bool) -> std::io::Result<()> {
    let address = listeners.public.local_addr()?;
    let mut text = format!("Serving GraphQL at http://{address}/graphql\n");
    if has_playground {
        text.push_str(&format!("Playground at http://{address}/\n"));
    }
    if let Some(metrics) = &listeners.metrics {
        text.push_str(&format!("Serving metrics at http://{}/metrics\n", metrics.local_addr()?));
    }
    std::io::stdout().write_all(text.as_bytes())
}

async fn bind(address: &str, flag: &str) -> Result<TcpListener, CommandError> {
    let has_port = address.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if !has_port {
        return Err(format!(
            "{flag} {address:?} is not ADDRESS:PORT; write, for example, 127.0.0.1:8080, [::1]:8080 or 0.0.0.0:8080"
        )
        .into());
    }
    let bound = app::listen(address).await;
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
