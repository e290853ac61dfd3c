//! Finds the value of a setting. The rule: the flag has precedence, then the environment, the file and the default; and each value keeps its source, so that an
//! error can name it.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use super::file::ConfigFile;
use super::setting::{Form, Setting, Switch};
use super::{ConfigError, sample, table, variable};

/// The variable that names the configuration file, if the flag `--config` does not.
pub const CONFIG_VARIABLE: &str = "TIDINGS_CONFIG";

/// The settings that were given as flags, with their texts.
pub type Typed = Vec<(&'static Setting, Vec<String>)>;

/// The source of a value; a later variant overrides an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingSource {
    Default,
    /// The line of the key.
    File(usize),
    Environment,
    Flag,
}

/// The value of one setting. A list has a text for each item; every other form has one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundSetting {
    pub texts: Vec<String>,
    pub source: SettingSource,
}

/// The values from the file and the environment, without flags.
#[derive(Debug, Default)]
pub struct Sources {
    file: Option<ConfigFile>,
}

impl Sources {
    /// `path`: the file that `--config` names. If `None`, the variable may name a file.
    ///
    /// # Errors
    /// If the file cannot be read or parsed, or has a key that is not a setting.
    pub fn read(path: Option<&Path>) -> Result<Self, ConfigError> {
        let named = path.map(Path::to_owned).or_else(|| variable(CONFIG_VARIABLE).map(PathBuf::from));
        Ok(Self { file: named.map(|path| ConfigFile::read(&path)).transpose()? })
    }

    /// Adds the flags, which override both.
    pub fn with(&self, typed: Typed) -> Settings<'_> {
        Settings { sources: self, typed }
    }
}

/// The values of all settings.
pub struct Settings<'s> {
    sources: &'s Sources,
    typed: Typed,
}

