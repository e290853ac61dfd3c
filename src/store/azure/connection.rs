//! The address of the table or blob service of an account, and the credentials for it. The rule: an error names the missing value and the accepted form, never
//! a value that could be a key.

use std::fmt;
use std::sync::Arc;

use azure_core::Url;
use azure_storage::{ConnectionString, EMULATOR_ACCOUNT, EMULATOR_ACCOUNT_KEY, EndpointProtocol};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::http::http_client;
use super::identity::{self, EntraTokens};
use super::service::Service;
use crate::store::Result;
use crate::store::error::StoreError;

const ACCEPTED: &str = "DefaultEndpointsProtocol=https;AccountName=NAME;AccountKey=KEY;EndpointSuffix=core.windows.net, \
    TableEndpoint=URL;BlobEndpoint=URL;SharedAccessSignature=SAS, or UseDevelopmentStorage=true";
const DEFAULT_SUFFIX: &str = "core.windows.net";

#[derive(Debug, Clone)]
pub struct AzureSettings {
    pub connection: Connection,
    /// The prefix of all table names, so that several sites can share an account; may be empty.
    pub table_prefix: String,
}

#[derive(Clone)]
pub enum Connection {
    /// A connection string in the format of Azure's tools ("Configure Azure Storage connection strings").
    String(String),
    /// An account by name, with a token of Entra ID from the first available source: the environment (workload identity or client secret), a managed identity,
    /// or the Azure CLI.
    Entra {
        account: String,
        /// The endpoint of the service in another cloud; `None` for the public cloud, such as `https://{account}.table.core.windows.net`.
        endpoint: Option<String>,
        /// The client id of a user-assigned managed identity; `None` for the system-assigned one.
        client_id: Option<String>,
    },
}

/// Omits the connection string, which contains the key.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(_) => f.write_str("String(..)"),
            Self::Entra { account, endpoint, client_id } => f
                .debug_struct("Entra")
                .field("account", account)
                .field("endpoint", endpoint)
                .field("client_id", client_id)
                .finish(),
        }
    }
}

/// A connection string or account, parsed and checked.
#[derive(Debug)]
pub struct Access {
    pub account: String,
    /// The endpoint, without a trailing slash in its path.
    pub endpoint: Url,
    pub credential: Credential,
}

pub enum Credential {
    /// The account's key, in Base64.
    Key(String),
    /// A shared access signature.
    Signature(String),
    Entra(EntraTokens),
}

/// Omits the key and the signature.
impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key(_) => "Key(..)",
            Self::Signature(_) => "Signature(..)",
            Self::Entra(_) => "Entra",
        })
    }
}

impl Connection {
    /// The access to the blobs of the account. Sends nothing.
    ///
    /// # Errors
    /// [`StoreError::Limit`] if the connection string is invalid, or is only for tables; [`StoreError::Denied`] if the machine has no identity.
    pub fn blobs(&self) -> Result<Access> {
        self.access(Service::Blobs)
    }

    pub(super) fn access(&self, service: Service) -> Result<Access> {
        match self {
            Self::String(text) => read_connection_string(text, service),
            Self::Entra { account, endpoint, client_id } => {
                let (account, endpoint) = entra_access(account, endpoint.as_deref(), service)?;
                let tokens = identity::tokens(Arc::new(http_client(&endpoint)?), client_id.as_deref())?;
                Ok(Access { account, endpoint, credential: Credential::Entra(tokens) })
            }
        }
    }
}

/// The prefix of a table name may contain letters and digits, the first a letter.
pub(super) fn check_prefix(prefix: &str) -> Result<()> {
    let starts_well = prefix.chars().next().is_none_or(|c| c.is_ascii_alphabetic());
    if starts_well && prefix.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(StoreError::limit(format!("the table prefix {prefix:?} is not letters and digits that start with a letter")))
}

fn entra_access(account: &str, endpoint: Option<&str>, service: Service) -> Result<(String, Url)> {
    let account = check_account(account, "the storage account")?;
    let endpoint = match endpoint {
        Some(url) => read_endpoint(url, service)?,
        None => default_endpoint(&EndpointProtocol::Https, &account, DEFAULT_SUFFIX, service)?,
    };
    if endpoint.scheme() != "https" {
        let host = service.host();
        return Err(StoreError::limit(format!(
            "a token of Entra ID is sent over https only; the {host} endpoint is http"
        )));
    }
    Ok((account, endpoint))
}

fn read_connection_string(text: &str, service: Service) -> Result<Access> {
    // The SDK's error repeats the text, so it is omitted.
    let fields = ConnectionString::new(text)
        .map_err(|_| malformed("a part of it is not NAME=VALUE, or has a name or value that is not known"))?;
    if fields.development_storage_proxy_uri.is_some() {
        return Err(malformed("DevelopmentStorageProxyUri is not supported; name the emulator with TableEndpoint"));
    }
    match fields.use_development_storage {
        Some(true) if fields == ConnectionString { use_development_storage: Some(true), ..Default::default() } => {
            emulator_access(service)
        }
        Some(true) => Err(malformed("UseDevelopmentStorage=true must be the only setting")),
        Some(false) => Err(malformed("UseDevelopmentStorage can only be true")),
        None => account_access(&fields, service),
    }
}

