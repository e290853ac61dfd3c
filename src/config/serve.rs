//! What `tidings serve` runs by. The rule: every setting of the server is read here before anything is opened, so that a mistake costs no wait.

use std::path::PathBuf;

use crate::graphql::access::SignIn;
use crate::http::{HttpSettings, ServerLimits};
use crate::telemetry::{Directives, LogFormat, TracesSettings};

use super::sources::Settings;
use super::{ConfigError, StoreSetting, access, limits, store, table, traces};

/// The server's settings, each as what it means.
#[derive(Debug)]
pub struct ServeSettings {
    pub log: Directives,
    pub log_format: LogFormat,
    pub traces: Option<TracesSettings>,
    /// Where metrics are told, if anywhere.
    pub metrics_listen: Option<String>,
    pub store: StoreSetting,
    /// An address and a port.
    pub listen: String,
    /// What to import first.
    pub import: Option<PathBuf>,
    /// Whether a store that is missing is made.
    pub create: bool,
    pub sign_in: SignIn,
    /// Whether anyone may ask what an answer cost.
    pub reports_storage: bool,
    /// What a query may cost at the most.
    pub storage_requests_max: u64,
    /// Bytes of rendered bodies that are kept.
    pub rendered_bytes_max: usize,
    pub http: HttpSettings,
    pub server: ServerLimits,
}

impl ServeSettings {
    /// # Errors
    /// Where a setting is not what it should be: named, with the accepted form.
    pub fn of(settings: &Settings<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            log: settings.need(&table::LOG)?,
            log_format: settings.need(&table::LOG_FORMAT)?,
            traces: traces::traces(settings)?,
            metrics_listen: settings.parse(&table::METRICS_LISTEN)?,
            store: store(settings)?,
            listen: settings.need(&table::LISTEN)?,
            import: settings.parse(&table::IMPORT)?,
            create: settings.is_on(&table::CREATE)?,
            sign_in: access::sign_in(settings)?,
            reports_storage: settings.is_on(&table::REPORT_STORAGE)?,
            storage_requests_max: settings.number(&table::limits::STORAGE_REQUESTS)?,
            rendered_bytes_max: settings.count(&table::limits::RENDERED_BYTES)?,
            http: limits::http(settings)?,
            server: limits::server(settings)?,
        })
    }
}
