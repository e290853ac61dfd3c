//! The address of an account's blobs and the credentials for them, for the pictures. The rule: they follow from the same
//! settings as those of the tables, so pictures need no secret of their own; and no value is shown that could be a key.

use std::fmt;
use std::sync::Arc;

use azure_core::HttpClient;
use azure_core::auth::TokenCredential;

use super::client;
use super::connection::{Connection, Credential};
use super::errors::NO_TOKEN;
use super::identity;
use super::service::Service;
use crate::store::Result;
use crate::store::error::StoreError;

/// The scope of a token: all services of storage accounts.
const SCOPE: &str = "https://storage.azure.com/.default";

#[derive(Debug)]
pub struct BlobAccess {
    pub account: String,
    /// A URL without a trailing slash.
    pub endpoint: String,
    pub credential: BlobCredential,
}

pub enum BlobCredential {
    /// The account's key, in Base64.
    Key(String),
    /// A shared access signature.
    Signature(String),
    Entra(EntraTokens),
}

/// Leaves out the key and the signature.
impl fmt::Debug for BlobCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key(_) => "Key(..)",
            Self::Signature(_) => "Signature(..)",
            Self::Entra(_) => "Entra",
        })
    }
}

/// The tokens of an identity, each cached until shortly before it expires.
#[derive(Debug, Clone)]
pub struct EntraTokens(Arc<dyn TokenCredential>);

impl EntraTokens {
    /// # Errors
    /// [`StoreError::Denied`] if the identity gets no token.
    pub async fn token(&self) -> Result<String> {
        match self.0.get_token(&[SCOPE]).await {
            Ok(token) => Ok(token.token.secret().to_owned()),
            Err(error) => Err(StoreError::denied(NO_TOKEN, error)),
        }
    }
}

impl Connection {
    /// The blobs of the account. Nothing is sent.
    ///
    /// # Errors
    /// [`StoreError::Limit`] if the connection string is invalid, or is that of tables only; [`StoreError::Denied`] if the machine has no identity.
    pub fn blobs(&self) -> Result<BlobAccess> {
        let access = self.access(Service::Blobs)?;
        let credential = match access.credential {
            Credential::Key(key) => BlobCredential::Key(key),
            Credential::Signature(signature) => BlobCredential::Signature(signature),
            Credential::Entra { client_id } => {
                let http: Arc<dyn HttpClient> = Arc::new(client::http_client(&access.endpoint)?);
                BlobCredential::Entra(EntraTokens(Arc::new(identity::credential(&http, client_id.as_deref())?)))
            }
        };
        let endpoint = access.endpoint.as_str().trim_end_matches('/').to_owned();
        Ok(BlobAccess { account: access.account, endpoint, credential })
    }
}

#[cfg(test)]
mod tests {
    use azure_core::auth::AccessToken;
    use azure_core::error::{Error, ErrorKind};

    use super::*;

    const KEY: &str = "c2VjcmV0";

    fn blobs(text: &str) -> Result<BlobAccess> {
        Connection::String(text.to_owned()).blobs()
    }

    #[test]
    fn the_blobs_are_in_the_account_of_the_tables() {
        for (text, expected) in [
            (format!("AccountName=mine;AccountKey={KEY}"), "https://mine.blob.core.windows.net"),
            (
                format!("AccountName=mine;AccountKey={KEY};EndpointSuffix=core.chinacloudapi.cn"),
                "https://mine.blob.core.chinacloudapi.cn",
            ),
            (
                format!(
                    "AccountName=mine;AccountKey={KEY};TableEndpoint=http://h:1/mine;BlobEndpoint=http://h:2/mine/"
                ),
                "http://h:2/mine",
            ),
            ("UseDevelopmentStorage=true".to_owned(), "http://127.0.0.1:10000/devstoreaccount1"),
        ] {
            let access = blobs(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(access.endpoint, expected);
            assert!(matches!(access.credential, BlobCredential::Key(_)));
            assert!(!format!("{access:?}").contains(KEY));
        }
    }

    #[test]
    fn a_connection_string_of_tables_only_is_refused_and_not_sent_to_another_account() {
        for text in [
            format!("AccountName=cosmos;AccountKey={KEY};TableEndpoint=https://cosmos.table.cosmos.azure.com:443/"),
            "TableEndpoint=https://mine.table.core.windows.net;SharedAccessSignature=sv=1&sig=c2VjcmV0".to_owned(),
        ] {
            let error = blobs(&text).expect_err("no blobs").to_string();
            assert!(error.contains("BlobEndpoint is missing") && !error.contains(KEY), "{error}");
        }
        let signed = blobs("BlobEndpoint=https://mine.blob.core.windows.net;SharedAccessSignature=sv=1&sig=c2VjcmV0");
        assert!(signed.is_ok_and(|access| !format!("{access:?}").contains(KEY)));
    }

    #[derive(Debug)]
    struct Identity {
        has_token: bool,
    }

    #[async_trait::async_trait]
    impl TokenCredential for Identity {
        async fn get_token(&self, scopes: &[&str]) -> azure_core::Result<AccessToken> {
            assert_eq!(scopes, [SCOPE]);
            let late = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1 << 32);
            match self.has_token {
                true => Ok(AccessToken::new("a token", late.into())),
                false => Err(Error::message(ErrorKind::Credential, "no identity")),
            }
        }

        async fn clear_cache(&self) -> azure_core::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_token_is_asked_for_by_the_identity_and_its_absence_says_what_to_do() {
        let tokens = |has_token| EntraTokens(Arc::new(Identity { has_token }));
        assert_eq!(tokens(true).token().await.ok().as_deref(), Some("a token"));
        let error = tokens(false).token().await.expect_err("no token").to_string();
        assert!(error.contains("az login"), "{error}");
    }
}
