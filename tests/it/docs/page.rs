//! One page: its links looked up, its blocks run by their languages.

use std::path::PathBuf;

use super::block::{Block, Mark, blocks};
use super::links::dead_links;
use super::{REASONS, queries, root, shell};

pub struct Page {
    /// Below the checkout.
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
    /// With the page and line of what does not hold.
    pub fn assert_true(&self) {
        let dead = dead_links(&self.path, &self.text);
        assert!(dead.is_empty(), "{}", dead.join("\n"));
        let blocks = blocks(&self.text);
        for block in &blocks {
            self.assert_known(block);
        }
        let wanted = |block: &&Block| !matches!(block.mark, Mark::NotRun(_) | Mark::From(_));
        let runnable: Vec<&Block> = blocks.iter().filter(wanted).collect();
        shell::run(&self.name, &runnable);
        queries::run(&self.name, &runnable);
    }

    /// A block that nothing would look at is a mistake, not a comment.
    fn assert_known(&self, block: &Block) {
        let Block { line, language, text, mark } = block;
        let place = format!("{}:{line}", self.name);
        match (mark, &**language) {
            (Mark::NotRun(reason), _) => {
                assert!(
                    REASONS.contains(&&**reason),
                    "{place}: {reason:?} is none of the reasons in tests/it/docs/mod.rs"
                );
            }
            (Mark::From(file), _) => {
                let is_run = ["tests/", "examples/", "playground/"].iter().any(|folder| file.starts_with(folder));
                assert!(is_run, "{place}: {file} is run by no test");
                let whole = std::fs::read_to_string(root().join(file))
                    .unwrap_or_else(|error| panic!("{place}: {file}: {error}"));
                assert!(block.is_part_of(&whole), "{place}: these lines do not stand in {file}:\n{text}");
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
                "{place}: a block of {language:?}, marked {mark:?}, is not looked at by any test. Give it a language that is (sh, graphql, \
                 json, toml, text), the file that it stands in (<!-- path/of/a/file -->), or write <!-- not run: REASON --> above it.\n{text}"
            ),
        }
    }
}
