//! The setting of the store. The rule: it is complete, or the error names the missing setting.

use std::path::PathBuf;
use std::str::FromStr;

use crate::store::azure::{AzureSettings, Connection};

use super::sources::Settings;
use super::{ConfigError, Setting, table};

/// Where the content is stored.
#[derive(Debug, Clone)]
pub enum StoreSetting {
    File(PathBuf),
    /// Azure Table Storage, Cosmos DB for Table or Azurite.
    Azure(AzureSettings),
}

/// # Errors
/// If the text names no store, or the store is `azure` and neither a connection string nor an account is set.
pub fn store(settings: &Settings<'_>) -> Result<StoreSetting, ConfigError> {
    match settings.need::<StoreKind>(&table::STORE)? {
        StoreKind::File(path) => Ok(StoreSetting::File(path)),
        StoreKind::Azure => azure(settings).map(StoreSetting::Azure),
    }
}

fn azure(settings: &Settings<'_>) -> Result<AzureSettings, ConfigError> {
    let text = settings.secret(&table::AZURE_CONNECTION_STRING, &table::AZURE_CONNECTION_STRING_FILE)?;
    let connection = connection(settings, text, &table::AZURE_TABLE_ENDPOINT);
    let connection = connection.map_err(|needed| ConfigError::new(format!("the store azure {needed}")))?;
    Ok(AzureSettings { connection, table_prefix: settings.text(&table::TABLE_PREFIX).unwrap_or_default() })
}

/// An Azure storage account. `text`: its connection string, if one is set. Azure's own tools read the same variables.
pub(super) fn connection(
    settings: &Settings<'_>,
    text: Option<String>,
    endpoint: &Setting,
) -> Result<Connection, &'static str> {
    match (text, settings.text(&table::AZURE_ACCOUNT)) {
        (Some(text), _) => Ok(Connection::String(text)),
        (None, Some(account)) => Ok(Connection::Entra {
            account,
            endpoint: settings.text(endpoint),
            client_id: settings.text(&table::AZURE_CLIENT_ID),
        }),
        (None, None) => Err(
            "needs AZURE_STORAGE_CONNECTION_STRING (as the portal shows it; UseDevelopmentStorage=true for Azurite), or \
             AZURE_STORAGE_ACCOUNT with the account's name to sign in by Entra ID; or these as azure.connection_string or \
             azure.account in the configuration file",
        ),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum StoreKind {
    File(PathBuf),
    Azure,
}

impl FromStr for StoreKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("file", path)) if !path.is_empty() => Ok(Self::File(path.into())),
            None if text == "azure" => Ok(Self::Azure),
            _ => Err(format!("{text:?} is not a store; write file:PATH, such as file:tidings-data, or azure")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_folder_or_azure_and_the_error_for_anything_else_names_the_form() {
        assert_eq!("file:data".parse(), Ok(StoreKind::File("data".into())));
        assert_eq!("azure".parse(), Ok(StoreKind::Azure));
        for text in ["", "file:", "data", "azure:x", "redis:1"] {
            let error = text.parse::<StoreKind>().expect_err("not a store");
            assert!(error.contains("file:PATH"), "{error}");
        }
    }
}
