//! Settings, from flags and the environment. The rule: the environment is read here alone, and an error names the variable and the form that
//! is accepted. A secret is never shown.

use std::path::PathBuf;
use std::str::FromStr;

use crate::graphql::access::EditorToken;
use crate::store::azure::{AzureSettings, Connection};

/// Where the content is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreSetting {
    /// A folder of this machine, made where it is missing.
    File(PathBuf),
    /// Azure Table Storage, Cosmos DB for Table or Azurite, named by the environment.
    Azure,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl FromStr for StoreSetting {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Self, ConfigError> {
        match text.split_once(':') {
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            None if text == "azure" => Ok(Self::Azure),
            _ => Err(ConfigError(format!(
                "{text:?} names no store; write file:PATH, such as file:tidings-data, or azure"
            ))),
        }
    }
}

/// What Azure's own tools read, too: `AZURE_STORAGE_CONNECTION_STRING`, or `AZURE_STORAGE_ACCOUNT` with Entra ID;
/// `AZURE_STORAGE_TABLE_ENDPOINT` for an account of another cloud.
///
/// # Errors
/// Where neither is set.
pub fn azure_settings(table_prefix: &str) -> Result<AzureSettings, ConfigError> {
    let connection = match (variable("AZURE_STORAGE_CONNECTION_STRING"), variable("AZURE_STORAGE_ACCOUNT")) {
        (Some(text), _) => Connection::String(text),
        (None, Some(account)) => Connection::Entra { account, endpoint: variable("AZURE_STORAGE_TABLE_ENDPOINT") },
        (None, None) => {
            return Err(ConfigError(
                "the store azure needs AZURE_STORAGE_CONNECTION_STRING (as the portal shows it; UseDevelopmentStorage=true for \
                 Azurite), or AZURE_STORAGE_ACCOUNT with the account's name to sign in by Entra ID"
                    .to_owned(),
            ));
        }
    };
    Ok(AzureSettings { connection, table_prefix: table_prefix.to_owned() })
}

/// The token that an editor must bear: `TIDINGS_EDITOR_TOKEN`, from the environment alone, for flags are seen by every process.
///
/// # Errors
/// Where it is too short to be safe.
pub fn editor_token() -> Result<EditorToken, ConfigError> {
    EditorToken::new(variable("TIDINGS_EDITOR_TOKEN")).map_err(|e| ConfigError(format!("TIDINGS_EDITOR_TOKEN: {e}")))
}

/// The directives of the log, as `tracing` takes them: `TIDINGS_LOG`, or `info`.
pub fn log_directives() -> String {
    variable("TIDINGS_LOG").unwrap_or_else(|| "info".to_owned())
}

#[expect(clippy::disallowed_methods, reason = "the one home of the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_folder_or_azure_and_anything_else_is_told_the_form() {
        assert_eq!("file:data".parse(), Ok(StoreSetting::File("data".into())));
        assert_eq!("azure".parse(), Ok(StoreSetting::Azure));
        for text in ["", "file:", "data", "azure:x", "redis:1"] {
            let error = text.parse::<StoreSetting>().expect_err("no store");
            assert!(error.0.contains("file:PATH"), "{error}");
        }
    }
}
