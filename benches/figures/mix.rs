//! Callers that ask for different things, as the readers of a site do, and a writer beside them. The rule: the same seed for every server, so that all
//! of them are asked for the same.

use std::rc::Rc;
use std::time::{Duration, Instant as Moment};

use axum::body::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use hyper::header::CONTENT_ENCODING;
use serde::Deserialize;
use tokio::time::sleep;

use crate::Result;
use crate::load::{Headers, Load, Window, contains, post};
use crate::posts::Dice;

#[derive(Deserialize)]
pub struct Mix {
    pub callers: u64,
    kinds: Vec<Kind>,
    pub writer: Option<Writer>,
}

/// Requests of one kind.
#[derive(Deserialize)]
struct Kind {
    /// In a hundred requests.
    share: u64,
    /// The first is sent most often: the `n`-th with a weight of about `1 / n` (Zipf's law).
    bodies: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Writer {
    per_second: f64,
    headers: Headers,
    bodies: Vec<String>,
    /// A text that every answer must contain.
    expected: String,
}

/// One of the callers.
pub struct Reader {
    pub sender: SendRequest<Full<Bytes>>,
    pub load: Rc<Load>,
    pub dice: Dice,
}

impl Mix {
    fn next(&self, dice: &mut Dice) -> Result<&str> {
        let mut drawn = dice.below(100);
        for Kind { share, bodies } in &self.kinds {
            match drawn.checked_sub(*share) {
                Some(rest) => drawn = rest,
                None => return Ok(&bodies[dice.rank(bodies.len() as u64) as usize]),
            }
        }
        Err("the shares of the mix are less than 100".into())
    }
}

impl Reader {
    /// The times of the answers in the window in microseconds, and the length of the longest answer.
    pub async fn read(mut self, window: Window) -> Result<(Vec<u32>, usize)> {
        let (load, mut times, mut bytes) = (Rc::clone(&self.load), Vec::new(), 0);
        let mix = load.mix.as_ref().ok_or("there is no mix")?;
        loop {
            let sent = Moment::now();
            if sent >= window.end {
                return Ok((times, bytes));
            }
            let body = mix.next(&mut self.dice)?;
            let (head, answer) = post(&mut self.sender, (&load.path, &load.headers), body.to_owned()).await?;
            // A compressed answer is checked by its status, which is that of an error if its operation has one (`application/graphql-response+json`).
            let is_whole = head.headers.contains_key(CONTENT_ENCODING)
                || (contains(&answer, &load.expected) && !contains(&answer, "\"errors\":"));
            if !head.status.is_success() || !is_whole {
                return Err(format!("{} to {body}: {}", head.status, String::from_utf8_lossy(&answer)).into());
            }
            bytes = bytes.max(answer.len());
            window.note(&mut times, sent);
        }
    }
}

impl Writer {
    /// Sends its changes, one after another at its rate, and returns how many until the end of the window.
    pub async fn write(&self, mut sender: SendRequest<Full<Bytes>>, load: &Load, window: Window) -> Result<usize> {
        let begun = Moment::now();
        for (number, body) in self.bodies.iter().enumerate() {
            let due = begun + Duration::from_secs_f64(number as f64 / self.per_second);
            if due >= window.end {
                return Ok(number);
            }
            sleep(due - Moment::now()).await;
            let (_, answer) = post(&mut sender, (&load.path, &self.headers), body.clone()).await?;
            if !contains(&answer, &self.expected) {
                return Err(format!("a change was refused: {}", String::from_utf8_lossy(&answer)).into());
            }
        }
        Err("there are fewer changes than the writer needs".into())
    }
}
