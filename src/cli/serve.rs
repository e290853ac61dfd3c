//! `tidings serve`: the server. The rule: it says where it listens once it does, and stops cleanly on SIGINT and SIGTERM.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use super::{Failure, StoreOptions, import};
use crate::app::{self, Missing};

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
}

impl Serve {
    pub async fn run(self) -> Result<ExitCode, Failure> {
        crate::telemetry::start(&crate::config::log_directives());
        // Bound before the import: a port that is taken should not be learnt of after a long one.
        let editor_token = crate::config::editor_token()?;
        let listener = TcpListener::bind(&self.listen)
            .await
            .map_err(|e| format!("cannot listen at {}: {e}; choose another with --listen ADDRESS:PORT", self.listen))?;
        let missing = if self.import.is_some() { Missing::Make } else { Missing::Refuse };
        let content = app::open(&self.store.store, &self.store.table_prefix, missing).await?;
        if let Some(path) = &self.import {
            import::import_into(&content, path, None, false).await?;
        }
        let address = listener.local_addr()?;
        println!("Serving GraphQL at http://{address}/graphql");
        let stopped = app::serve(content, editor_token, listener, stop_signal()?).await;
        if stopped.cut_off > 0 {
            return Err(format!("{} requests were cut off by the stop", stopped.cut_off).into());
        }
        println!("Stopped.");
        Ok(ExitCode::SUCCESS)
    }
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
