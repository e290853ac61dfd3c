//! `tidings backup` and `tidings restore`. The rule: the exit code is 0 only if the backup is complete and its check finds no differences.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::app::{self, Missing};
use crate::backup::{self, BackupOptions, FoundBackup, RestoreOptions, RestorePoint};
use crate::config::{self, Sources, table};

use super::flags::{Flags, OfPictures, OfStore, without_flag};
use super::output::{output, print_line};
use super::{CommandError, counted};

/// Back up the content while servers write to it: all of it the first time, then what has changed.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE]))]
pub(super) struct Backup {
    /// Where the backup is: a folder, az://CONTAINER/FOLDER or s3://BUCKET/FOLDER. The first backup creates a folder or container.
    place: String,
    /// Write all rows again, and continue from them. Restores to the time before remain possible.
    #[arg(long)]
    full: bool,
    /// Back up the tokens, the key of preview links and the webhooks too, which are secrets.
    #[arg(long)]
    tokens: bool,
    /// The days of which each moment must be restorable; files that only older moments need are deleted. Default: since the first backup.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=3_650))]
    keep_days: Option<u16>,
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    pictures: Flags<OfPictures>,
}

/// The exit code of a backup whose content has differences or missing pictures, and of a restore without some pictures.
const UNSOUND: u8 = 2;

impl Backup {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let settings = sources.with([self.store.typed, self.pictures.typed].concat());
        let (store, place) = (config::store(&settings)?, config::backup_place(&settings, &self.place)?);
        let (assets, fields) = (config::assets(&settings, &store)?, config::site_fields(&settings)?);
        let content = app::open(&store, Missing::Refuse).await?.with_fields(fields);
        let content = content.with_assets(app::open_assets(&assets, Missing::Refuse).await?);
        let files = backup::open(&place, true).await?;
        let keep = self.keep_days.map(|days| Duration::from_secs(24 * 60 * 60 * u64::from(days)));
        let options = BackupOptions { is_full: self.full, tokens: self.tokens, checks: true, keep };
        let done = backup::back_up(&content, &files, options).await?;
        // A server does this each hour, but the store may have no server.
        content.store().delete_old_entries().await?;
        let what = if done.is_full { counted(done.rows, "row") } else { counted(done.entries, "change") };
        writeln!(
            output(),
            "Backed up to position {} ({}): {what}, {} pictures and files, {} bytes",
            done.position.number,
            done.until,
            done.assets,
            done.bytes
        )?;
        if done.differences > 0 {
            print_line(format_args!("The content has {} differences; `tidings check` prints them", done.differences));
        }
        if done.missing > 0 {
            print_line(format_args!("{} pictures and files of the site have no bytes, and are left out", done.missing));
        }
        Ok(if done.differences + done.missing == 0 { ExitCode::SUCCESS } else { ExitCode::from(UNSOUND) })
    }
}

/// Restore a backup into an empty store, to any moment since the first backup.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE]))]
pub(super) struct Restore {
    /// Where the backup is: a folder, az://CONTAINER/FOLDER or s3://BUCKET/FOLDER.
    place: String,
    /// The position that a backup has printed, or any later one; or an instant, such as 2026-11-30T12:00:00Z. Default: the newest.
    #[arg(long, value_name = "INSTANT|POSITION")]
    at: Option<RestorePoint>,
    /// Restore the tokens, the key of preview links and the webhooks too. The webhooks send again.
    #[arg(long)]
    tokens: bool,
    #[command(flatten)]
    store: Flags<OfStore>,
    #[command(flatten)]
    pictures: Flags<OfPictures>,
}

impl Restore {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let settings = sources.with([self.store.typed, self.pictures.typed].concat());
        let (store, place) = (config::store(&settings)?, config::backup_place(&settings, &self.place)?);
        let assets = config::assets(&settings, &store)?;
        let files = backup::open(&place, false).await?;
        let options = RestoreOptions { at: self.at.unwrap_or(RestorePoint::Newest), tokens: self.tokens };
        let found = FoundBackup::find(&files, options).await?;
        let store = app::open_to_restore(&store).await?;
        let library = app::open_assets(&assets, Missing::Create).await?;
        let done = found.restore(&store, library.as_ref(), &app::clock()).await?;
        writeln!(
            output(),
            "Restored to position {} ({}), with {} pictures and files",
            done.position.number,
            done.position.at,
            done.assets
        )?;
        if done.missing > 0 {
            print_line(format_args!(
                "{} pictures and files were deleted before a backup could copy them, and are left out",
                done.missing
            ));
        }
        if done.damaged > 0 {
            print_line(format_args!(
                "{} pictures and files are damaged or missing in the backup, and are left out: get them from another copy of it",
                done.damaged
            ));
        }
        Ok(if done.damaged == 0 { ExitCode::SUCCESS } else { ExitCode::from(UNSOUND) })
    }
}
