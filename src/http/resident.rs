//! The memory of the process, which tests compare with the charges. The rule: the pages of files do not count, because the system loads and
//! drops pages of the program at any time.
#![cfg(test)]

/// Only Linux reports it.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}
