//! Log lines: as JSON, in the form of the JSON formatter of `tracing-subscriber`, or for a person at a terminal. The rule: an event is one line, whatever
//! its values have. Each field is written once, when it is recorded; the line of an event copies the text of its span's fields. (That formatter
//! parses them again for each event, which takes an eighth of the time of an answer from memory.)

use std::fmt::{self, Debug, Write};
use std::io;

use serde::Serialize;
use tracing::field::{Field, Visit};
use tracing::span::Record;
use tracing::{Event, Level, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

#[derive(Debug, Clone, Copy)]
pub(super) enum Lines {
    /// `{"timestamp", "level", "fields", "target", "span"}`; `span` is the innermost one, and has its fields and its `name`.
    Json,
    /// `19:04:11 INFO  http.request status=200 … method=POST path=/graphql request_id=…`: the time (UTC), the level, the event, its fields, and those of
    /// the innermost span.
    Terminal,
}

/// Fields that a person seldom reads, so they are written after the others.
const IDS: [&str; 2] = ["request_id", "trace_id"];
/// The field with the text of an event.
const MESSAGE: &str = "message";
/// `hh:mm:ss` in a time as RFC 3339 writes it.
const TIME_OF_DAY: std::ops::Range<usize> = 11..19;

const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";

impl<S> FormatEvent<S, Self> for Lines
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(&self, context: &FmtContext<'_, S, Self>, mut line: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        // The metadata of an event of the crate `log` are in its fields.
        let of_log = event.normalized_metadata();
        let metadata = of_log.as_ref().unwrap_or_else(|| event.metadata());
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let span = event.parent().and_then(|id| context.span(id)).or_else(|| context.lookup_current());
        let extensions = span.as_ref().map(|span| span.extensions());
        let of_span = extensions.as_ref().and_then(|all| all.get::<FormattedFields<Self>>());
        let of_span = of_span.map_or("", |fields| fields.as_str());
        let level = metadata.level();
        match self {
            Self::Json => {
                write!(line, "{{\"timestamp\":\"{time}\",\"level\":\"{level}\",\"fields\":{{")?;
                self.write(&mut line, false, |_| true, |fields| event.record(fields))?;
                line.write_str("},\"target\":")?;
                write_json(&mut line, metadata.target())?;
                if let Some(span) = &span {
                    let comma = if of_span.is_empty() { "" } else { "," };
                    write!(line, ",\"span\":{{{of_span}{comma}\"name\":")?;
                    write_json(&mut line, span.name())?;
                    line.write_char('}')?;
                }
                line.write_str("}\n")
            }
            Self::Terminal => {
                let [dim, plain, colour] =
                    if line.has_ansi_escapes() { [DIM, PLAIN, colour_of(*level)] } else { [""; 3] };
                let time = time.get(TIME_OF_DAY).unwrap_or(&time);
                write!(line, "{dim}{time}{plain} {colour}{level:5}{plain} ")?;
                if !metadata.target().starts_with(env!("CARGO_PKG_NAME")) {
                    write!(line, "{dim}{}:{plain} ", metadata.target())?;
                }
                self.write(&mut line, false, |name| name == MESSAGE, |fields| event.record(fields))?;
                self.write(&mut line, true, |name| name != MESSAGE, |fields| event.record(fields))?;
                writeln!(line, "{of_span}")
            }
        }
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

impl<'writer> FormatFields<'writer> for Lines {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'writer>, fields: R) -> fmt::Result {
        self.write_all(&mut writer, false, fields)
    }

    fn add_fields(&self, current: &'writer mut FormattedFields<Self>, fields: &Record<'_>) -> fmt::Result {
        let has_fields = !current.is_empty();
        self.write_all(&mut current.as_writer(), has_fields, fields)
    }
}

impl Lines {
    fn write_all(self, line: &mut Writer<'_>, has_fields: bool, fields: impl RecordFields) -> fmt::Result {
        match self {
            Self::Json => self.write(line, has_fields, |_| true, |visitor| fields.record(visitor)),
            Self::Terminal => {
                self.write(line, has_fields, |name| !IDS.contains(&name), |visitor| fields.record(visitor))?;
                self.write(line, true, |name| IDS.contains(&name), |visitor| fields.record(visitor))
            }
        }
    }

    /// `record` gets a visitor that writes the fields with these names. `has_fields`: whether other fields precede them.
    fn write(
        self,
        line: &mut Writer<'_>,
        has_fields: bool,
        is_written: fn(&str) -> bool,
        record: impl FnOnce(&mut dyn Visit),
    ) -> fmt::Result {
        let mut fields = Fields { form: self, line, has_fields, is_written, written: Ok(()) };
        record(&mut fields);
        fields.written
    }
}

struct Fields<'l, 'w> {
    form: Lines,
    line: &'l mut Writer<'w>,
    has_fields: bool,
    is_written: fn(&str) -> bool,
    written: fmt::Result,
}

impl Fields<'_, '_> {
    /// `text`: the value as a terminal shows it.
    fn write(&mut self, field: &Field, value: impl Serialize, text: impl FnOnce() -> String) {
        let name = field.name();
        // The metadata of an event of the crate `log` already contains these.
        if self.written.is_err() || name.starts_with("log.") || !(self.is_written)(name) {
            return;
        }
        let name = name.strip_prefix("r#").unwrap_or(name);
        self.written = match self.form {
            Lines::Json => self.write_member(name, value),
            Lines::Terminal => self.write_text(name, &text()),
        };
    }

    fn write_member(&mut self, name: &str, value: impl Serialize) -> fmt::Result {
        if std::mem::replace(&mut self.has_fields, true) {
            self.line.write_char(',')?;
        }
        write_json(self.line, name)?;
        self.line.write_char(':')?;
        write_json(self.line, value)
    }

    fn write_text(&mut self, name: &str, text: &str) -> fmt::Result {
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
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.write(field, value, || format!("{value:?}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write(field, value, || value.to_string());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write(field, value, || value.to_string());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write(field, value, || value.to_string());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.write(field, value, || value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.write(field, format_args!("{value:?}"), || format!("{value:?}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.write(field, format_args!("{value}"), || super::with_causes(value));
    }
}

fn write_json(text: &mut dyn Write, value: impl Serialize) -> fmt::Result {
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
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Written {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    impl Written {
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
        let [ours, theirs] = [Written::default(), Written::default()];
        let layer = fmt::layer().fmt_fields(Lines::Json).event_format(Lines::Json).with_writer(ours.clone());
        tracing::subscriber::with_default(Registry::default().with(layer), log_something);
        let layer = fmt::layer().json().with_span_list(false).with_writer(theirs.clone());
        tracing::subscriber::with_default(Registry::default().with(layer), log_something);
        assert_eq!(ours.read(), theirs.read());
        assert_eq!(ours.read()[1]["span"], json!({ "name": "inner", "type": "x/\\" }));
        assert_eq!(ours.read()[2]["span"]["later"], json!(7));
    }
}
