//! Settings as flags. The rule: each flag and its help are generated from the table of settings, and the typed text is passed on unparsed, because
//! `config` parses a setting in one place, whether it comes from a flag, a variable or the file.

use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::config::setting::{Form, Setting};
use crate::config::{Typed, table};

/// A group of settings that some commands take.
pub(super) trait SettingGroup {
    fn settings() -> Vec<&'static Setting>;
}

macro_rules! groups {
    ($($(#[$about:meta])+ $group:ident = $settings:expr;)+) => {$(
        $(#[$about])+
        #[derive(Debug, Clone)]
        pub(super) struct $group;

        impl SettingGroup for $group {
            fn settings() -> Vec<&'static Setting> {
                $settings
            }
        }
    )+};
}

groups! {
    /// The settings of the store, for every command that opens one.
    OfStore = table::OF_STORE.to_vec();
    /// The storage of the pictures, for the commands that read or add some.
    OfPictures = table::assets::PLACE.to_vec();
    /// The fields that the site declares, for the commands that check or show them.
    OfFields = table::OF_FIELDS.to_vec();
    /// The settings that only the server has.
    OfServer = table::of_server();
}

/// The flags of a group, as they were typed.
#[derive(Debug, Clone)]
pub(super) struct Flags<G> {
    pub typed: Typed,
    group: PhantomData<G>,
}

impl<G: SettingGroup> clap::Args for Flags<G> {
    fn augment_args(command: Command) -> Command {
        let flags = G::settings().into_iter().filter_map(|setting| Some(argument(setting, setting.flag?)));
        command.args(flags)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: SettingGroup> clap::FromArgMatches for Flags<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let flags = G::settings().into_iter().filter(|setting| setting.flag.is_some());
        let typed = flags.filter_map(|setting| Some((setting, texts(matches, setting)?))).collect();
        Ok(Self { typed, group: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The settings of these groups that have no flag, for the end of a help text.
pub(super) fn without_flag(groups: &[&[&'static Setting]]) -> String {
    let settings = groups.iter().copied().flatten().filter(|setting| setting.flag.is_none());
    let lines =
        settings.map(|setting| format!("  {}, {}\n{}\n", setting.variable(), setting.key, indented(&help(setting))));
    let lines: String = lines.collect();
    format!("Settings without a flag, by environment variable and key in the configuration file:\n\n{lines}")
}

fn texts(matches: &ArgMatches, setting: &Setting) -> Option<Vec<String>> {
    Some(matches.get_many::<String>(setting.key)?.cloned().collect())
}

fn argument(setting: &Setting, flag: &'static str) -> Arg {
    let plain = Arg::new(setting.key).long(flag).value_name(setting.value_name()).help(help(setting));
    match setting.form {
        Form::Switch => {
            plain.num_args(0..=1).require_equals(true).default_missing_value("true").hide_possible_values(true)
        }
        Form::List(_) => plain.action(ArgAction::Append).value_delimiter(','),
        Form::Text(_) | Form::Secret(_) | Form::Items(_) | Form::Number { .. } => plain,
    }
}

fn help(setting: &Setting) -> String {
    let default = match (setting.form, setting.default.text()) {
        (Form::Switch, _) | (_, None) => String::new(),
        (_, Some(default)) => format!(" [default: {default}]"),
    };
    let places = setting.flag.map(|_| format!("\n[env: {}] [key: {}]", setting.variable(), setting.key));
    format!("{}{}{default}", setting.about, places.unwrap_or_default())
}

/// Wrapped into lines that fit a terminal of 80 columns.
fn indented(text: &str) -> String {
    const WIDTH: usize = 74;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => line.extend([" ", word]),
            _ => lines.push(format!(" {word}")),
        }
    }
    lines.iter().map(|line| format!("     {line}")).collect::<Vec<_>>().join("\n")
}
