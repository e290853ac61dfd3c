//! The machine of the measurement. The rule: read from /proc, and empty if the system has none.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// One line: processor, cores, memory, system.
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let model = field("/proc/cpuinfo", "model name").unwrap_or_default();
    let memory_kib: u64 = field("/proc/meminfo", "MemTotal").and_then(|text| number(&text)).unwrap_or_default();
    let system = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{model}, {cores} cores, {} GiB, Linux {}", memory_kib >> 20, system.trim())
}

/// Memory of this process in MiB.
#[derive(Debug, Clone, Copy)]
pub struct Memory {
    pub now: u64,
    pub peak: u64,
}

pub fn memory() -> Memory {
    let mib = |name| field("/proc/self/status", name).and_then(|text| number(&text)).unwrap_or_default() >> 10;
    Memory { now: mib("VmRSS"), peak: mib("VmHWM") }
}

/// The CPU time that this process has taken, in seconds.
pub fn cores_seconds() -> f64 {
    // The 14th and 15th fields are user and system time in hundredths of a second; the second may hold spaces, and ends with the last `)`.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|text| text.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// How long a thread has worked. If other processes need the cores too, this still advances as the wall clock does on an idle machine.
pub struct ThreadClock(PathBuf);

impl ThreadClock {
    pub fn of_this_thread() -> std::io::Result<Self> {
        // The link names the thread in a form that other threads can use: `1234/task/1240`.
        Ok(Self(PathBuf::from("/proc").join(fs::read_link("/proc/thread-self")?).join("schedstat")))
    }

    pub fn at_work(&self) -> std::io::Result<Duration> {
        let nanoseconds = number(&fs::read_to_string(&self.0)?);
        nanoseconds.map(Duration::from_nanos).ok_or_else(|| std::io::ErrorKind::InvalidData.into())
    }
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}
