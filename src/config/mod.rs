//! Settings, from flags, the environment and a file. The rule: they are read here alone and each in one way, an error names the setting as it
//! was written and the form that is accepted, and a secret is never shown.
//!
//! [`table`] tells every setting once; [`sources`] finds its value; the rest makes of the values what the other rooms take.

mod access;
mod file;
mod limits;
mod print;
mod serve;
pub mod setting;
pub mod sources;
mod store;
pub mod table;
mod traces;

pub use print::print;
pub use serve::ServeSettings;
pub use setting::Setting;
pub use sources::{CONFIG_VARIABLE, Settings, Sources, Typed};
pub use store::{StoreSetting, store};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ConfigError {
    text: String,
    /// Whether what is wrong was typed on the command line.
    is_typed: bool,
}

impl ConfigError {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_typed: false }
    }

    pub fn is_typed(&self) -> bool {
        self.is_typed
    }
}

#[expect(clippy::disallowed_methods, reason = "the one home of the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
