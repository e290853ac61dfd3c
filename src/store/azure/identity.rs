//! The Entra ID identity of the server. The rule: if a managed identity is named, no other managed identity of the machine is used.

use std::sync::Arc;

use async_trait::async_trait;
use azure_core::auth::TokenCredential;
use azure_core::headers::HeaderName;
use azure_core::{HttpClient, Request, Response};
use azure_identity::{DefaultAzureCredentialBuilder, TokenCredentialOptions};

use super::errors::NO_TOKEN;
use crate::store::Result;
use crate::store::error::StoreError;

/// The scope of a token for blobs: all services of storage accounts.
const SCOPE: &str = "https://storage.azure.com/.default";
/// Only requests for the tokens of managed identities have this header.
const OF_METADATA: HeaderName = HeaderName::from_static("metadata");

/// The tokens of an identity, each cached until shortly before it expires.
#[derive(Debug, Clone)]
pub struct EntraTokens(pub(super) Arc<dyn TokenCredential>);

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

/// The first identity that is found: in the environment, a managed identity, or the Azure CLI. `client_id`: of a user-assigned managed identity.
pub(super) fn tokens(http: Arc<dyn HttpClient>, client_id: Option<&str>) -> Result<EntraTokens> {
    let identity = DefaultAzureCredentialBuilder::new().with_options(options(http, client_id)).build();
    let identity = identity.map_err(|e| StoreError::denied("no Entra ID identity is available", e))?;
    Ok(EntraTokens(Arc::new(identity)))
}

fn options(http: Arc<dyn HttpClient>, client_id: Option<&str>) -> TokenCredentialOptions {
    match client_id {
        Some(client_id) => {
            let named: Arc<dyn HttpClient> = Arc::new(NamedIdentity { http, client_id: client_id.to_owned() });
            named.into()
        }
        None => http.into(),
    }
}

/// Adds the client id to requests for tokens of a managed identity, which the SDK cannot do.
#[derive(Debug)]
struct NamedIdentity {
    http: Arc<dyn HttpClient>,
    client_id: String,
}

#[async_trait]
impl HttpClient for NamedIdentity {
    async fn execute_request(&self, request: &Request) -> azure_core::Result<Response> {
        if request.headers().get_optional_str(&OF_METADATA) != Some("true") {
            return self.http.execute_request(request).await;
        }
        let mut request = request.clone();
        request.url_mut().query_pairs_mut().append_pair("client_id", &self.client_id);
        self.http.execute_request(&request).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use azure_core::auth::AccessToken;
    use azure_core::error::{Error, ErrorKind};
    use azure_core::headers::Headers;
    use azure_core::{BytesStream, Method, StatusCode, Url};
    use azure_identity::VirtualMachineManagedIdentityCredential;

    use super::*;

    /// Answers every request with a token.
    #[derive(Debug, Default)]
    struct TokenService {
        queries: Mutex<Vec<String>>,
    }

    #[async_trait]
    impl HttpClient for TokenService {
        async fn execute_request(&self, request: &Request) -> azure_core::Result<Response> {
            self.queries.lock().expect("no panic").push(request.url().query().unwrap_or_default().to_owned());
            let body = r#"{"access_token":"a token","expires_on":"4294967296","token_type":"Bearer","resource":"r"}"#;
            Ok(Response::new(StatusCode::Ok, Headers::new(), Box::pin(BytesStream::new(body))))
        }
    }

    async fn queries(client_id: Option<&str>) -> Vec<String> {
        let service = Arc::new(TokenService::default());
        let http: Arc<dyn HttpClient> = Arc::<TokenService>::clone(&service);
        let options = options(http, client_id);
        let other = Request::new(Url::parse("https://login.example/token?a=b").expect("a URL"), Method::Post);
        options.http_client().execute_request(&other).await.expect("an answer");
        let identity = VirtualMachineManagedIdentityCredential::new(options);
        let token = identity.get_token(&["https://storage.azure.com/.default"]).await.expect("a token");
        assert_eq!(token.token.secret(), "a token");
        let queries = service.queries.lock().expect("no panic");
        queries.clone()
    }

    #[tokio::test]
    async fn a_managed_identity_is_named_in_requests_for_its_tokens_and_in_no_other() {
        let token = "api-version=2019-08-01&resource=https%3A%2F%2Fstorage.azure.com";
        assert_eq!(queries(None).await, ["a=b", token]);
        assert_eq!(queries(Some("1b-c")).await, ["a=b", &format!("{token}&client_id=1b-c")]);
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
