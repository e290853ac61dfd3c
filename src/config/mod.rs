//! Settings, from flags, the environment and a file. The rule: only this module reads them, an error names the setting as the user wrote it and
//! the accepted form, and a secret is never shown.
//!
//! [`table`] defines every setting once; [`sources`] finds its value; the other files convert the values to the types that other modules take.

mod access;
mod assets;
mod backup;
mod cdn;
mod fair_use;
mod file;
mod limits;
mod memory;
mod print;
mod sample;
mod serve;
pub mod setting;
mod site;
pub mod sources;
mod store;
pub mod table;
mod traces;

pub use assets::{AssetSettings, assets};
pub use backup::backup_place;
pub use print::print;
pub use serve::{ServeSettings, Serving};
pub use setting::Setting;
pub use site::{site_addresses, site_fields};
pub use sources::{CONFIG_VARIABLE, Settings, Sources, Typed};
pub use store::{StoreSetting, store};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ConfigError {
    text: String,
    /// Whether the invalid value was typed on the command line.
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

#[expect(clippy::disallowed_methods, reason = "only this function reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
