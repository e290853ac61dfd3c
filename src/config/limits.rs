//! The bounds that can be set. The rule: a bound's reason and its default stand with the ones who keep it; here it is only given another number.

use std::sync::LazyLock;
use std::time::Duration;

use crate::graphql::guard::Limits;
use crate::http::{HttpLimits, ServerLimits};

use super::sources::Settings;
use super::{ConfigError, table};

pub(super) static HTTP: LazyLock<HttpLimits> = LazyLock::new(HttpLimits::default);
pub(super) static SERVER: LazyLock<ServerLimits> = LazyLock::new(ServerLimits::default);
pub(super) static QUERY: LazyLock<Limits> = LazyLock::new(Limits::default);

pub(super) fn in_seconds(time: Duration) -> u64 {
    time.as_secs()
}

pub(super) fn http(settings: &Settings) -> Result<HttpLimits, ConfigError> {
    Ok(HttpLimits {
        body_bytes: settings.count(&table::LIMIT_BODY_BYTES)?,
        body_time: settings.seconds(&table::LIMIT_BODY_SECONDS)?,
        request_time: settings.seconds(&table::LIMIT_REQUEST_SECONDS)?,
        query: Limits {
            document_bytes: settings.count(&table::LIMIT_QUERY_BYTES)?,
            tokens: settings.count(&table::LIMIT_QUERY_TOKENS)?,
            directives: settings.count(&table::LIMIT_QUERY_DIRECTIVES)?,
            fields: settings.count(&table::LIMIT_QUERY_FIELDS)?,
            depth: settings.count(&table::LIMIT_QUERY_DEPTH)?,
            aliases: settings.count(&table::LIMIT_QUERY_ALIASES)?,
            root_fields: settings.count(&table::LIMIT_QUERY_ROOT_FIELDS)?,
            ..Limits::default()
        },
        ..HttpLimits::default()
    })
}

pub(super) fn server(settings: &Settings) -> Result<ServerLimits, ConfigError> {
    Ok(ServerLimits {
        connections: settings.count(&table::LIMIT_CONNECTIONS)?,
        head_time: settings.seconds(&table::LIMIT_IDLE_SECONDS)?,
        head_bytes: settings.count(&table::LIMIT_HEAD_BYTES)?,
        write_time: settings.seconds(&table::LIMIT_WRITE_SECONDS)?,
        stop_time: settings.seconds(&table::LIMIT_STOP_SECONDS)?,
    })
}
