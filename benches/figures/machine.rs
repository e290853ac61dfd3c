//! What the figures were measured on. The rule: read from /proc, and empty where the system has none.

use std::fs;

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

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}
