//! Azurite, the emulator of Azure Table Storage, as a process. The rule: it never outlives the test, even if the test is killed, because it ends when
//! its standard input is closed.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tidings::store::azure::{AzureSettings, Connection};

/// The key of every emulator, public by design ("Use the Azurite emulator for local Azure Storage development").
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
/// The endpoint of an Azurite that the test run shares; `scripts/test` sets it.
const SHARED: &str = "TIDINGS_TEST_AZURITE";
/// A cold start on a busy machine.
const START_MAX: Duration = Duration::from_secs(60);

/// An Azurite for a test: the one that the run shares, or one of the test's own.
pub struct Azurite {
    pub endpoint: String,
    process: Option<Process>,
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
        let process = Process::start();
        Self { endpoint: format!("http://127.0.0.1:{}/devstoreaccount1", process.port), process: Some(process) }
    }

    pub fn settings(&self, table_prefix: &str) -> AzureSettings {
        settings(&self.endpoint, KEY, table_prefix)
    }

    /// The method and path of each request since it started, in the order of the answers, from its access log.
    pub fn requests(&self) -> Vec<String> {
        let process = self.process.as_ref().expect("only an Azurite of the test's own has a log of the test's own");
        // A line is written after its answer is sent, so the last lines may be late.
        let mut log = std::fs::read_to_string(&process.log).expect("the log");
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now = std::fs::read_to_string(&process.log).expect("the log");
            if now == log {
                break;
            }
            log = now;
        }
        log.lines().filter_map(request_of).map(ToOwned::to_owned).collect()
    }
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
    let (version, service, resources, end) = ("2018-11-09", "t", "sco", "2099-01-01T00:00:00Z");
    let text = format!("devstoreaccount1\n{permissions}\n{service}\n{resources}\n\n{end}\n\n\n{version}\n");
    let signature = azure_core::hmac::hmac_sha256(&text, &KEY.into()).expect("a signature").replace('+', "%2B");
    let token = format!("?sv={version}&ss={service}&srt={resources}&sp={permissions}&se={end}&sig={signature}");
    settings_of(format!("SharedAccessSignature={token};TableEndpoint={endpoint}"), table_prefix)
}

fn settings_of(connection: String, table_prefix: &str) -> AzureSettings {
    let (connection, table_prefix) = (Connection::String(connection), table_prefix.to_owned());
    AzureSettings { connection, table_prefix, hedging_delay: None }
}

pub fn emulator_key() -> &'static str {
    KEY
}

/// A table prefix that no other test has.
pub fn random_prefix() -> String {
    format!("t{:08x}{:08x}", getrandom::u32().expect("randomness"), std::process::id())
}

/// `127.0.0.1 - - [date] "GET /devstoreaccount1/… HTTP/1.1" 200 -`
fn request_of(line: &str) -> Option<&str> {
    line.split('"').nth(1)?.strip_suffix(" HTTP/1.1")
}

struct Process {
    child: Child,
    port: u16,
    log: PathBuf,
    _folder: tempfile::TempDir,
}

impl Process {
    fn start() -> Self {
        let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools");
        assert!(
            tools.join("node_modules/azurite").is_dir(),
            "Azurite is not installed: npm ci --prefix tests/tools (these tests do not pass without it)"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("azurite.log");
        let output = std::fs::File::create(&log).expect("a log file");
        let child = Command::new("node")
            .arg(tools.join("azurite.js"))
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(output.try_clone().expect("a second handle"))
            .stderr(output)
            .spawn()
            .expect("node runs Azurite: install Node.js 20 or later");
        let mut process = Self { child, port: 0, log, _folder: folder };
        process.port = process.wait_for_port();
        process
    }

    fn wait_for_port(&mut self) -> u16 {
        let started = Instant::now();
        loop {
            let log = BufReader::new(std::fs::File::open(&self.log).expect("the log"));
            let port = log
                .lines()
                .map_while(Result::ok)
                .find_map(|line| line.strip_prefix("Listening on port ").and_then(|port| port.parse().ok()));
            if let Some(port) = port {
                return port;
            }
            let ended = self.child.try_wait().expect("its state");
            assert!(ended.is_none() && started.elapsed() < START_MAX, "{}", self.failure());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn failure(&self) -> String {
        format!("Azurite did not start:\n{}", std::fs::read_to_string(&self.log).unwrap_or_default())
    }
}

/// Runs on a panic too.
impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
