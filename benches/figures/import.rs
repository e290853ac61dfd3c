//! The import of the whole site, as `tidings import` does it, in a process of its own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant as Moment;

use serde::{Deserialize, Serialize};
use tidings::{import, ingest};

use crate::table::{Figure, with_commas};
use crate::{Result, machine, posts, site};

const POSTS_PER_SECOND_MIN: f64 = 5_000.0;
const MEMORY_MIB_MAX: u64 = 150;

/// What the child process prints.
#[derive(Serialize, Deserialize)]
struct Imported {
    made: usize,
    failed: usize,
    seconds: f64,
    cores_seconds: f64,
    memory_mib: u64,
    memory_peak_mib: u64,
}

pub fn of_json_lines(posts: u64, folder: &Path, store: &Path) -> Result<Vec<Figure>> {
    let path = folder.join("site.jsonl");
    posts::write_json_lines(&path, posts)?;
    let figures = figures("import of JSON Lines", posts, &path, store);
    std::fs::remove_file(path)?;
    figures
}

pub fn of_markdown(posts: u64, folder: &Path) -> Result<Vec<Figure>> {
    let path = folder.join("site");
    posts::write_markdown(&path, posts)?;
    let store = folder.join("store-of-markdown");
    let figures = figures("import of Markdown", posts, &path, &store);
    std::fs::remove_dir_all(path)?;
    std::fs::remove_dir_all(store)?;
    figures
}

fn figures(name: &str, posts: u64, from: &Path, store: &Path) -> Result<Vec<Figure>> {
    let child = Command::new(std::env::current_exe()?)
        .args(["--child", "import"])
        .args([from, store])
        .stdout(Stdio::piped())
        .output()?;
    if !child.status.success() {
        return Err(format!("the import failed: {}", String::from_utf8_lossy(&child.stderr)).into());
    }
    let imported: Imported = serde_json::from_slice(&child.stdout)?;
    if imported.made as u64 != posts || imported.failed > 0 {
        return Err(format!("{} posts were made, {} failed", imported.made, imported.failed).into());
    }
    let rate = posts as f64 / imported.seconds;
    let speed = format!(
        "{} posts/s ({:.1} s; {:.1} s of CPU time)",
        with_commas(rate),
        imported.seconds,
        imported.cores_seconds
    );
    let (source, stored) = (bytes_below(from)?, bytes_below(store)?);
    let size = format!("{} MB, {:.2} times the source", stored / 1_000_000, stored as f64 / source as f64);
    let memory = format!("{} MiB at the end, {} MiB at the most", imported.memory_mib, imported.memory_peak_mib);
    Ok(vec![
        Figure::new(name, speed)
            .with_goal(format!("{} posts/s", with_commas(POSTS_PER_SECOND_MIN)), rate >= POSTS_PER_SECOND_MIN),
        Figure::new(format!("{name}, memory"), memory)
            .with_goal(format!("under {MEMORY_MIB_MAX} MiB at the end"), imported.memory_mib < MEMORY_MIB_MAX),
        Figure::new(format!("{name}, store"), size),
    ])
}

/// The bytes of a file, or of all files below a folder.
fn bytes_below(path: &Path) -> std::io::Result<u64> {
    if !path.is_dir() {
        return Ok(path.metadata()?.len());
    }
    std::fs::read_dir(path)?.map(|child| bytes_below(&child?.path())).sum()
}

/// Imports, and prints the figures.
pub fn in_child(from: &Path, store: &Path) -> Result<()> {
    let begun = Moment::now();
    let runtime = tokio::runtime::Runtime::new()?;
    let imported = runtime.block_on(async {
        let content = site::open(store).await?;
        let reading = from.to_owned();
        let source = tokio::task::spawn_blocking(move || import::open(&reading, None)).await??;
        let report = ingest::import(&content, Arc::new(source), ingest::ImportOptions::default(), |_, _| {}).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let machine::Memory { now, peak } = machine::memory();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(Imported {
            made: report.made,
            failed: report.failed.len(),
            seconds,
            cores_seconds: machine::cores_seconds(),
            memory_mib: now,
            memory_peak_mib: peak,
        })
    })?;
    serde_json::to_writer(std::io::stdout(), &imported)?;
    Ok(std::io::stdout().flush()?)
}
