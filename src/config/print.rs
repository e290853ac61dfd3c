//! The effective settings, as a configuration file. The rule: Tidings accepts the file and reads the same settings from it, except secrets, which are never
//! shown. A URL with a user or a password counts as a secret. Defaults are commented out, because they may change with other settings or with the version.

use std::fmt::Write;

use super::setting::{Form, Setting, Switch};
use super::sources::{FoundSetting, SettingSource, Settings};

const HEAD: &str = "# The settings of `tidings serve` in effect, each with its source.\n\
                    # `--config FILE` accepts this file. Flags override environment variables, and both override the file.\n";

/// The output of `tidings serve --print-config`.
pub fn print(settings: &Settings<'_>) -> String {
    let mut text = HEAD.to_owned();
    let mut section = None;
    for (setting, found) in settings.every() {
        let (own, _) = setting.section();
        if own != section {
            text.push_str(&format!("\n[{}]\n", own.unwrap_or_default()));
            section = own;
        } else if own.is_none() {
            text.push('\n');
        }
        let _ = writeln!(text, "# {}\n{}", setting.about, line(settings, setting, found));
    }
    text
}

fn line(settings: &Settings<'_>, setting: &Setting, found: Option<FoundSetting>) -> String {
    let (_, key) = setting.section();
    match found {
        None => format!("# {key} is not set"),
        Some(FoundSetting { source, texts })
            if setting.is_secret()
                || may_have_credentials(setting) && texts.iter().any(|text| has_credentials(text)) =>
        {
            format!("# {key} is set, not shown ({})", origin(settings, setting, source))
        }
        Some(found) => {
            let comment = if found.source == SettingSource::Default { "# " } else { "" };
            let origin = origin(settings, setting, found.source);
            format!("{comment}{key} = {}  # {origin}", value(setting, &found.texts))
        }
    }
}

/// The items of a list are public and contain many texts.
fn may_have_credentials(setting: &Setting) -> bool {
    !matches!(setting.form, Form::Items(_))
}

/// Whether the text is a URL with a user or a password in it (RFC 3986, section 3.2.1).
fn has_credentials(text: &str) -> bool {
    let Some((_, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // A password may contain a slash that should have been percent-encoded.
    authority.contains('@') || rest.split_once('@').is_some_and(|(before, _)| before.contains(':'))
}

fn origin(settings: &Settings<'_>, setting: &Setting, source: SettingSource) -> String {
    match source {
        SettingSource::Default => "default".to_owned(),
        SettingSource::Flag => format!("flag {}", settings.name(setting, source)),
        SettingSource::Environment => format!("environment {}", setting.variable()),
        SettingSource::File(line) => format!("file, line {line}"),
    }
}

/// The value in TOML. Values of the wrong form were refused before.
fn value(setting: &Setting, texts: &[String]) -> String {
    let quoted = |text: &String| toml::Value::from(text.as_str()).to_string();
    match setting.form {
        Form::List(_) => format!("[{}]", texts.iter().map(quoted).collect::<Vec<_>>().join(", ")),
        Form::Text(_) | Form::Secret(_) => texts.first().map(quoted).unwrap_or_default(),
        Form::Items(_) => texts.first().map(|text| items(text)).unwrap_or_default(),
        Form::Switch => texts.join("").parse::<Switch>().is_ok_and(|switch| switch.0).to_string(),
        Form::Number { .. } => texts.join("").replace('_', ""),
    }
}

/// A JSON list as a TOML array on one line.
fn items(json: &str) -> String {
    serde_json::from_str::<toml::Value>(json).map(|items| items.to_string()).unwrap_or_default()
}
