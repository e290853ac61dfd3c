//! A container of Azure Blob Storage. The rule: the account and the identity are those of `store::azure`, which reads connection strings and signs in.

use std::sync::Arc;

use async_trait::async_trait;
use object_store::azure::{
    AzureAccessKey, AzureAuthorizer, AzureCredential, AzureCredentialProvider, MicrosoftAzure, MicrosoftAzureBuilder,
    split_sas,
};
use object_store::client::{CredentialProvider, HttpRequest, HttpRequestBody, HttpService};
use object_store::{Error, HeaderValue, Result, StaticCredentialProvider};

use super::http::{Http, Method, Protocol, header};
use super::refused::{Meaning, meaning_of};
use super::retries;
use crate::assets::error::AssetError;
use crate::assets::place::AzureContainer;
use crate::store::azure::{Access, Credential, EntraTokens};

const STORE: &str = "Azure Blob Storage";

pub(super) struct Container {
    name: String,
    account: String,
    endpoint: String,
    credentials: AzureCredentialProvider,
    http: Http,
}

impl Container {
    pub(super) fn new(place: &AzureContainer) -> Result<Self, AssetError> {
        let Access { account, endpoint, credential } = place.connection.blobs()?;
        let endpoint = endpoint.as_str().trim_end_matches('/').to_owned();
        let http = Http::new(Protocol::Azure, Some(&endpoint))?;
        let credentials: AzureCredentialProvider = match credential {
            Credential::Key(key) => {
                let key = AzureAccessKey::try_new(&key).map_err(Error::from)?;
                of(AzureCredential::AccessKey(key))
            }
            // The error repeats the signature, so it is not kept.
            Credential::Signature(signature) => match split_sas(&signature) {
                Ok(pairs) => of(AzureCredential::SASToken(pairs)),
                Err(_) => return Err(AssetError::NoSignature),
            },
            Credential::Entra(tokens) => Arc::new(Identity(tokens)),
        };
        Ok(Self { name: place.name.clone(), account, endpoint, credentials, http })
    }

    pub(super) fn store(&self) -> Result<MicrosoftAzure> {
        MicrosoftAzureBuilder::new()
            // A shared access signature does not contain the account, and does not sign it.
            .with_account(self.account.clone())
            .with_endpoint(self.endpoint.clone())
            .with_container_name(self.name.clone())
            .with_credentials(Arc::clone(&self.credentials))
            .with_retry(retries())
            .with_http_connector(self.http.clone())
            .build()
    }

    /// Creates the container with one request, which `object_store` does not offer.
    pub(super) async fn create(&self) -> Result<()> {
        let generic = |source: Box<dyn std::error::Error + Send + Sync>| Error::Generic { store: STORE, source };
        let url = format!("{}/{}?restype=container", self.endpoint, self.name);
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.method_mut() = Method::PUT;
        *request.uri_mut() = url.parse().map_err(|_invalid| generic("the endpoint is not a URI".into()))?;
        request.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
        let credential = self.credentials.get_credential().await?;
        AzureAuthorizer::new(&credential, &self.account).try_authorize(&mut request)?;
        match self.http.call(request).await {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => Err(generic(format!("the service answered {}", answer.status().as_u16()).into())),
            // Another server has created it.
            Err(error) if meaning_of(&error) == Some(Meaning::Exists) => Ok(()),
            Err(error) => Err(generic(error.into())),
        }
    }
}

fn of(credential: AzureCredential) -> AzureCredentialProvider {
    Arc::new(StaticCredentialProvider::new(credential))
}

/// The managed identity of the machine, as for the tables.
#[derive(Debug)]
struct Identity(EntraTokens);

#[async_trait]
impl CredentialProvider for Identity {
    type Credential = AzureCredential;

    async fn get_credential(&self) -> Result<Arc<AzureCredential>> {
        match self.0.token().await {
            Ok(token) => Ok(Arc::new(AzureCredential::BearerToken(token))),
            Err(error) => Err(Error::Unauthenticated { path: String::new(), source: Box::new(error) }),
        }
    }
}
