//! The servers of a run: real processes over one store, killed and started again. The rule: none of them outlives the run.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::azurite::{Azurite, connection_string, random_prefix};
use crate::support::command::{Ran, Serving, finish, tidings};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::proxy::Proxy;
use crate::support::random::Random;

use super::client::Addresses;

/// The most that the network adds to a storage request.
const DELAY_MAX: Duration = Duration::from_millis(20);
/// Set to `libfaketimeMT.so.1` if it is not where Debian's package puts it.
const FAKETIME: &str = "TIDINGS_FAKETIME";
const FAKETIME_OF_DEBIAN: [&str; 2] =
    ["/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"];
/// The largest difference between the clocks of two servers, in milliseconds.
const SKEW_MS_MAX: usize = 2_000;

pub(in crate::proof) enum Storage {
    File(tempfile::TempDir),
    Azure { _azurite: Azurite, proxy: Proxy, prefix: String },
}

pub(in crate::proof) struct Fleet {
    pub storage: Storage,
    pub addresses: Addresses,
    servers: Vec<Mutex<Option<Serving>>>,
    /// By server: seconds that its clock is ahead, as faketime takes them.
    skews: Vec<Option<String>>,
}

/// The library that gives a process another clock.
#[expect(clippy::disallowed_methods, reason = "a test run's own setting")]
fn faketime() -> PathBuf {
    let named = std::env::var_os(FAKETIME).map(PathBuf::from);
    let found = named.into_iter().chain(FAKETIME_OF_DEBIAN.map(PathBuf::from)).find(|library| library.exists());
    found.expect("libfaketime is installed (Debian: apt-get install libfaketime)")
}

/// Whether a server has not started because the storage, on a slow machine, did not answer in time.
pub(in crate::proof) fn is_of_slow_storage(complaint: &str) -> bool {
    complaint.contains("the store could not be reached")
}

impl Storage {
    pub(in crate::proof) fn file() -> Self {
        Self::File(tempfile::tempdir().expect("a folder"))
    }

    /// Tables in an Azurite behind a network with delays.
    pub(in crate::proof) async fn azure(is_long: bool, random: &mut Random) -> Self {
        // A long run would leave its rows in an emulator that others use.
        let azurite = if is_long { Azurite::own() } else { Azurite::any() };
        let proxy = Proxy::before(&azurite).await;
        proxy.delay_at_random(random.part(), DELAY_MAX);
        Self::Azure { _azurite: azurite, proxy, prefix: random_prefix() }
    }

    /// Removes the delays of the network, after no request is under way that could meet another.
    pub(in crate::proof) fn be_quick(&self) {
        if let Self::Azure { proxy, .. } = self {
            proxy.delay_no_more();
        }
    }

    fn arguments(&self) -> Vec<String> {
        match self {
            Self::File(folder) => vec!["--store".to_owned(), format!("file:{}", folder.path().join("store").display())],
            Self::Azure { prefix, .. } => {
                ["--store", "azure", "--table-prefix", prefix].map(ToOwned::to_owned).to_vec()
            }
        }
    }

    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("TIDINGS_LOG", "off".to_owned()),
            ("TIDINGS_EDITOR_TOKEN", EDITOR_TOKEN.to_owned()),
            // The archive with all its posts could cost more than the usual limit.
            ("TIDINGS_LIMITS_STORAGE_REQUESTS", "10000000".to_owned()),
            ("TIDINGS_WEBHOOKS_ALLOW", "127.0.0.1".to_owned()),
        ];
        if let Self::Azure { proxy, .. } = self {
            settings.push(("AZURE_STORAGE_CONNECTION_STRING", connection_string(&proxy.endpoint)));
        }
        settings
    }

    /// Runs a command on the store to its end.
    pub(in crate::proof) async fn run(&self, arguments: &[&str]) -> Ran {
        let of_the_store = self.arguments();
        let arguments: Vec<&str> = arguments.iter().copied().chain(of_the_store.iter().map(String::as_str)).collect();
        let mut command = tidings(&arguments);
        command.envs(self.settings());
        tokio::task::spawn_blocking(|| finish(command)).await.expect("the command ends")
    }
}

impl Fleet {
    /// `random`: the clocks differ at random; `None`: all servers use the clock of this machine.
    pub(in crate::proof) fn new(storage: Storage, servers: usize, random: Option<&mut Random>) -> Self {
        let skews = match random {
            None => vec![None; servers],
            Some(random) => {
                let skew = |_| random.below(SKEW_MS_MAX + 1) as i64 - SKEW_MS_MAX as i64 / 2;
                (0..servers).map(skew).map(|ms| Some(format!("{:+.3}", ms as f64 / 1_000.0))).collect()
            }
        };
        Self {
            storage,
            addresses: Arc::new(Mutex::new(vec![None; servers])),
            servers: (0..servers).map(|_| Mutex::new(None)).collect(),
            skews,
        }
    }

    pub(in crate::proof) fn count(&self) -> usize {
        self.servers.len()
    }

    /// Starts a server; the error says why it has not started.
    pub(in crate::proof) fn start(&self, server: usize) -> Result<(), String> {
        let mut arguments = self.storage.arguments();
        arguments.push("--create".to_owned());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let settings = self.storage.settings();
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let serving = Serving::try_start_of(&arguments, &settings, |arguments| {
            let mut command = tidings(arguments);
            if let Some(skew) = &self.skews[server] {
                command.env("LD_PRELOAD", faketime()).env("FAKETIME", skew).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            }
            command
        })
        .map_err(|errors| format!("server {server} does not start: {}", errors.join("; ")))?;
        self.addresses.lock().expect("no panic")[server] = Some(serving.address.clone());
        *self.servers[server].lock().expect("no panic") = Some(serving);
        Ok(())
    }

    /// Starts each server that does not run; the error says why the first one has not started.
    pub(in crate::proof) fn start_all(&self) -> Result<(), String> {
        let runs = |server: &usize| self.servers[*server].lock().expect("no panic").is_some();
        (0..self.count()).filter(|server| !runs(server)).try_for_each(|server| self.start(server))
    }

    pub(in crate::proof) fn kill(&self, server: usize) {
        self.addresses.lock().expect("no panic")[server] = None;
        if let Some(serving) = self.servers[server].lock().expect("no panic").take() {
            serving.kill();
        }
    }

    /// Stops each server as a service manager does; the error names the last one that has not ended well.
    pub(in crate::proof) fn stop_all(&self) -> Result<(), String> {
        let mut stopped = Ok(());
        for server in 0..self.count() {
            self.addresses.lock().expect("no panic")[server] = None;
            if let Some(serving) = self.servers[server].lock().expect("no panic").take() {
                let (code, lines) = serving.stop();
                if code != Some(0) {
                    stopped = Err(format!("server {server} stops with exit code {code:?}: {lines:?}"));
                }
            }
        }
        stopped
    }
}
