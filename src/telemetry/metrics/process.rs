//! The resource usage of the process, under the standard names of Prometheus client libraries. The rule: it is read from Linux when the metrics are requested;
//! other systems do not have these metrics.

use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;

/// The ticks of `/proc/PID/stat` in a second, the same on every Linux ("proc_pid_stat(5)", `USER_HZ`).
const TICKS_PER_SECOND: f64 = 100.0;

#[derive(Debug)]
pub(super) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let seconds = fs::read_to_string("/proc/self/stat").ok().and_then(|stat| cpu_seconds(&stat));
        let resident = fs::read_to_string("/proc/self/status").ok().and_then(|status| resident_bytes(&status));
        let files = fs::read_dir("/proc/self/fd").ok().map(|files| files.count() as i64);
        let files_max = fs::read_to_string("/proc/self/limits").ok().and_then(|limits| files_max(&limits));
        if let Some(seconds) = seconds {
            let (help, unit) = ("Processor time, that of the system included", Some(&Unit::Seconds));
            write(&mut encoder, "process_cpu", help, unit, &ConstCounter::new(seconds))?;
        }
        if let Some(bytes) = resident {
            let (help, unit) = ("Memory that is not swapped out", Some(&Unit::Bytes));
            write(&mut encoder, "process_resident_memory", help, unit, &ConstGauge::new(bytes))?;
        }
        for (name, help, files) in [
            ("process_open_fds", "Open files and connections", files),
            ("process_max_fds", "Open files and connections that the system allows", files_max),
        ] {
            if let Some(files) = files {
                write(&mut encoder, name, help, None, &ConstGauge::new(files))?;
            }
        }
        Ok(())
    }
}

fn write(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    unit: Option<&Unit>,
    metric: &impl EncodeMetric,
) -> Result<(), std::fmt::Error> {
    metric.encode(encoder.encode_descriptor(name, help, unit, metric.metric_type())?)
}

/// Sums the fields 14 and 15, which follow the name of the program, which is in parentheses and can contain spaces.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11);
    let ticks: u64 = times.next()?.parse::<u64>().ok()? + times.next()?.parse::<u64>().ok()?;
    Some(ticks as f64 / TICKS_PER_SECOND)
}

fn resident_bytes(status: &str) -> Option<i64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The soft limit; `None` if it is unlimited.
fn files_max(limits: &str) -> Option<i64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_linux_are_read() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 9 0 500 1 2";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(cpu_seconds("7 (a) S 1"), None);
        assert_eq!(resident_bytes("Name:\ta\nVmRSS:\t   2048 kB\nVmSwap:\t 1 kB\n"), Some(2 << 20));
        assert_eq!(resident_bytes("Name:\ta\n"), None);
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             100                  100                  processes \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(files_max(limits), Some(1024));
        assert_eq!(files_max("Max open files            unlimited            unlimited            files     \n"), None);
    }
}