impl Settings<'_> {
    /// `None` if it is not set and has no default.
    pub fn find(&self, setting: &Setting) -> Option<FoundSetting> {
        self.typed(setting)
            .or_else(|| variable(&setting.variable()).map(|text| found(setting, &text, SettingSource::Environment)))
            .or_else(|| self.sources.file.as_ref()?.find(setting))
            .or_else(|| self.default(setting))
    }

    fn default(&self, setting: &Setting) -> Option<FoundSetting> {
        let shows_cost = setting.key == table::REPORT_STORAGE.key && sample::is_served_locally(self);
        let text = if shows_cost { "true".to_owned() } else { setting.default.text()? };
        Some(found(setting, &text, SettingSource::Default))
    }

    fn typed(&self, setting: &Setting) -> Option<FoundSetting> {
        let (_, texts) = self.typed.iter().find(|(typed, _)| typed.key == setting.key)?;
        Some(FoundSetting { texts: texts.clone(), source: SettingSource::Flag })
    }

    pub fn text(&self, setting: &Setting) -> Option<String> {
        self.find(setting)?.texts.pop()
    }

    /// The items of a list, parsed.
    ///
    /// # Errors
    /// If an item is invalid; the error names the setting and its source.
    pub fn list<T: FromStr<Err: Display>>(&self, setting: &Setting) -> Result<Vec<T>, ConfigError> {
        let Some(FoundSetting { texts, source }) = self.find(setting) else { return Ok(Vec::new()) };
        texts.iter().map(|text| text.parse().map_err(|error| self.error(setting, source, error))).collect()
    }

    /// # Errors
    /// If the text is invalid; the error names the setting and its source.
    pub fn parse<T: FromStr<Err: Display>>(&self, setting: &Setting) -> Result<Option<T>, ConfigError> {
        Ok(self.list(setting)?.pop())
    }

    /// Like [`parse`](Self::parse), for a setting that has a default.
    pub fn need<T: FromStr<Err: Display>>(&self, setting: &Setting) -> Result<T, ConfigError> {
        Ok(self.parse(setting)?.expect("the setting has a default"))
    }

    pub fn is_on(&self, setting: &Setting) -> Result<bool, ConfigError> {
        self.need::<Switch>(setting).map(|switch| switch.0)
    }

    /// `None` if it is not set and has no default.
    pub fn find_number(&self, setting: &Setting) -> Result<Option<u64>, ConfigError> {
        let Form::Number { min, max } = setting.form else { unreachable!("{} is not a number", setting.key) };
        let Some(FoundSetting { texts, source }) = self.find(setting) else { return Ok(None) };
        let number = texts.last().and_then(|text| text.replace('_', "").parse::<u64>().ok());
        let number = number.filter(|number| (min..=max).contains(number)).ok_or_else(|| {
            let text = texts.join(",");
            self.error(setting, source, format!("{text:?} is not a whole number from {min} to {max}"))
        });
        number.map(Some)
    }

    pub fn number(&self, setting: &Setting) -> Result<u64, ConfigError> {
        Ok(self.find_number(setting)?.unwrap_or_else(|| unreachable!("{} has a default", setting.key)))
    }

    pub fn count(&self, setting: &Setting) -> Result<usize, ConfigError> {
        Ok(usize::try_from(self.number(setting)?).unwrap_or(usize::MAX))
    }

    pub fn seconds(&self, setting: &Setting) -> Result<Duration, ConfigError> {
        self.number(setting).map(Duration::from_secs)
    }

    /// A secret, or the content of the file that the other setting names. If both are set, the source that overrides the other decides.
    ///
    /// # Errors
    /// If both are set in the same source, or the file cannot be read.
    pub fn secret(&self, secret: &Setting, file: &Setting) -> Result<Option<String>, ConfigError> {
        let by_source = |setting| self.find(setting).map(|found| (priority(found.source), found));
        match (by_source(secret), by_source(file)) {
            (Some((one, _)), Some((other, found))) if one == other => {
                Err(self.error(file, found.source, format!("give this or {}, not both", self.name_of(secret))))
            }
            (Some((one, mut found)), by_file) if by_file.as_ref().is_none_or(|(other, _)| one > *other) => {
                Ok(found.texts.pop())
            }
            (_, None) => Ok(None),
            (_, Some((_, found))) => {
                let path = found.texts.join(",");
                let held = std::fs::read_to_string(&path)
                    .map_err(|error| self.error(file, found.source, format!("{path} cannot be read: {error}")))?;
                Ok(Some(held.trim_end().to_owned()))
            }
        }
    }

    /// The setting of the two of a [`secret`](Self::secret) whose value is used.
    pub fn deciding<'a>(&self, secret: &'a Setting, file: &'a Setting) -> &'a Setting {
        let source = |setting: &Setting| self.find(setting).map(|found| priority(found.source));
        if source(file) > source(secret) { file } else { secret }
    }

    /// An error that names the setting in the form in which it was set.
    pub fn error(&self, setting: &Setting, source: SettingSource, why: impl Display) -> ConfigError {
        let text = format!("{}: {why}", self.name(setting, source));
        ConfigError { text, is_typed: source == SettingSource::Flag }
    }

    /// Like [`error`](Self::error), with the source of the setting's value.
    pub fn error_of(&self, setting: &Setting, why: impl Display) -> ConfigError {
        self.error(setting, self.find(setting).map_or(SettingSource::Default, |found| found.source), why)
    }

    /// `--listen`, `TIDINGS_LISTEN`, or `tidings.toml, line 3: listen`.
    pub fn name(&self, setting: &Setting, source: SettingSource) -> String {
        match (source, &self.sources.file) {
            (SettingSource::Flag, _) => format!("--{}", setting.flag.unwrap_or(setting.key)),
            (SettingSource::File(line), Some(file)) => format!("{}, line {line}: {}", file.name(), setting.key),
            _ => setting.variable(),
        }
    }

    /// Like [`name`](Self::name), with the source of the setting's value.
    pub fn name_of(&self, setting: &Setting) -> String {
        self.name(setting, self.find(setting).map_or(SettingSource::Default, |found| found.source))
    }

    /// Whether the value is not the default.
    pub fn is_set(&self, setting: &Setting) -> bool {
        self.find(setting).is_some_and(|found| found.source != SettingSource::Default)
    }

    pub fn every(&self) -> impl Iterator<Item = (&'static Setting, Option<FoundSetting>)> + '_ {
        table::all().into_iter().map(|setting| (setting, self.find(setting)))
    }
}

/// The source without the line, because two lines of one file have the same priority.
fn priority(source: SettingSource) -> SettingSource {
    if matches!(source, SettingSource::File(_)) { SettingSource::File(0) } else { source }
}

fn found(setting: &Setting, text: &str, source: SettingSource) -> FoundSetting {
    let texts = match setting.form {
        Form::List(_) => text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect(),
        _ => vec![text.to_owned()],
    };
    FoundSetting { texts, source }
}
