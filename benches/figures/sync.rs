//! How often a second the disk acknowledges a small write: the bound of every durable change that shares no sync.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant as Moment};

use crate::Result;

const BLOCK: [u8; 4096] = [0x5A; 4096];

/// Appends blocks to a new file in the folder, each with `fdatasync`, and prints the rate.
pub fn print_rate(folder: &Path, seconds: f64) -> Result<()> {
    let path = folder.join("syncs");
    let mut file = File::create(&path)?;
    let (began, duration) = (Moment::now(), Duration::from_secs_f64(seconds));
    let mut syncs = 0;
    while began.elapsed() < duration {
        file.write_all(&BLOCK)?;
        file.sync_data()?;
        syncs += 1;
    }
    let rate = f64::from(syncs) / began.elapsed().as_secs_f64();
    std::fs::remove_file(&path)?;
    println!("{}", serde_json::json!({ "rate": rate }));
    Ok(())
}