fn emulator_access(service: Service) -> Result<Access> {
    Ok(Access {
        account: EMULATOR_ACCOUNT.to_owned(),
        endpoint: read_endpoint(service.emulator(), service)?,
        credential: Credential::Key(EMULATOR_ACCOUNT_KEY.to_owned()),
    })
}

fn account_access(fields: &ConnectionString<'_>, service: Service) -> Result<Access> {
    let credential = read_credential(fields)?;
    let account = fields.account_name.map(|name| check_account(name, "AccountName")).transpose()?;
    // This is the string of a Cosmos DB account, or a signature for tables; a storage account with the same name may belong to someone else.
    let is_of_tables = fields.table_endpoint.is_some() && fields.endpoint_suffix.is_none();
    let named = match service {
        Service::Tables => fields.table_endpoint,
        Service::Blobs => fields.blob_endpoint,
    };
    let endpoint = match (named, &account) {
        (Some(url), _) => read_endpoint(url, service)?,
        (None, _) if service == Service::Blobs && is_of_tables => {
            return Err(malformed("it names the endpoint of the tables, and BlobEndpoint is missing"));
        }
        (None, Some(account)) => {
            let protocol = fields.default_endpoints_protocol.as_ref().unwrap_or(&EndpointProtocol::Https);
            default_endpoint(protocol, account, fields.endpoint_suffix.unwrap_or(DEFAULT_SUFFIX), service)?
        }
        (None, None) => return Err(malformed(&format!("AccountName or {} is missing", service.field()))),
    };
    if account.is_none() && matches!(credential, Credential::Key(_)) {
        return Err(malformed("AccountKey needs AccountName too"));
    }
    Ok(Access { account: account.unwrap_or_default(), endpoint, credential })
}

fn read_credential(fields: &ConnectionString<'_>) -> Result<Credential> {
    match (fields.sas, fields.account_key) {
        (Some(signature), None) => Ok(Credential::Signature(signature.to_owned())),
        (None, Some(key)) if BASE64_STANDARD.decode(key).is_ok() => Ok(Credential::Key(key.to_owned())),
        (None, Some(_)) => Err(malformed("AccountKey is not Base64: it may be truncated")),
        (Some(_), Some(_)) => Err(malformed("it has both AccountKey and SharedAccessSignature; keep one of them")),
        (None, None) => Err(malformed("AccountKey or SharedAccessSignature is missing")),
    }
}

fn default_endpoint(protocol: &EndpointProtocol, account: &str, suffix: &str, service: Service) -> Result<Url> {
    Url::parse(&format!("{protocol}://{account}.{}.{suffix}", service.host()))
        .ok()
        .filter(|url| url.path() == "/" && url.query().is_none())
        .ok_or_else(|| malformed("EndpointSuffix is not a host name such as core.windows.net"))
}

fn read_endpoint(text: &str, service: Service) -> Result<Url> {
    let (field, host) = (service.field(), service.host());
    let wrong = || malformed(&format!("{field} is not a URL such as https://NAME.{host}.core.windows.net"));
    let mut url = Url::parse(text).map_err(|_| wrong())?;
    let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || !is_plain {
        return Err(wrong());
    }
    if url.query().is_some() {
        return Err(malformed(&format!("{field} has a query; a signature goes into SharedAccessSignature")));
    }
    // A path such as `/Tables` is appended later, and a double slash would change the path.
    url.path_segments_mut().map_err(|()| wrong())?.pop_if_empty();
    Ok(url)
}

/// Names of storage accounts have lower-case letters and digits; Cosmos DB also allows hyphens.
fn check_account(name: &str, what: &str) -> Result<String> {
    if !name.is_empty() && name.len() <= 63 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Ok(name.to_owned());
    }
    Err(StoreError::limit(format!("{what} is not an account's name, such as mystorageaccount")))
}

