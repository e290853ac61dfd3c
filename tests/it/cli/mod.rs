//! The commands of the `tidings` binary: their output, their exit codes, and the store after them.

mod azure;
mod backup;
mod beside;
mod broken;
mod changes;
mod check;
mod check_links;
mod damaged;
mod ends;
mod export;
mod export_folder;
mod export_markdown;
mod full;
mod import;
mod kept;
mod pictures;
mod pipes;
mod refusals;
mod search;
mod serve;
mod site_fields;
mod snapshots;
mod terminal;
mod token;
mod unwritable;
mod views;
