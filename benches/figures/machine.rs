//! The machine of the measurement. The rule: read from /proc, and empty if the system has none.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// The unit of times in `/proc`: 100 on every platform of Linux that Tidings supports.
const TICKS_PER_SECOND: f64 = 100.0;

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
    cpu_seconds(&after_the_name(&fs::read_to_string("/proc/self/stat").unwrap_or_default()))
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

/// What all processors have done since the start of the machine, in CPU seconds.
pub struct Processors {
    pub busy: f64,
    /// Taken by other virtual machines.
    pub stolen: f64,
}

impl Processors {
    pub fn now() -> std::io::Result<Self> {
        // user, nice, system, idle, iowait, irq, softirq, steal
        let stat = fs::read_to_string("/proc/stat")?;
        let line = stat.lines().next().unwrap_or_default();
        let used: Vec<f64> = line.split_whitespace().skip(1).filter_map(|text| text.parse().ok()).collect();
        let [user, nice, system, _, _, irq, softirq, stolen, ..] = used[..] else {
            return Err(std::io::ErrorKind::InvalidData.into());
        };
        let seconds = |ticks: f64| ticks / TICKS_PER_SECOND;
        Ok(Self { busy: seconds(user + nice + system + irq + softirq), stolen: seconds(stolen) })
    }
}

/// The CPU seconds of a process and of the running processes that it has started, directly or not.
pub fn seconds_of_tree(root: u32) -> std::io::Result<f64> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut used = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // A process can end while this reads.
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let fields = after_the_name(&stat);
        let Some(parent) = fields.get(1).and_then(|text| text.parse().ok()) else { continue };
        children.entry(parent).or_default().push(pid);
        used.insert(pid, cpu_seconds(&fields));
    }
    let (mut found, mut seconds) = (vec![root], 0.0);
    while let Some(pid) = found.pop() {
        seconds += used.get(&pid).copied().unwrap_or_default();
        found.extend(children.remove(&pid).unwrap_or_default());
    }
    Ok(seconds)
}

/// The fields of `/proc/PID/stat` from the third on; the second may hold spaces, and ends with the last `)`.
fn after_the_name(stat: &str) -> Vec<&str> {
    stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect()
}

/// User and system time.
fn cpu_seconds(fields: &[&str]) -> f64 {
    fields.iter().skip(11).take(2).filter_map(|text| text.parse::<f64>().ok()).sum::<f64>() / TICKS_PER_SECOND
}

fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn number(text: &str) -> Option<u64> {
    text.split_whitespace().next()?.parse().ok()
}