fn malformed(what: &str) -> StoreError {
    StoreError::limit(format!("the Azure connection string cannot be used: {what}. Accepted: {ACCEPTED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "c2VjcmV0";

    fn access(text: &str) -> Result<Access> {
        Connection::String(text.to_owned()).access(Service::Tables)
    }

    fn endpoint(text: &str) -> String {
        access(text).unwrap_or_else(|e| panic!("{text}: {e}")).endpoint.to_string()
    }

    #[test]
    fn an_account_is_in_the_public_cloud_unless_the_string_names_another() {
        let account = format!("AccountName=mine;AccountKey={KEY}");
        assert_eq!(endpoint(&account), "https://mine.table.core.windows.net/");
        assert_eq!(
            endpoint(&format!("DefaultEndpointsProtocol=http;{account};EndpointSuffix=core.chinacloudapi.cn")),
            "http://mine.table.core.chinacloudapi.cn/"
        );
        assert_eq!(
            endpoint(&format!("{account};TableEndpoint=https://mine.table.cosmos.azure.com:443/;")),
            "https://mine.table.cosmos.azure.com/"
        );
        assert_eq!(
            endpoint(&format!(
                "{account};TableEndpoint=http://127.0.0.1:4711/mine/;BlobEndpoint=http://127.0.0.1:1/mine"
            )),
            "http://127.0.0.1:4711/mine"
        );
    }

    #[test]
    fn the_emulator_needs_only_its_name() {
        let access = access("UseDevelopmentStorage=true").expect("an emulator");
        let endpoint = Service::Tables.emulator();
        assert_eq!((access.account.as_str(), access.endpoint.as_str()), ("devstoreaccount1", endpoint));
        assert!(matches!(access.credential, Credential::Key(key) if key == EMULATOR_ACCOUNT_KEY));
    }

    #[test]
    fn a_signature_needs_an_endpoint_or_an_account() {
        let from_endpoint =
            access("TableEndpoint=https://mine.table.core.windows.net;SharedAccessSignature=?sv=1&sig=a%3D");
        assert!(
            matches!(from_endpoint.map(|a| a.credential), Ok(Credential::Signature(text)) if text == "?sv=1&sig=a%3D")
        );
        assert_eq!(endpoint("AccountName=mine;SharedAccessSignature=sv=1"), "https://mine.table.core.windows.net/");
        assert!(access("SharedAccessSignature=sv=1").is_err());
    }

    #[test]
    fn an_error_names_what_is_wrong_and_never_the_key() {
        let secret = "bm90LWZvci1sb2dz";
        for (text, named) in [
            (String::new(), "AccountKey or SharedAccessSignature is missing"),
            (format!("AccountKey={secret}"), "AccountName or TableEndpoint is missing"),
            (format!("AccountKey={secret};TableEndpoint=http://h"), "AccountKey needs AccountName"),
            (format!("AccountName=mine;AccountKey={secret}!"), "AccountKey is not Base64"),
            (format!("AccountName=mine;{secret}"), "is not NAME=VALUE"),
            (format!("AccountName=mine;{secret}=="), "a name or value that is not known"),
            ("AccountName=;AccountKey=AAAA".to_owned(), "is not NAME=VALUE"),
            (format!("AccountName=a/b;AccountKey={secret}"), "AccountName is not an account's name"),
            (format!("AccountName=a;AccountKey={secret};SharedAccessSignature=s"), "both AccountKey and"),
            (format!("AccountName=a;AccountKey={secret};TableEndpoint=here"), "TableEndpoint is not a URL"),
            (format!("AccountName=a;AccountKey={secret};TableEndpoint=ftp://h"), "TableEndpoint is not a URL"),
            (format!("AccountName=a;AccountKey={secret};TableEndpoint=https://h/?sig={secret}"), "has a query"),
            (format!("AccountName=a;AccountKey={secret};EndpointSuffix=a b"), "EndpointSuffix is not a host name"),
            (format!("AccountName=a;AccountKey={secret};EndpointSuffix=h/p"), "EndpointSuffix is not a host name"),
            (format!("DefaultEndpointsProtocol=ftp;AccountName=a;AccountKey={secret}"), "value that is not known"),
            ("UseDevelopmentStorage=false".to_owned(), "can only be true"),
            (format!("UseDevelopmentStorage=true;AccountKey={secret}"), "must be the only setting"),
            (
                "UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://h".to_owned(),
                "DevelopmentStorageProxyUri is not supported",
            ),
        ] {
            let error = access(&text).err().unwrap_or_else(|| panic!("{text} was accepted")).to_string();
            assert!(error.contains(named), "{text}: {error}");
            assert!(!error.contains(secret), "{error}");
        }
    }

    #[test]
    fn entra_id_requires_https() {
        let entra = |endpoint: Option<&str>| {
            Connection::Entra { account: "mine".to_owned(), endpoint: endpoint.map(Into::into), client_id: None }
                .access(Service::Tables)
        };
        assert!(entra(None).is_ok_and(|a| a.endpoint.as_str() == "https://mine.table.core.windows.net/"));
        assert!(entra(Some("https://mine.table.core.chinacloudapi.cn")).is_ok());
        assert!(entra(Some("http://mine.table.core.windows.net")).is_err());
    }

    #[test]
    fn a_prefix_is_letters_and_digits_that_start_with_a_letter() {
        for good in ["", "a", "Site2"] {
            assert!(check_prefix(good).is_ok(), "{good}");
        }
        for bad in ["2site", "a-b", "ä", "a b"] {
            assert!(check_prefix(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_connection_string_is_not_shown() {
        let shown = format!("{:?}", Connection::String("AccountKey=c2VjcmV0".to_owned()));
        assert!(!shown.contains("c2VjcmV0"));
    }

    fn blobs(text: &str) -> Result<Access> {
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
            assert_eq!(access.endpoint.as_str().trim_end_matches('/'), expected);
            assert!(matches!(access.credential, Credential::Key(_)));
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
}
