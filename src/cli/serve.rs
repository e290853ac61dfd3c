//! `tidings serve`: the server. The rule: it prints its addresses once it listens, the one for a person last, and stops cleanly on SIGINT, SIGTERM and SIGHUP.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::flags::{Flags, OfServer, OfStore, without_flag};
use super::output::output;
use super::{CommandError, import};
use crate::app::{self, Listeners, Missing, Serving};
use crate::config::{self, ServeSettings, Sources, table};
use crate::import::ReadOptions;
use crate::ingest::ImportOptions;
use crate::telemetry;

/// Serve the content with a GraphQL API at /graphql.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE, &table::of_server()]))]
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
            output().write_all(config::print(&settings).as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        serve(found).await
    }
}

async fn serve(settings: ServeSettings) -> Result<ExitCode, CommandError> {
    let tracing = telemetry::start(&settings.log, settings.log_format, settings.traces.as_ref())?;
    // The port is bound before the import, so that a port in use is reported before a long import and not after it.
    let listener = bind(&settings.listen, "--listen").await?;
    let metrics = match &settings.metrics_listen {
        Some(address) => Some(bind(address, "--metrics-listen").await?),
        None => None,
    };
    if settings.serving.reads_only && (settings.create || settings.import.is_some()) {
        return Err("--read-only writes nothing; leave out --create and --import".into());
    }
    let source = match &settings.import {
        Some(path) => {
            let time_zone = settings.site_paths.time_zone.clone();
            let options = ReadOptions { time_zone, now: Some(app::now()), ..ReadOptions::default() };
            Some(import::read(path, None, options, settings.site_paths.clone()).await?)
        }
        None => None,
    };
    let missing = if source.is_some() || settings.create { Missing::Create } else { Missing::Refuse };
    let (content, assets) = match settings.serving.reads_only {
        true => app::open_read_only(&settings.store, &settings.assets).await?,
        false => {
            (app::open_to_serve(&settings.store, missing).await?, app::open_assets(&settings.assets, missing).await?)
        }
    };
    let content = content.with_assets(assets.clone()).with_fields(settings.fields.clone());
    match settings.serving.reads_only {
        true => content.refresh_field_indexes().await?,
        false => content.prepare_field_indexes().await?,
    }
    if let Some(source) = source {
        import::import_into(&content, source, ImportOptions::default(), None).await?;
    }
    settings.serving.sign_in.prepare().await;
    // The handlers are installed before the address is printed, because a program that reads the address may stop the server at once.
    let shutdown = stop_signal()?;
    let listeners = Listeners { public: listener, metrics };
    print_addresses(&listeners, settings.serving.http.editor, settings.serving.http.playground)?;
    let serving = Serving { assets, ..settings.serving };
    let stopped = app::serve(content, serving, listeners, shutdown).await;
    tracing.stop().await;
    if stopped.cut_off > 0 {
        return Err(format!("{} requests were cut off by the stop", stopped.cut_off).into());
    }
    writeln!(output(), "Stopped.")?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the GraphQL address in the first line, because programs wait for that line, and the address to open in the last one.
fn print_addresses(listeners: &Listeners, has_editor: bool, has_playground: bool) -> std::io::Result<()> {
    let address = listeners.public.local_addr()?;
    let mut text = format!("Serving GraphQL at http://{address}/graphql\n");
    if let Some(metrics) = &listeners.metrics {
        text.push_str(&format!("Serving metrics at http://{}/metrics\n", metrics.local_addr()?));
    }
    if has_editor {
        text.push_str(&format!("Write at http://{}/editor\n", opened(address)));
    }
    if has_playground {
        text.push_str(&format!("Open http://{}/ in a browser.\n", opened(address)));
    }
    output().write_all(text.as_bytes())
}

/// The address at which a browser on this machine reaches the server; for an unspecified address, that is the loopback address.
fn opened(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

async fn bind(address: &str, flag: &str) -> Result<TcpListener, CommandError> {
    let is_host = |host: &str| !host.contains('/') && (!host.contains(':') || host.starts_with('['));
    let is_address = address.rsplit_once(':').is_some_and(|(host, port)| is_host(host) && port.parse::<u16>().is_ok());
    if !is_address {
        return Err(format!(
            "{flag} {address:?} is not ADDRESS:PORT; write, for example, 8080, localhost:8080, [::1]:8080 or 0.0.0.0:8080; \
             a port is at most 65535"
        )
        .into());
    }
    let bound = TcpListener::bind(address).await;
    Ok(bound.map_err(|e| format!("cannot listen at {address}: {e}; choose another with {flag} ADDRESS:PORT"))?)
}

pub(super) fn stop_signal() -> Result<impl Future<Output = ()>, CommandError> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // SIGHUP is sent when the terminal or the session ends; `nohup` starts a process that ignores it.
    let mut hangup = if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
    Ok(async move {
        let hung_up = async {
            match &mut hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = hung_up => {}
        }
    })
}

/// Whether the process was started with SIGHUP ignored. Only Linux reports that (`man 5 proc_pid_status`, `SigIgn`).
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask & (1 << (SignalKind::hangup().as_raw_value() - 1)) != 0
}
