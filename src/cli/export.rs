//! `tidings export`: all content as JSON Lines. The rule: `tidings import` of the output restores the same content and ids.

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::flags::{Flags, OfStore, without_flag};
use super::{CommandError, store_of};
use crate::app::{self, Missing};
use crate::config::{Sources, table};
use crate::export;

/// Export all content, drafts included, as JSON Lines.
#[derive(Debug, Args)]
#[command(after_long_help = without_flag(&[table::OF_STORE]))]
pub(super) struct Export {
    /// The file to write. Default: the standard output.
    path: Option<PathBuf>,
    #[command(flatten)]
    store: Flags<OfStore>,
}

impl Export {
    pub(super) async fn run(self, sources: &Sources) -> Result<ExitCode, CommandError> {
        let content = app::open(&store_of(sources, self.store)?, Missing::Refuse).await?;
        let out: Box<dyn Write> = match &self.path {
            Some(path) => {
                let file = std::fs::File::create(path).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
                Box::new(file)
            }
            None => Box::new(std::io::stdout().lock()),
        };
        let mut out = BufWriter::new(out);
        let posts = export::export(&content, &mut out).await?;
        out.flush()?;
        eprintln!("Exported {posts} posts");
        Ok(ExitCode::SUCCESS)
    }
}
