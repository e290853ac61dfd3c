//! One attack, with a well-behaved client at the same time. The rule: the memory of the process stays below [`MEMORY_MAX`], and every request
//! of the client is answered with 200. The waiting times of the client, without and under the attack, are printed and not asserted, because
//! they depend on the machine.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::front::well_behaved::{Times, WellBehaved};
use crate::support::command::Serving;

/// The maximum memory of the process, in bytes.
pub const MEMORY_MAX: u64 = 400 * 1024 * 1024;
/// The memory of the caches that is part of it. By default it depends on the machine.
pub const CACHES: [(&str, &str); 2] =
    [("TIDINGS_LIMITS_ANSWER_CACHE_BYTES", "16777216"), ("TIDINGS_LIMITS_VALUE_CACHE_BYTES", "67108864")];

/// The number of answers that the client must get without and under the attack. For `scripts/attack`, which measures, three lie above the 99th
/// percentile; a test only checks that the server answers.
fn answers() -> usize {
    if is_measured() { 300 } else { 50 }
}

/// Whether `scripts/attack` runs the test.
pub fn is_measured() -> bool {
    priority_of_attackers().is_some()
}

pub struct Attack<'a> {
    name: &'static str,
    serving: &'a Serving,
    alone: Times,
    client: WellBehaved,
}

impl<'a> Attack<'a> {
    /// Measures the client without an attack, and lets it continue. It queries the titles of the newest posts.
    pub fn on(name: &'static str, serving: &'a Serving) -> Self {
        Self::beside(name, serving, "{ posts(first: 5) { nodes { title } } }")
    }

    /// The same, with a client that opens another connection if the server closes its connection for others.
    pub fn on_connections(name: &'static str, serving: &'a Serving) -> Self {
        Self::start(name, serving, "{ posts(first: 5) { nodes { title } } }", WellBehaved::start_asking_again)
    }

    /// The same with a client that sends this query.
    pub fn beside(name: &'static str, serving: &'a Serving, query: &str) -> Self {
        Self::start(name, serving, query, WellBehaved::start_asking)
    }

    fn start(name: &'static str, serving: &'a Serving, query: &str, client: fn(&str, &Value) -> WellBehaved) -> Self {
        let measured = WellBehaved::start_asking(&serving.address, &json!({ "query": query }));
        // The first answers are slower: nothing is cached yet.
        measured.wait_for_answers(2 * answers());
        let alone = measured.end_with_times().without_first(answers());
        let client = client(&serving.address, &json!({ "query": query }));
        if priority_of_attackers().is_some_and(|set| set == "1") {
            take_what_others_leave();
        }
        Self { name, serving, alone, client }
    }

    /// Repeats an attack until the client has got enough answers under it.
    pub fn repeat(&self, mut work: impl FnMut()) {
        let (begun, answers) = (Instant::now(), answers());
        while self.client.answers() < answers {
            assert!(begun.elapsed() < PATIENCE, "{}: {} answers in {PATIENCE:?}", self.name, self.client.answers());
            work();
        }
    }

    /// Waits until the client has got enough answers while the attack continues.
    pub fn hold(&self) {
        self.client.wait_for_answers(answers());
    }

    /// Waits until the client has got `count` more answers.
    pub fn wait_for_answers(&self, count: usize) {
        self.client.wait_for_answers(count);
    }

    pub fn end(self) {
        self.end_below(MEMORY_MAX);
    }

    /// The same for an attack by which the server decodes the largest picture, which takes 323 MiB.
    pub fn end_of_pictures(self) {
        self.end_below(448 * 1024 * 1024);
    }

    #[expect(clippy::print_stdout, reason = "the figures of the run")]
    fn end_below(self, memory_max: u64) {
        let under_attack = self.client.end_with_times();
        let peak = peak_memory(self.serving.id());
        let [alone, attacked] = [&self.alone, &under_attack].map(|times| times.p99().as_secs_f64() * 1e3);
        println!(
            "attack: {} | {} | {alone:.1} | {attacked:.1} | {:.1} | {}",
            self.name,
            peak.map_or_else(|| "?".to_owned(), |peak| (peak >> 20).to_string()),
            attacked / alone,
            under_attack.count()
        );
        assert!(peak.is_none_or(|peak| peak < memory_max), "{}: the server's peak is {peak:?} bytes", self.name);
    }
}

/// What `scripts/attack` sets: "1" for the lowest priority, "0" for that of the server. It is not set if the suite runs the test.
#[expect(clippy::disallowed_methods, reason = "a setting of the tests, not of Tidings")]
fn priority_of_attackers() -> Option<OsString> {
    std::env::var_os("TIDINGS_ATTACKERS_NICE")
}

/// Gives this thread, and the threads that it starts, the lowest priority: in production the attackers have processors of their own. With the
/// same priority, 32 of them on two processors make every thread wait for up to 7 ms, whatever the server does (docs/operating.md).
fn take_what_others_leave() {
    rustix::process::nice(19).expect("a lower priority is always allowed");
}

/// The peak memory of a process, in bytes. Only Linux reports it for another process.
pub fn peak_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The status and the code of an answer.
pub fn outcome((status, body): &(u16, Value)) -> (u16, &str) {
    (*status, body["errors"][0]["extensions"]["code"].as_str().unwrap_or_default())
}

/// Much longer than any of these waits takes.
pub const PATIENCE: Duration = Duration::from_secs(120);
