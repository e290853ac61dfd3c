//! The test of one page: it checks the links and runs the blocks by their language.

use std::path::PathBuf;

use super::block::{Block, Mark, blocks};
use super::links::dead_links;
use super::{REASONS, queries, root, shell};

pub struct Page {
    /// The path relative to the checkout.
    name: String,
    path: PathBuf,
    text: String,
}

impl Page {
    pub fn read(name: &str) -> Self {
        let path = root().join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { name: name.to_owned(), path, text }
    }

    /// # Panics
    /// If a claim of the page is false; the message names the page and the line.
    pub fn assert_true(&self) {
        let dead = dead_links(&self.path, &self.text);
        assert!(dead.is_empty(), "{}", dead.join("\n"));
        let blocks = blocks(&self.text);
        for block in &blocks {
            self.assert_known(block);
        }
        let is_run = |block: &&Block| !matches!(block.mark, Mark::NotRun(_) | Mark::From(_));
        let runnable: Vec<&Block> = blocks.iter().filter(is_run).collect();
        shell::run(&self.name, &runnable);
        queries::run(&self.name, &runnable);
    }

    /// A block that no test uses is an error.
    fn assert_known(&self, block: &Block) {
        let Block { line, language, text, mark } = block;
        let place = format!("{}:{line}", self.name);
        match (mark, &**language) {
            (Mark::NotRun(reason), _) => {
                assert!(
                    REASONS.contains(&&**reason),
                    "{place}: {reason:?} is not in the list REASONS of tests/it/docs/mod.rs"
                );
            }
            (Mark::From(file), _) => {
                let is_run = ["tests/", "examples/", "playground/"].iter().any(|folder| file.starts_with(folder));
                assert!(is_run, "{place}: no test runs {file}");
                let whole = std::fs::read_to_string(root().join(file))
                    .unwrap_or_else(|error| panic!("{place}: {file}: {error}"));
                assert!(block.is_part_of(&whole), "{place}: {file} does not contain these lines:\n{text}");
            }
            (Mark::None | Mark::Refused(_) | Mark::ServerStopped, "sh")
            | (Mark::None | Mark::Refused(_) | Mark::WithToken, "graphql")
            | (Mark::None | Mark::Printed, "text") => {}
            (Mark::None | Mark::Variables | Mark::Answer, "json") => {
                let read: Result<serde_json::Value, _> = serde_json::from_str(text);
                assert!(read.is_ok(), "{place}: not JSON: {read:?}\n{text}");
            }
            (Mark::None, "toml") => {
                let read: Result<toml::Table, _> = toml::from_str(text);
                assert!(read.is_ok(), "{place}: not TOML: {read:?}\n{text}");
            }
            _ => panic!(
                "{place}: no test uses a block of {language:?} that is marked {mark:?}. Use one of the languages sh, graphql, json, toml \
                 and text, name the file that contains the lines (<!-- path/of/a/file -->), or write <!-- not run: REASON --> above it.\n{text}"
            ),
        }
    }
}
