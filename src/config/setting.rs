//! The type of a setting. The rule: its key, flag, default and description are defined once, in [`table`](super::table), and the
//! flags, the file's format, the help and the printed configuration are generated from that.

use std::str::FromStr;

/// One setting. Its value comes from the flag, else from the environment, else from the file, else it is the default.
#[derive(Debug)]
pub struct Setting {
    /// In the configuration file: `listen`, or `oidc.issuer` for the key `issuer` of the section `[oidc]`.
    pub key: &'static str,
    /// The name of its environment variable, if it does not follow from the key.
    pub own_variable: Option<&'static str>,
    /// The flag without its dashes. Rarely used settings have no flag; secrets have none, because every process can read another's arguments.
    pub flag: Option<&'static str>,
    pub form: Form,
    pub default: Default,
    pub about: &'static str,
}

/// The accepted form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A text, with its placeholder in the help.
    Text(&'static str),
    /// A text that is never shown.
    Secret(&'static str),
    /// Texts: an array in the file, separated by commas elsewhere.
    List(&'static str),
    /// A list of tables: an array of tables in the file, JSON elsewhere. Its value is the JSON text.
    Items(&'static str),
    /// `true` or `false`; a flag without a value is `true`.
    Switch,
    /// A whole number within these bounds, in the unit that the key ends with.
    Number { min: u64, max: u64 },
}

#[derive(Debug, Clone, Copy)]
pub enum Default {
    None,
    Text(&'static str),
    /// The default of a limit, which the module that enforces it defines with its reason.
    Number(fn() -> u64),
}

impl Default {
    pub fn text(self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Text(text) => Some(text.to_owned()),
            Self::Number(number) => Some(number().to_string()),
        }
    }
}

impl Setting {
    pub fn value_name(&self) -> &'static str {
        match self.form {
            Form::Text(name) | Form::Secret(name) | Form::List(name) | Form::Items(name) => name,
            Form::Switch => "true|false",
            Form::Number { .. } => "NUMBER",
        }
    }

    /// The environment variable: `TIDINGS_OIDC_ISSUER` for the key `oidc.issuer`, unless it has its own name.
    pub fn variable(&self) -> String {
        let of_key = || format!("TIDINGS_{}", self.key.to_ascii_uppercase().replace('.', "_"));
        self.own_variable.map_or_else(of_key, str::to_owned)
    }

    pub fn is_secret(&self) -> bool {
        matches!(self.form, Form::Secret(_))
    }

    /// The section in the file, and the key in it.
    pub fn section(&self) -> (Option<&'static str>, &'static str) {
        match self.key.split_once('.') {
            Some((section, key)) => (Some(section), key),
            None => (None, self.key),
        }
    }
}

/// A boolean, for which other words than `true` and `false` are also accepted.
pub struct Switch(pub bool);

impl FromStr for Switch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(Self(true)),
            "false" | "0" | "no" | "off" => Ok(Self(false)),
            _ => Err(format!("{text:?} is neither true nor false")),
        }
    }
}
