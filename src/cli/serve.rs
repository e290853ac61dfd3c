//! `tidings serve`: the server. The rule: it says where it listens once it does, and stops cleanly on SIGINT and SIGTERM.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::{Failure, StoreOptions, import};
use crate::app::{self, Access, Missing};
use crate::config::{AllowedOrigin, BATCH_MAX, HttpLimits, HttpSettings};

/// Serve the content as GraphQL, at /graphql.
#[derive(Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    store: StoreOptions,
    /// The address and port to listen at; port 0 takes a free one.
    #[arg(long, env = "TIDINGS_LISTEN", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    listen: String,
    /// Import this folder or file first.
    #[arg(long, env = "TIDINGS_IMPORT", value_name = "PATH")]
    import: Option<PathBuf>,
    /// Make an empty store where there is none.
    #[arg(long, env = "TIDINGS_CREATE")]
    create: bool,
    /// Tell whoever asks (`"extensions": {"storage": true}`), and not only editors, what an answer cost. The rows named there show
    /// that a draft is there.
    #[arg(long, env = "TIDINGS_TELL_STORAGE")]
    tell_storage: bool,
    /// Pages of these origins may ask from a browser, such as https://blog.example; * for all. By default none but the server's own.
    #[arg(long = "cors-origin", env = "TIDINGS_CORS_ORIGINS", value_delimiter = ',', value_name = "ORIGIN")]
    cors_origins: Vec<AllowedOrigin>,
    /// Take up to so many requests in one body, as an array; 0 takes none.
    #[arg(long, env = "TIDINGS_BATCH_MAX", default_value_t = 0, value_name = "REQUESTS", value_parser = batch_max)]
    batch_max: usize,
    /// Refuse to tell the schema: no introspection, no /schema.graphql, no names in errors that the client did not send.
    #[arg(long, env = "TIDINGS_NO_INTROSPECTION")]
    no_introspection: bool,
    /// Serve no playground at /.
    #[arg(long, env = "TIDINGS_NO_PLAYGROUND")]
    no_playground: bool,
}

impl Serve {
    pub async fn run(self) -> Result<ExitCode, Failure> {
        crate::telemetry::start(&crate::config::log_directives());
        // Bound before the import: a port that is taken should not be learnt of after a long one.
        let access = Access { sign_in: crate::config::sign_in()?, tells_storage: self.tell_storage };
        let http = self.http_settings();
        let listener = TcpListener::bind(&self.listen)
            .await
            .map_err(|e| format!("cannot listen at {}: {e}; choose another with --listen ADDRESS:PORT", self.listen))?;
        let source = match &self.import {
            Some(path) => Some(import::read(path, None).await?),
            None => None,
        };
        let missing = if source.is_some() || self.create { Missing::Make } else { Missing::Refuse };
        let content = app::open(&self.store.store, &self.store.table_prefix, missing).await?;
        if let Some(source) = source {
            import::import_into(&content, source).await?;
        }
        // Listened for before the address is told: who reads it may ask for the stop at once.
        let shutdown = stop_signal()?;
        tell_address(listener.local_addr()?, &http)?;
        let stopped = app::serve(content, access, http, listener, shutdown).await;
        if stopped.cut_off > 0 {
            return Err(format!("{} requests were cut off by the stop", stopped.cut_off).into());
        }
        writeln!(std::io::stdout(), "Stopped.")?;
        Ok(ExitCode::SUCCESS)
    }

    fn http_settings(&self) -> HttpSettings {
        let mut limits = HttpLimits::default();
        limits.query.introspection = !self.no_introspection;
        let cors = self.cors_origins.iter().cloned().collect();
        HttpSettings { cors, batch_max: self.batch_max, playground: !self.no_playground, limits }
    }
}

/// The address of GraphQL in the first line, for programs that wait for it.
fn tell_address(address: SocketAddr, http: &HttpSettings) -> std::io::Result<()> {
    let mut text = format!("Serving GraphQL at http://{address}/graphql\n");
    if http.playground {
        text.push_str(&format!("Playground at http://{address}/\n"));
    }
    std::io::stdout().write_all(text.as_bytes())
}

fn batch_max(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number <= BATCH_MAX);
    number.ok_or_else(|| format!("write a number from 0 to {BATCH_MAX}"))
}

fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
