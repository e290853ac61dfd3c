//! The settings of `http`. The rule: a limit's default and its reason are defined in the module that enforces it; this file only reads the settings.

use std::sync::LazyLock;
use std::time::Duration;

use crate::graphql::guard::Limits;
use crate::http::cors::AllowedOrigin;
use crate::http::{HttpLimits, HttpSettings, ServerLimits};

use super::ConfigError;
use super::sources::Settings;
use super::table::{self, limits as bounds};

pub(super) static HTTP: LazyLock<HttpLimits> = LazyLock::new(HttpLimits::default);
pub(super) static SERVER: LazyLock<ServerLimits> = LazyLock::new(ServerLimits::default);
pub(super) static QUERY: LazyLock<Limits> = LazyLock::new(Limits::default);

pub(super) fn in_seconds(time: Duration) -> u64 {
    time.as_secs()
}

pub(super) fn http(settings: &Settings<'_>) -> Result<HttpSettings, ConfigError> {
    let origins: Vec<AllowedOrigin> = settings.list(&table::CORS_ORIGINS)?;
    let batch_max = settings.count(&table::BATCH_MAX)?;
    let playground = !settings.is_on(&table::NO_PLAYGROUND)?;
    let reports_timing = settings.is_on(&table::REPORT_STORAGE)?;
    let cors = origins.into_iter().collect();
    let client_address_header = settings.parse(&table::CLIENT_ADDRESS_HEADER)?;
    Ok(HttpSettings { cors, batch_max, playground, reports_timing, client_address_header, limits: limits(settings)? })
}

fn limits(settings: &Settings<'_>) -> Result<HttpLimits, ConfigError> {
    Ok(HttpLimits {
        body_bytes: settings.count(&bounds::BODY_BYTES)?,
        received_bytes: settings.count(&bounds::RECEIVED_BYTES)?,
        body_time: settings.seconds(&bounds::BODY_SECONDS)?,
        uri_bytes: settings.count(&bounds::URI_BYTES)?,
        running: settings.count(&bounds::RUNNING)?,
        client_requests: settings.count(&bounds::CLIENT_REQUESTS)?,
        request_time: settings.seconds(&bounds::REQUEST_SECONDS)?,
        held_bytes: settings.count(&bounds::HELD_BYTES)?,
        query: Limits {
            document_bytes: settings.count(&bounds::QUERY_BYTES)?,
            tokens: settings.count(&bounds::QUERY_TOKENS)?,
            directives: settings.count(&bounds::QUERY_DIRECTIVES)?,
            fields: settings.count(&bounds::QUERY_FIELDS)?,
            depth: settings.count(&bounds::QUERY_DEPTH)?,
            aliases: settings.count(&bounds::QUERY_ALIASES)?,
            introspection: !settings.is_on(&table::NO_INTROSPECTION)?,
            root_fields: settings.count(&bounds::QUERY_ROOT_FIELDS)?,
            ..Limits::default()
        },
        ..HttpLimits::default()
    })
}

pub(super) fn server(settings: &Settings<'_>) -> Result<ServerLimits, ConfigError> {
    Ok(ServerLimits {
        connections: settings.count(&bounds::CONNECTIONS)?,
        address_connections: settings.count(&bounds::ADDRESS_CONNECTIONS)?,
        idle_time: settings.seconds(&bounds::IDLE_SECONDS)?,
        head_time: settings.seconds(&bounds::HEAD_SECONDS)?,
        answer_bytes: settings.number(&bounds::ANSWER_BYTES)?,
        connection_answer_bytes: settings.number(&bounds::CONNECTION_ANSWER_BYTES)?,
        head_bytes: settings.count(&bounds::HEAD_BYTES)?,
        answer_time: settings.seconds(&bounds::ANSWER_SECONDS)?,
        write_time: settings.seconds(&bounds::WRITE_SECONDS)?,
        stop_time: settings.seconds(&bounds::STOP_SECONDS)?,
    })
}
