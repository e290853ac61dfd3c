//! The configuration file, in TOML. The rule: an unknown key and a value of the wrong form are refused with their line, so that no mistyped
//! setting is ignored.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::setting::{Form, Setting};
use super::sources::{FoundSetting, SettingSource};
use super::{ConfigError, table};

/// The similarity (Jaro-Winkler) from which an unknown key is taken for a mistyped known one.
const ALIKE_MIN: f64 = 0.8;

#[derive(Debug)]
pub(super) struct ConfigFile {
    path: PathBuf,
    values: Vec<(&'static str, FoundSetting)>,
}

impl ConfigFile {
    pub(super) fn read(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::new(format!("the configuration file {name} cannot be read: {error}")))?;
        let refused = |RefusedSetting { at, why }: RefusedSetting| {
            ConfigError::new(format!("{name}, line {}: {}", line_of(&text, at), why.trim_end().replace('\n', "; ")))
        };
        let values = values(&text).map_err(refused)?;
        Ok(Self { path: path.to_owned(), values })
    }

    pub(super) fn name(&self) -> Cow<'_, str> {
        self.path.to_string_lossy()
    }

    pub(super) fn find(&self, setting: &Setting) -> Option<FoundSetting> {
        self.values.iter().find(|(key, _)| *key == setting.key).map(|(_, found)| found.clone())
    }
}

/// A refused entry, with its byte offset in the text.
struct RefusedSetting {
    at: usize,
    why: String,
}

fn values(text: &str) -> Result<Vec<(&'static str, FoundSetting)>, RefusedSetting> {
    let root = DeTable::parse(text).map_err(|error| RefusedSetting {
        at: error.span().map_or(0, |span| span.start),
        why: format!("this is not TOML: {}", error.message()),
    })?;
    let mut values = Vec::new();
    for (name, value) in root.get_ref() {
        let at = name.span().start;
        let name = name.get_ref().as_ref();
        match value.get_ref() {
            DeValue::Table(section) if is_section(name) => {
                for (key, value) in section {
                    let key_at = key.span().start;
                    let found = setting(&format!("{name}.{}", key.get_ref()), key_at, value, text)?;
                    values.push(found);
                }
            }
            _ => values.push(setting(name, at, value, text)?),
        }
    }
    Ok(values)
}

fn is_section(name: &str) -> bool {
    table::all().iter().any(|setting| setting.section().0 == Some(name))
}

fn setting(
    key: &str,
    at: usize,
    value: &Spanned<DeValue<'_>>,
    text: &str,
) -> Result<(&'static str, FoundSetting), RefusedSetting> {
    let known = table::all().into_iter().find(|setting| setting.key == key);
    let setting = known.ok_or_else(|| RefusedSetting { at, why: unknown(key) })?;
    let texts = texts(setting, value.get_ref())
        .ok_or_else(|| RefusedSetting { at, why: format!("{key}: write {}", accepted(setting)) })?;
    Ok((setting.key, FoundSetting { texts, source: SettingSource::File(line_of(text, at)) }))
}

/// `None` if the value does not have the form of the setting.
fn texts(setting: &Setting, value: &DeValue<'_>) -> Option<Vec<String>> {
    let one = match (setting.form, value) {
        (Form::List(_), DeValue::Array(items)) => {
            return items.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect();
        }
        (Form::Items(_), DeValue::Array(_)) => serde_json::to_string(&of_texts(value)?).ok()?,
        (Form::Text(_) | Form::Secret(_), DeValue::String(text)) => text.to_string(),
        (Form::Switch, DeValue::Boolean(on)) => on.to_string(),
        (Form::Number { .. }, DeValue::Integer(number)) => whole(number)?,
        _ => return None,
    };
    Some(vec![one])
}

fn whole(number: &DeInteger<'_>) -> Option<String> {
    Some(i64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()?.to_string())
}

/// The same value with ordered keys. `None` if it contains anything except texts, arrays and tables.
fn of_texts(value: &DeValue<'_>) -> Option<toml::Value> {
    Some(match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Array(items) => {
            toml::Value::Array(items.iter().map(|item| of_texts(item.get_ref())).collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let entries =
                table.iter().map(|(key, value)| Some((key.get_ref().to_string(), of_texts(value.get_ref())?)));
            toml::Value::Table(entries.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

fn accepted(setting: &Setting) -> String {
    match setting.form {
        Form::Text(_) | Form::Secret(_) => format!("a text in quotes, {} = \"…\"", setting.section().1),
        Form::List(_) => format!("an array of texts, {} = [\"…\"]", setting.section().1),
        Form::Items(_) => format!("a table of texts for each item, [[{}]]", setting.key),
        Form::Switch => "true or false, without quotes".to_owned(),
        Form::Number { min, max } => format!("a whole number from {min} to {max}, without quotes"),
    }
}

/// Suggests the similar key, or else lists all keys.
fn unknown(key: &str) -> String {
    let all = table::all();
    let likeness = |other: &str| strsim::jaro_winkler(key, other);
    let nearest = all.iter().map(|setting| setting.key).max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|nearest| likeness(nearest) >= ALIKE_MIN) {
        Some(nearest) => format!("there is no setting {key}; did you mean {nearest}?"),
        None => {
            let keys: Vec<&str> = all.iter().map(|setting| setting.key).collect();
            format!("there is no setting {key}; the settings are {}", keys.join(", "))
        }
    }
}

/// The line of this byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}
