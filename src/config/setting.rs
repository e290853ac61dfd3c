//! What a setting is. The rule: its key, its variable, its flag, its default and its words are told once, in [`table`](super::table), and
//! everything that knows of settings (the flags, the file, the help, the printed configuration) is made from that.

use std::str::FromStr;

/// One setting. It is read from the flag, else from the environment, else from the file, else it has its default.
#[derive(Debug)]
pub struct Setting {
    /// In the configuration file: `listen`, or `oidc.issuer` for the key `issuer` of the section `[oidc]`.
    pub key: &'static str,
    pub variable: &'static str,
    /// Without its dashes. Settings that are few people's matter have none, and neither have secrets: flags are seen by every process.
    pub flag: Option<&'static str>,
    pub form: Form,
    pub default: Default,
    /// What it does, in a sentence or two.
    pub about: &'static str,
}

/// What may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A text; the word that stands for it in a help.
    Text(&'static str),
    /// A text that is never shown.
    Secret(&'static str),
    /// Texts: an array in the file, parted by commas elsewhere.
    List(&'static str),
    /// `true` or `false`; as a flag, alone it is `true`.
    Switch,
    /// A whole number within these bounds, of the unit that ends the key.
    Number { min: u64, max: u64 },
}

/// What holds where nothing is set.
#[derive(Debug, Clone, Copy)]
pub enum Default {
    None,
    Text(&'static str),
    /// Of a bound that is stated, with its reason, by those who keep it.
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
    /// The word that stands for its value.
    pub fn value_name(&self) -> &'static str {
        match self.form {
            Form::Text(name) | Form::Secret(name) | Form::List(name) => name,
            Form::Switch => "true|false",
            Form::Number { .. } => "NUMBER",
        }
    }

    pub fn is_secret(&self) -> bool {
        matches!(self.form, Form::Secret(_))
    }

    /// The section that it stands in, and its key there.
    pub fn section(&self) -> (Option<&'static str>, &'static str) {
        match self.key.split_once('.') {
            Some((section, key)) => (Some(section), key),
            None => (None, self.key),
        }
    }
}

/// `true` or `false`, and the words that other programs take for them.
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
