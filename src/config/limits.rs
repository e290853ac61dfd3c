//! The settings of `http`. The rule: a limit's default and its reason are defined in the module that enforces it; this file only reads the settings.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::graphql::guard::Limits;
use crate::graphql::persisted::{BYTES_MIN as PERSISTED_BYTES_MIN, TrustedDocuments};
use crate::http::cors::{AllowedOrigin, AllowedOrigins};
use crate::http::{HttpLimits, HttpSettings, ServerLimits};
use crate::model::SiteFields;

use super::ConfigError;
use super::cdn;
use super::memory;
use super::setting::Setting;
use super::site;
use super::sources::Settings;
use super::table::{self, limits as bounds};

pub(super) static HTTP: LazyLock<HttpLimits> = LazyLock::new(HttpLimits::default);
pub(super) static SERVER: LazyLock<ServerLimits> = LazyLock::new(ServerLimits::default);
pub(super) static QUERY: LazyLock<Limits> = LazyLock::new(Limits::default);

pub(super) fn in_seconds(time: Duration) -> u64 {
    time.as_secs()
}

/// `fields`: the declared fields of the site.
pub(super) fn http(settings: &Settings<'_>, fields: &SiteFields) -> Result<HttpSettings, ConfigError> {
    let origins: Vec<AllowedOrigin> = settings.list(&table::CORS_ORIGINS)?;
    let limits = limits(settings)?;
    let (trusted, trusted_only) = trusted(settings, &limits.query, fields)?;
    Ok(HttpSettings {
        cors: origins.into_iter().collect::<AllowedOrigins>().with_headers(settings.list(&table::CORS_HEADERS)?),
        batch_max: settings.count(&table::BATCH_MAX)?,
        // If only trusted documents run, those of the playground would be refused.
        playground: !settings.is_on(&table::NO_PLAYGROUND)? && !trusted_only,
        editor: !settings.is_on(&table::NO_EDITOR)? && !trusted_only,
        mcp: !settings.is_on(&table::NO_MCP)?,
        reads_only: settings.is_on(&table::READ_ONLY)?,
        public_url: settings.parse(&table::PUBLIC_URL)?,
        // The caller sets it, because it is shared with the other sign-in methods.
        login: None,
        client_address_header: settings.parse(&table::CLIENT_ADDRESS_HEADER)?,
        trusted: Arc::new(trusted),
        trusted_only,
        site: Arc::new(site::site(settings)?),
        feeds: site::feeds(settings)?,
        // The caller sets it, because the folder is next to the store.
        assets: None,
        views: None,
        cdn: cdn::cdn(settings)?.map(Arc::new),
        limits,
    })
}

/// The documents of the manifests, and whether only these may run.
fn trusted(
    settings: &Settings<'_>,
    limits: &Limits,
    fields: &SiteFields,
) -> Result<(TrustedDocuments, bool), ConfigError> {
    let manifests: Vec<PathBuf> = settings.list(&table::MANIFESTS)?;
    let trusted_only = settings.is_on(&table::MANIFESTS_ONLY)?;
    if trusted_only && manifests.is_empty() {
        let why = format!(
            "there is no manifest, so no document could run; name one with {}",
            settings.name_of(&table::MANIFESTS)
        );
        return Err(settings.error_of(&table::MANIFESTS_ONLY, why));
    }
    let trusted = TrustedDocuments::read(&manifests, limits, fields);
    Ok((trusted.map_err(|fault| settings.error_of(&table::MANIFESTS, fault))?, trusted_only))
}

fn limits(settings: &Settings<'_>) -> Result<HttpLimits, ConfigError> {
    Ok(HttpLimits {
        body_bytes: settings.count(&bounds::BODY_BYTES)?,
        body_time: settings.seconds(&bounds::BODY_SECONDS)?,
        uri_bytes: settings.count(&bounds::URI_BYTES)?,
        running: settings.count(&bounds::RUNNING)?,
        client_requests: settings.count(&bounds::CLIENT_REQUESTS)?,
        request_time: settings.seconds(&bounds::REQUEST_SECONDS)?,
        answer_cache_bytes: of_memory(settings, &bounds::ANSWER_CACHE_BYTES, memory::answer_cache_bytes)?,
        persisted_bytes: persisted_bytes(settings)?,
        query: query(settings)?,
    })
}

pub(super) fn value_cache_bytes(settings: &Settings<'_>) -> Result<usize, ConfigError> {
    of_memory(settings, &bounds::VALUE_CACHE_BYTES, memory::value_cache_bytes)
}

fn of_memory(settings: &Settings<'_>, setting: &Setting, default: fn() -> u64) -> Result<usize, ConfigError> {
    Ok(usize::try_from(settings.find_number(setting)?.unwrap_or_else(default)).unwrap_or(usize::MAX))
}

/// The limits of a document.
pub(super) fn query(settings: &Settings<'_>) -> Result<Limits, ConfigError> {
    Ok(Limits {
        document_bytes: settings.count(&bounds::QUERY_BYTES)?,
        tokens: settings.count(&bounds::QUERY_TOKENS)?,
        directives: settings.count(&bounds::QUERY_DIRECTIVES)?,
        fields: settings.count(&bounds::QUERY_FIELDS)?,
        depth: settings.count(&bounds::QUERY_DEPTH)?,
        aliases: settings.count(&bounds::QUERY_ALIASES)?,
        introspection: !settings.is_on(&table::NO_INTROSPECTION)?,
        root_fields: settings.count(&bounds::QUERY_ROOT_FIELDS)?,
        ..Limits::default()
    })
}

/// A cache for only a few documents is refused, because clients would have to send nearly every text.
fn persisted_bytes(settings: &Settings<'_>) -> Result<usize, ConfigError> {
    let bytes = settings.count(&bounds::PERSISTED_BYTES)?;
    if (1..PERSISTED_BYTES_MIN).contains(&bytes) {
        let why = format!("{bytes} is too little: write 0, or at least {PERSISTED_BYTES_MIN}");
        return Err(settings.error_of(&bounds::PERSISTED_BYTES, why));
    }
    Ok(bytes)
}

pub(super) fn server(settings: &Settings<'_>) -> Result<ServerLimits, ConfigError> {
    let (answer_bytes, body_bytes) = (settings.number(&bounds::ANSWER_BYTES)?, settings.number(&bounds::BODY_BYTES)?);
    if answer_bytes < body_bytes {
        let why = format!("{answer_bytes} is too little for a body of limits.body_bytes ({body_bytes})");
        return Err(settings.error_of(&bounds::ANSWER_BYTES, why));
    }
    Ok(ServerLimits {
        connections: settings.count(&bounds::CONNECTIONS)?,
        address_connections: settings.count(&bounds::ADDRESS_CONNECTIONS)?,
        idle_time: settings.seconds(&bounds::IDLE_SECONDS)?,
        answer_bytes,
        head_bytes: settings.count(&bounds::HEAD_BYTES)?,
        answer_time: settings.seconds(&bounds::ANSWER_SECONDS)?,
        write_time: settings.seconds(&bounds::WRITE_SECONDS)?,
        stop_time: settings.seconds(&bounds::STOP_SECONDS)?,
    })
}
