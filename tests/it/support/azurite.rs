//! Azurite, the emulator of Azure's tables and blobs: a process for each service. The rule: a test that counts requests has a process of its own.

use std::path::Path;
use std::process::Command;

use tidings::store::azure::{AzureSettings, Connection};

use super::listening::Listening;

/// The key of every emulator, public by design ("Use the Azurite emulator for local Azure Storage development").
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
/// The endpoint of an Azurite that the test run shares; `scripts/test` sets it.
const SHARED: &str = "TIDINGS_TEST_AZURITE";

/// An Azurite for a test: the one that the run shares, or one of the test's own.
pub struct Azurite {
    pub endpoint: String,
    process: Option<Listening>,
}

impl Azurite {
    /// The shared one, if the run has one. Tests on it are separated by their table prefixes.
    #[expect(clippy::disallowed_methods, reason = "a test run's own setting")]
    pub fn any() -> Self {
        match std::env::var(SHARED) {
            Ok(endpoint) => Self { endpoint, process: None },
            Err(_) => Self::own(),
        }
    }

    /// One that no other test uses, so that its access log has the requests of this test only.
    pub fn own() -> Self {
        let process = start("table");
        Self { endpoint: endpoint_of(&process), process: Some(process) }
    }

    pub fn settings(&self, table_prefix: &str) -> AzureSettings {
        settings(&self.endpoint, KEY, table_prefix)
    }

    /// The method and path of each request since it started, in the order of the answers, from its access log.
    pub fn requests(&self) -> Vec<String> {
        self.process.as_ref().expect("only an Azurite of the test's own has a log of the test's own").requests()
    }
}

/// Azurite's blob service, for a test.
pub struct AzuriteBlobs {
    pub endpoint: String,
    process: Listening,
}

impl AzuriteBlobs {
    pub fn start() -> Self {
        let process = start("blob");
        Self { endpoint: endpoint_of(&process), process }
    }

    pub fn requests(&self) -> Vec<String> {
        self.process.requests()
    }
}

/// The connection string of a blob service at this endpoint, with this key.
pub fn blob_connection_string(endpoint: &str, key: &str) -> String {
    format!("AccountName=devstoreaccount1;AccountKey={key};BlobEndpoint={endpoint};")
}

fn endpoint_of(process: &Listening) -> String {
    format!("http://127.0.0.1:{}/devstoreaccount1", process.port)
}

fn start(service: &str) -> Listening {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools");
    assert!(
        tools.join("node_modules/azurite").is_dir(),
        "Azurite is not installed: npm ci --prefix tests/tools (these tests do not pass without it)"
    );
    let mut command = Command::new("node");
    command.arg(tools.join("azurite.js")).arg(service);
    Listening::start("Azurite (install Node.js 20 or later)", command)
}

/// Settings for an emulator at any endpoint.
pub fn settings(endpoint: &str, key: &str, table_prefix: &str) -> AzureSettings {
    settings_of(format!("AccountName=devstoreaccount1;AccountKey={key};TableEndpoint={endpoint};"), table_prefix)
}

/// The connection string of the emulator at this endpoint, as a command takes it.
pub fn connection_string(endpoint: &str) -> String {
    format!("AccountName=devstoreaccount1;AccountKey={KEY};TableEndpoint={endpoint};")
}

/// Settings with an account's shared access signature, for the permissions given in Azure's letters.
pub fn signed_settings(endpoint: &str, permissions: &str, table_prefix: &str) -> AzureSettings {
    let token = signature(permissions, "t");
    settings_of(format!("SharedAccessSignature={token};TableEndpoint={endpoint}"), table_prefix)
}

/// The connection string of a blob service with such a signature.
pub fn signed_blob_connection_string(endpoint: &str, permissions: &str) -> String {
    format!("SharedAccessSignature={};BlobEndpoint={endpoint}", signature(permissions, "b"))
}

/// `service`: as Azure abbreviates it.
fn signature(permissions: &str, service: &str) -> String {
    let (version, resources, end) = ("2018-11-09", "sco", "2099-01-01T00:00:00Z");
    let text = format!("devstoreaccount1\n{permissions}\n{service}\n{resources}\n\n{end}\n\n\n{version}\n");
    let signature = azure_core::hmac::hmac_sha256(&text, &KEY.into()).expect("a signature").replace('+', "%2B");
    format!("?sv={version}&ss={service}&srt={resources}&sp={permissions}&se={end}&sig={signature}")
}

fn settings_of(connection: String, table_prefix: &str) -> AzureSettings {
    let (connection, table_prefix) = (Connection::String(connection), table_prefix.to_owned());
    AzureSettings { connection, table_prefix }
}

pub fn emulator_key() -> &'static str {
    KEY
}

/// A table prefix that no other test has.
pub fn random_prefix() -> String {
    format!("t{:08x}{:08x}", getrandom::u32().expect("randomness"), std::process::id())
}
