//! `Intents`: the unfinished changes of each server. The rule: the name of an intent, as other rows hold it, is its two keys separated by a dot.

use std::fmt;
use std::str::FromStr;

use crate::model::Instant;
use crate::store::Key;

use super::key;

/// Names one intent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IntentName {
    server: String,
    row: String,
}

impl IntentName {
    /// `server` and `random`: letters and digits.
    pub fn new(server: &str, at: Instant, random: &str) -> Self {
        Self { server: server.to_owned(), row: format!("{:019}-{random}", at.ticks()) }
    }

    pub fn of_key(key: &Key) -> Self {
        Self { server: key.partition().to_owned(), row: key.row().to_owned() }
    }

    /// When it was opened, and the random id that distinguishes it from others of that instant.
    pub fn parts(&self) -> Option<(Instant, &str)> {
        let (ticks, random) = self.row.split_once('-')?;
        Some((Instant::from_ticks(ticks.parse().ok()?)?, random))
    }

    pub fn key(&self) -> Key {
        key(&self.server, &self.row)
    }
}

impl fmt::Display for IntentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.server, self.row)
    }
}

impl FromStr for IntentName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (server, row) = text.split_once('.').ok_or(())?;
        Key::new(server, row).map_err(|_| ())?;
        Ok(Self { server: server.to_owned(), row: row.to_owned() })
    }
}
