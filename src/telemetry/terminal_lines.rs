//! Log lines for a person at a terminal: the time (UTC), the level, the event, and its fields. The rule: an event is one line, whatever its values have.

use std::fmt::{self, Debug};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes `19:04:11 INFO  http.request status=200 … method=POST path=/graphql request_id=…`: after the fields of the event, those of the innermost span.
pub(super) struct TerminalLine;

/// Writes the fields of a span, each after a space.
pub(super) struct TerminalFields;

/// Fields that a person seldom reads, so they are written after the others.
const IDS: [&str; 2] = ["request_id", "trace_id"];
/// The field with the text of an event.
const MESSAGE: &str = "message";
/// `hh:mm:ss` in a time as RFC 3339 writes it.
const TIME_OF_DAY: std::ops::Range<usize> = 11..19;

const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

impl<S> FormatEvent<S, TerminalFields> for TerminalLine
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, TerminalFields>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        // The metadata of an event of the crate `log` are in its fields.
        let of_log = event.normalized_metadata();
        let metadata = of_log.as_ref().unwrap_or_else(|| event.metadata());
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let is_coloured = line.has_ansi_escapes();
        let [dim, plain] = if is_coloured { [DIM, PLAIN] } else { [""; 2] };
        let colour = if is_coloured { colour_of(*metadata.level()) } else { "" };
        let time = time.get(TIME_OF_DAY).unwrap_or(&time);
        write!(line, "{dim}{time}{plain} {colour}{:5}{plain} ", metadata.level())?;
        if !metadata.target().starts_with(env!("CARGO_PKG_NAME")) {
            write!(line, "{dim}{}:{plain} ", metadata.target())?;
        }
        write_fields(&mut line, |name| name == MESSAGE, |fields| event.record(fields))?;
        write_fields(&mut line, |name| name != MESSAGE, |fields| event.record(fields))?;
        if let Some(span) = event.parent().and_then(|id| context.span(id)).or_else(|| context.lookup_current())
            && let Some(fields) = span.extensions().get::<FormattedFields<TerminalFields>>()
        {
            write!(line, "{fields}")?;
        }
        line.write_str("\n")
    }
}

fn colour_of(level: Level) -> &'static str {
    match level {
        Level::ERROR => "\u{1b}[31m",
        Level::WARN => "\u{1b}[33m",
        Level::INFO => "\u{1b}[32m",
        Level::DEBUG => "\u{1b}[34m",
        Level::TRACE => "\u{1b}[35m",
    }
}

impl<'writer> FormatFields<'writer> for TerminalFields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        write_fields(&mut writer, |name| !IDS.contains(&name), |visitor| fields.record(visitor))?;
        write_fields(&mut writer, |name| IDS.contains(&name), |visitor| fields.record(visitor))
    }
}

/// `record` gets a visitor that writes the fields with these names.
fn write_fields(
    line: &mut Writer<'_>,
    is_written: fn(&str) -> bool,
    record: impl FnOnce(&mut dyn Visit),
) -> fmt::Result {
    let mut fields = Fields { line, is_written, written: Ok(()) };
    record(&mut fields);
    fields.written
}

struct Fields<'l, 'w> {
    line: &'l mut Writer<'w>,
    is_written: fn(&str) -> bool,
    written: fmt::Result,
}

impl Fields<'_, '_> {
    fn try_write(&mut self, name: &str, text: &str) -> fmt::Result {
        if name == MESSAGE {
            return write_in_one_line(self.line, text);
        }
        let [dim, plain] = if self.line.has_ansi_escapes() { [DIM, PLAIN] } else { [""; 2] };
        write!(self.line, " {dim}{name}={plain}")?;
        match text.contains(char::is_whitespace) {
            true => write!(self.line, "{text:?}"),
            false => write_in_one_line(self.line, text),
        }
    }
}

/// Without control characters, which a terminal would obey.
fn write_in_one_line(line: &mut Writer<'_>, text: &str) -> fmt::Result {
    for character in text.chars() {
        match character.is_control() {
            true => write!(line, "{}", character.escape_default())?,
            false => line.write_char(character)?,
        }
    }
    Ok(())
}

impl Visit for Fields<'_, '_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let name = field.name();
        // The metadata of an event of the crate `log` already contains these.
        if self.written.is_ok() && (self.is_written)(name) && !name.starts_with("log.") {
            self.written = self.try_write(name.strip_prefix("r#").unwrap_or(name), value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.record_str(field, &super::with_causes(value));
    }
}
