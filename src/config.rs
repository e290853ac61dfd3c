//! Settings, from flags and the environment. The rule: the environment is read here alone, and an error names the variable and the form that
//! is accepted. A secret is never shown.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use crate::graphql::access::{EditorToken, SignIn};
pub use crate::http::cors::AllowedOrigin;
pub use crate::http::settings::BATCH_MAX;
pub use crate::http::{HttpLimits, HttpSettings};
use crate::oidc::{KeySource, OidcSettings, Provider};
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

/// The ways to show who one is, beside the tokens of the store: from the environment alone, for flags are seen by every process.
///
/// # Errors
/// Where the editor token is too short to be safe, or a setting of the identity provider is missing or of no use.
pub fn sign_in() -> Result<SignIn, ConfigError> {
    let editor_token = EditorToken::new(variable("TIDINGS_EDITOR_TOKEN"))
        .map_err(|e| ConfigError(format!("TIDINGS_EDITOR_TOKEN: {e}")))?;
    Ok(SignIn { editor_token, oidc: oidc_settings()?.map(|settings| Arc::new(Provider::new(settings))) })
}

/// `None` where no issuer is named.
fn oidc_settings() -> Result<Option<OidcSettings>, ConfigError> {
    let Some(issuer) = variable("TIDINGS_OIDC_ISSUER") else {
        let others =
            ["TIDINGS_OIDC_AUDIENCE", "TIDINGS_OIDC_KEYS", "TIDINGS_OIDC_ROLE_CLAIM", "TIDINGS_OIDC_AUTHOR_CLAIM"];
        return match others.into_iter().find(|name| variable(name).is_some()) {
            Some(name) => Err(ConfigError(format!("{name} needs TIDINGS_OIDC_ISSUER beside it"))),
            None => Ok(None),
        };
    };
    let audience = variable("TIDINGS_OIDC_AUDIENCE").ok_or_else(|| {
        ConfigError(
            "TIDINGS_OIDC_ISSUER needs TIDINGS_OIDC_AUDIENCE: the claim `aud` of the tokens that are for this server"
                .to_owned(),
        )
    })?;
    let keys = match variable("TIDINGS_OIDC_KEYS") {
        Some(text) => text.parse().map_err(|e| ConfigError(format!("TIDINGS_OIDC_KEYS: {e}")))?,
        None => KeySource::discovery(&issuer).map_err(|e| ConfigError(format!("TIDINGS_OIDC_ISSUER: {e}")))?,
    };
    if let KeySource::File(path) = &keys {
        let found = std::fs::metadata(path);
        found.map_err(|e| ConfigError(format!("TIDINGS_OIDC_KEYS: {} cannot be read: {e}", path.display())))?;
    }
    let role_claim = variable("TIDINGS_OIDC_ROLE_CLAIM").unwrap_or_else(|| "roles".to_owned());
    let author_claim = variable("TIDINGS_OIDC_AUTHOR_CLAIM").unwrap_or_else(|| "author".to_owned());
    Ok(Some(OidcSettings { issuer, audience, keys, role_claim, author_claim }))
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
