//! Servers of other programs that a test needs, as processes. The rule: none outlives its test, even if the test is killed, because each ends when its
//! standard input is closed.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A cold start on a busy machine.
const START_MAX: Duration = Duration::from_secs(60);
/// The last line before it serves.
const READY: &str = "Listening on port ";

/// A process that has printed `Listening on port …`.
pub struct Listening {
    child: Child,
    pub port: u16,
    log: PathBuf,
    /// It runs in it.
    _folder: tempfile::TempDir,
}

impl Listening {
    /// `name`: for the message if it does not start.
    pub fn start(name: &str, mut command: Command) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let output = std::fs::File::create(&log).expect("a log file");
        let child = command
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(output.try_clone().expect("a second handle"))
            .stderr(output)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} of {name} does not start: {error}"));
        let mut process = Self { child, port: 0, log, _folder: folder };
        process.port = process.wait_for_port(name);
        process
    }

    fn wait_for_port(&mut self, name: &str) -> u16 {
        let started = Instant::now();
        loop {
            let log = self.log();
            if let Some(port) = log.lines().find_map(|line| line.strip_prefix(READY)?.parse().ok()) {
                return port;
            }
            let ended = self.child.try_wait().expect("its state");
            assert!(ended.is_none() && started.elapsed() < START_MAX, "{name} did not start:\n{log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What it has printed.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).expect("the log")
    }

    /// The method and path of each request since it was ready, in the order of the answers, from the lines that it prints for them:
    /// `127.0.0.1 - - [date] "GET /path HTTP/1.1" 200 -`.
    pub fn requests(&self) -> Vec<String> {
        // A line is written after its answer is sent, so the last lines may be late.
        let mut log = self.log();
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now = self.log();
            if now == log {
                break;
            }
            log = now;
        }
        let (_, since) = log.split_once(READY).expect("it is ready");
        let of_line = |line: &str| Some(line.split('"').nth(1)?.strip_suffix(" HTTP/1.1")?.to_owned());
        since.lines().filter_map(of_line).collect()
    }
}

/// Runs on a panic too.
impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
