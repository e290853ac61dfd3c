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
    pub metrics_listen: Option<String>,
    pub store: StoreSetting,
    pub assets: AssetSettings,
    /// The address and port of the server.
    pub listen: String,
    /// The folder or file to import before serving.
    pub import: Option<PathBuf>,
    /// The paths of posts and pages on the site, for links in imported bodies.
    pub site_paths: SitePaths,
    /// Whether a missing store is created.
    pub create: bool,
    pub fields: SiteFields,
    pub serving: Serving,
}

#[derive(Debug, Clone)]
pub struct Serving {
    /// The folder of a file store, for the metric of the file's size.
    pub store_folder: Option<PathBuf>,
    /// The pictures and files, which the command opens; `None` without storage for them.
    pub assets: Option<AssetLibrary>,
    /// The public address of this server, if it is known.
    pub public_url: Option<SiteUrl>,
    /// Whether nothing is written, so that nothing needs recovery.
    pub reads_only: bool,
    pub sign_in: SignIn,
    /// Whether every client may request the cost of an answer.
    pub reports_storage: bool,
    /// The maximum cost of an operation in storage requests, and of one without a token.
    pub storage_requests: (u64, u64),
    pub fair_use: FairUseSettings,
    /// Bytes of rendered bodies that are cached.
    pub rendered_bytes_max: usize,
    /// The size of the cache of values.
    pub value_bytes_max: usize,
    pub searches: bool,
    /// The hosts of webhooks that are allowed in addition to the public Internet.
    pub webhooks_allow: AllowedHosts,
    /// For how many months the views of posts are kept; 0 turns counting off.
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

/// The default host if only a port is set: the loopback address, so that nothing becomes public by an omission.
const LOOPBACK: &str = "127.0.0.1";

/// The text with an address, if it is only a port: `8080` or `:8080`. Any other text is unchanged.
pub(super) fn with_address(text: &str) -> String {
    let port = text.strip_prefix(':').unwrap_or(text);
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if is_port { format!("{LOOPBACK}:{port}") } else { text.to_owned() }
}
