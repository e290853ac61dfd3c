//! Log lines as JSON, in the form of the JSON formatter of `tracing-subscriber`. The rule: each field is written once,
//! when it is recorded; the line of an event copies the text of its span's fields. (That formatter parses them again
//! for each event, which takes an eighth of the time of an answer from memory.)

use std::fmt::{self, Debug, Write};
use std::io;

use tracing::field::{Field, Visit};
use tracing::span::Record;
use tracing::{Event, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes `{"timestamp", "level", "fields", "target", "span"}`; `span` is the innermost one, and has its `name` and its fields.
pub(super) struct JsonLine;

/// Writes the fields of a span as members of an object, without its braces.
pub(super) struct JsonMembers;

impl<S> FormatEvent<S, JsonMembers> for JsonLine
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonMembers>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        // The metadata of an event of the crate `log` are in its fields.
        let of_log = event.normalized_metadata();
        let metadata = of_log.as_ref().unwrap_or_else(|| event.metadata());
        line.write_str("{\"timestamp\":\"")?;
        SystemTime.format_time(&mut line)?;
        write!(line, "\",\"level\":\"{}\",\"fields\":{{", metadata.level())?;
        write_members(&mut line, false, |members| event.record(members))?;
        line.write_str("},\"target\":")?;
        write_json(&mut line, metadata.target())?;
        if let Some(span) = event.parent().and_then(|id| context.span(id)).or_else(|| context.lookup_current()) {
            line.write_str(",\"span\":{")?;
            if let Some(fields) = span.extensions().get::<FormattedFields<JsonMembers>>()
                && !fields.is_empty()
            {
                write!(line, "{fields},")?;
            }
            line.write_str("\"name\":")?;
            write_json(&mut line, span.name())?;
            line.write_char('}')?;
        }
        line.write_str("}\n")
    }
}

impl<'writer> FormatFields<'writer> for JsonMembers {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        write_members(&mut writer, false, |members| fields.record(members))
    }

    fn add_fields(&self, current: &'writer mut FormattedFields<Self>, fields: &Record<'_>) -> fmt::Result {
        let has_members = !current.is_empty();
        write_members(&mut current.as_writer(), has_members, |members| fields.record(members))
    }
}

/// `record` gets a visitor that writes each field as a member. `has_members`: whether other members precede them.
fn write_members(text: &mut dyn Write, has_members: bool, record: impl FnOnce(&mut dyn Visit)) -> fmt::Result {
    let mut members = Members { text, has_members, written: Ok(()) };
    record(&mut members);
    members.written
}

struct Members<'t> {
    text: &'t mut dyn Write,
    has_members: bool,
    written: fmt::Result,
}

impl Members<'_> {
    fn write(&mut self, field: &Field, value: impl serde::Serialize) {
        let name = field.name();
        // The metadata of an event of the crate `log` already contains these.
        if self.written.is_err() || name.starts_with("log.") {
            return;
        }
        self.written = self.try_write(name.strip_prefix("r#").unwrap_or(name), value);
    }

    fn try_write(&mut self, name: &str, value: impl serde::Serialize) -> fmt::Result {
        if std::mem::replace(&mut self.has_members, true) {
            self.text.write_char(',')?;
        }
        write_json(self.text, name)?;
        self.text.write_char(':')?;
        write_json(self.text, value)
    }
}

impl Visit for Members<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.write(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, format_args!("{value:?}"));
    }
}

fn write_json(text: &mut dyn Write, value: impl serde::Serialize) -> fmt::Result {
    serde_json::to_writer(Utf8Writer(text), &value).map_err(|_| fmt::Error)
}

/// `serde_json` writes bytes, each time whole characters.
struct Utf8Writer<'t>(&'t mut dyn Write);

impl io::Write for Utf8Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))?;
        self.0.write_str(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};
    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::{Registry, fmt};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Lines {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    impl Lines {
        fn read(&self) -> Vec<Value> {
            let text = String::from_utf8(self.0.lock().expect("no panic").clone()).expect("UTF-8");
            let line = |line: &str| {
                let mut line: Value = serde_json::from_str(line).expect("JSON");
                line.as_object_mut().expect("an object").remove("timestamp").expect("a timestamp");
                line
            };
            text.lines().map(line).collect()
        }
    }

    /// Lines with every kind of field, in no span, in one, and in one that gets a field later.
    fn log_something() {
        tracing::info!(target: "a::b", "a \"quoted\"\nline \u{1} ü");
        let outer = tracing::info_span!("outer", not_in_the_line = 1);
        let _outer = outer.enter();
        let inner = tracing::info_span!("inner", r#type = "x/\\", later = tracing::field::Empty);
        let cause = io::Error::other("refused");
        tracing::warn!(parent: &inner, error = &cause as &dyn std::error::Error, "failed");
        inner.record("later", 7_u64);
        let _inner = inner.enter();
        let absent: Option<u64> = None;
        tracing::error!(number = -1, float = 1.5, yes = true, debug = ?["a", "b"], display = %inner.is_none(), absent);
        let empty = tracing::info_span!("empty");
        empty.in_scope(|| tracing::info!(nan = f64::NAN, count = u64::MAX));
    }

    #[test]
    fn the_lines_are_those_of_the_formatter_of_tracing_subscriber() {
        let [ours, theirs] = [Lines::default(), Lines::default()];
        let layer = fmt::layer().fmt_fields(JsonMembers).event_format(JsonLine).with_writer(ours.clone());
        tracing::subscriber::with_default(Registry::default().with(layer), log_something);
        let layer = fmt::layer().json().with_span_list(false).with_writer(theirs.clone());
        tracing::subscriber::with_default(Registry::default().with(layer), log_something);
        assert_eq!(ours.read(), theirs.read());
        assert_eq!(ours.read()[1]["span"], json!({ "name": "inner", "type": "x/\\" }));
        assert_eq!(ours.read()[2]["span"]["later"], json!(7));
    }
}
