//! The settings of `tidings serve`. The rule: all are read before anything is opened, so that a mistake is reported at once.

use std::path::PathBuf;

use crate::assets::AssetLibrary;
use crate::backup::BackupSchedule;
use crate::graphql::access::SignIn;
use crate::graphql::fair_use::FairUseSettings;
use crate::http::{HttpSettings, ServerLimits};
use crate::model::site::{SitePaths, SiteUrl};
use crate::model::{AllowedHosts, SiteFields};
use crate::telemetry::{Directives, LogFormat, TracesSettings};

use super::sources::Settings;
use super::{
    AssetSettings, ConfigError, StoreSetting, access, assets, backup, fair_use, limits, site, store, table, traces,
};

#[derive(Debug)]
pub struct ServeSettings {
    pub log: Directives,
    pub log_format: LogFormat,
    pub traces: Option<TracesSettings>,
    /// The address that serves metrics, if any.
    pub metrics_listen: Option<String>,
    pub store: StoreSetting,
    pub assets: AssetSettings,
    /// An address and a port.
    pub listen: String,
    /// The folder or file to import before serving.
    pub import: Option<PathBuf>,
    /// Where the site shows posts and pages, for the links of what is imported.
    pub site_paths: SitePaths,
    /// Whether a missing store is created.
    pub create: bool,
    /// The fields that the site declares.
    pub fields: SiteFields,
    pub serving: Serving,
}

/// How an open store is served.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The folder of a file store, the size of whose file is a metric.
    pub store_folder: Option<PathBuf>,
    /// The pictures and files, which the command opens; `None` if they have no place.
    pub assets: Option<AssetLibrary>,
    /// The address of this server, if it is known.
    pub public_url: Option<SiteUrl>,
    /// Whether nothing is written, so that there is nothing to recover.
    pub reads_only: bool,
    pub sign_in: SignIn,
    /// Whether every client may ask for the cost of an answer.
    pub reports_storage: bool,
    /// The highest cost of an operation in storage requests, and that of one without a token.
    pub storage_requests: (u64, u64),
    /// The limits of storage requests a second.
    pub fair_use: FairUseSettings,
    /// Bytes of rendered bodies that are cached.
    pub rendered_bytes_max: usize,
    /// Bytes of values that are cached.
    pub value_bytes_max: usize,
    pub searches: bool,
    /// Beyond the public Internet, where webhooks may be.
    pub webhooks_allow: AllowedHosts,
    /// For how many months the views of posts are kept; with 0, none are counted.
    pub views_months: u32,
    /// The backups that the server makes itself.
    pub backups: Option<BackupSchedule>,
    pub http: HttpSettings,
    pub server: ServerLimits,
}

impl ServeSettings {
    /// # Errors
    /// If a setting is invalid; the error names it and the accepted form.
    pub fn of(settings: &Settings<'_>) -> Result<Self, ConfigError> {
        let store = store(settings)?;
        let fields = site::site_fields(settings)?;
        Ok(Self {
            assets: assets(settings, &store)?,
            log: settings.need(&table::LOG)?,
            log_format: settings.need(&table::LOG_FORMAT)?,
            traces: traces::traces(settings)?,
            metrics_listen: settings.parse::<String>(&table::METRICS_LISTEN)?.map(|text| with_address(&text)),
            listen: with_address(&settings.need::<String>(&table::LISTEN)?),
            import: settings.parse(&table::IMPORT)?,
            site_paths: site::site_addresses(settings)?.paths,
            create: settings.is_on(&table::CREATE)?,
            serving: serving(settings, &store, &fields)?,
            store,
            fields,
        })
    }
}

fn serving(settings: &Settings<'_>, store: &StoreSetting, fields: &SiteFields) -> Result<Serving, ConfigError> {
    let sign_in = access::sign_in(settings)?;
    Ok(Serving {
        store_folder: match store {
            StoreSetting::File(folder) => Some(folder.clone()),
            StoreSetting::Azure(_) => None,
        },
        assets: None,
        public_url: settings.parse(&table::PUBLIC_URL)?,
        reads_only: settings.is_on(&table::READ_ONLY)?,
        sign_in: sign_in.clone(),
        reports_storage: settings.is_on(&table::REPORT_STORAGE)?,
        storage_requests: fair_use::storage_requests(settings)?,
        fair_use: fair_use::fair_use(settings)?,
        rendered_bytes_max: settings.count(&table::limits::RENDERED_BYTES)?,
        value_bytes_max: limits::value_cache_bytes(settings)?,
        searches: !settings.is_on(&table::NO_SEARCH)?,
        webhooks_allow: AllowedHosts(settings.list(&table::webhooks::ALLOW)?),
        views_months: settings.need(&table::views::MONTHS)?,
        backups: backup::backups(settings)?,
        http: HttpSettings {
            login: sign_in.oidc.filter(|provider| provider.has_login()),
            ..limits::http(settings, fields)?
        },
        server: limits::server(settings)?,
    })
}

/// The host of a port without an address: only this machine, so that nothing becomes public by an omission.
const LOOPBACK: &str = "127.0.0.1";

/// The text with an address, if it is only a port: `8080` or `:8080`. Any other text is as it is.
pub(super) fn with_address(text: &str) -> String {
    let port = text.strip_prefix(':').unwrap_or(text);
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if is_port { format!("{LOOPBACK}:{port}") } else { text.to_owned() }
}
