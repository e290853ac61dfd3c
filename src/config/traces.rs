//! The settings of traces. The rule: the environment variables are those of the OpenTelemetry specification.

use percent_encoding::percent_decode_str;

use crate::telemetry::TracesSettings;

use super::sources::Settings;
use super::{ConfigError, table};

/// `None` if no endpoint is set.
pub(super) fn traces(settings: &Settings<'_>) -> Result<Option<TracesSettings>, ConfigError> {
    let headers = headers(settings)?;
    let ratio: f64 = settings.need(&table::TRACES_SAMPLER_RATIO)?;
    if !(0.0..=1.0).contains(&ratio) {
        return Err(settings.error_of(&table::TRACES_SAMPLER_RATIO, format!("{ratio} is not between 0 and 1")));
    }
    let Some(endpoint) = settings.text(&table::TRACES_ENDPOINT) else { return Ok(None) };
    if !["http://", "https://"].iter().any(|scheme| endpoint.starts_with(scheme)) {
        // The address may contain a password, so the error does not repeat it.
        let why = "this is not an http address; write one such as http://127.0.0.1:4318";
        return Err(settings.error_of(&table::TRACES_ENDPOINT, why));
    }
    let service_name = settings.need(&table::TRACES_SERVICE_NAME)?;
    Ok(Some(TracesSettings { endpoint, headers, service_name, ratio }))
}

/// `name=value,name=value`, the values percent-encoded ("OpenTelemetry Protocol Exporter", section "Specifying headers via environment variables").
fn headers(settings: &Settings<'_>) -> Result<Vec<(String, String)>, ConfigError> {
    let text = settings.secret(&table::TRACES_HEADERS, &table::TRACES_HEADERS_FILE)?.unwrap_or_default();
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    let header = |item: &str| {
        let (name, value) = item.split_once('=')?;
        let value = percent_decode_str(value.trim()).decode_utf8().ok()?;
        Some((name.trim().to_owned(), value.into_owned()))
    };
    items.map(header).collect::<Option<_>>().ok_or_else(|| {
        settings
            .error_of(&table::TRACES_HEADERS, "this is not a list of headers; write name=value, separated by commas")
    })
}
