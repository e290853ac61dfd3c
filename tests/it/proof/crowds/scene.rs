//! What the tasks of one run share: the servers, the ledger and the end of the run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::change::Change;
use super::client::{Client, NoAnswer, Outcome, error};
use super::follower::Followed;
use super::ledger::Ledger;
use super::readers::Reads;
use super::violations::Kind;

/// Far more than a run of a few hundred mutations takes. Without it a run would go on for ever after a server has ended on its own.
const STUCK_AFTER: Duration = Duration::from_secs(120);

/// How long a run goes on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound {
    Mutations(usize),
    Time(Duration),
}

#[derive(Debug)]
pub(super) struct Scene {
    pub client: Client,
    pub servers: usize,
    pub is_on_a_file: bool,
    pub reads: Reads,
    pub bound: Bound,
    ledger: Mutex<Ledger>,
    followed: Mutex<Followed>,
    began: Mutex<Instant>,
    sent: AtomicUsize,
    is_over: AtomicBool,
}

impl Scene {
    pub(super) fn new(client: Client, servers: usize, is_on_a_file: bool, bound: Bound) -> Self {
        Self {
            client,
            servers,
            is_on_a_file,
            reads: Reads::default(),
            bound,
            ledger: Mutex::new(Ledger::new(servers)),
            followed: Mutex::default(),
            began: Mutex::new(Instant::now()),
            sent: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Starts to count from here.
    pub(super) fn begin(&self) {
        *self.began.lock().expect("no panic") = Instant::now();
        self.sent.store(0, Ordering::Relaxed);
    }

    pub(super) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().expect("no panic while it is cached")
    }

    /// What the follower of the feed knows.
    pub(super) fn followed(&self) -> MutexGuard<'_, Followed> {
        self.followed.lock().expect("no panic while it is cached")
    }

    /// How many mutations were sent.
    pub(super) fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// The completed part of the run, from 0 to 1.
    pub(super) fn progress(&self) -> f64 {
        match self.bound {
            Bound::Mutations(all) => (self.sent() as f64 / all as f64).max(self.part_of(STUCK_AFTER)),
            Bound::Time(all) => self.part_of(all),
        }
    }

    fn part_of(&self, time: Duration) -> f64 {
        self.began.lock().expect("no panic").elapsed().as_secs_f64() / time.as_secs_f64()
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.progress() >= 1.0
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Sends a mutation, and logs its start and its end.
    pub(super) async fn mutate(&self, editor: &str, token: &str, server: usize, change: Change) -> Outcome {
        let number = self.ledger().begin(editor, server, change.clone());
        let outcome = self.client.mutate(server, token, &change).await;
        if !matches!(outcome, Outcome::NotSent) {
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
        self.ledger().end(number, outcome.clone());
        outcome
    }

    /// The data of a query during the run; `None` if the query fails, which is counted.
    pub(super) async fn read(
        &self,
        server: usize,
        token: Option<&str>,
        query: &str,
        variables: &Value,
    ) -> Option<Value> {
        match self.client.ask(server, token, query, variables).await {
            Ok(answer) => match error(&answer) {
                None => {
                    self.reads.count_checked();
                    Some(answer["data"].clone())
                }
                Some((code, message)) => {
                    self.reads.count_failed(&code);
                    // A storage that is too slow on this machine is counted as a failed read, and is no violation.
                    if !["UNAVAILABLE", "TIMEOUT"].contains(&code.as_str()) {
                        self.ledger().violate(
                            Kind::Reading,
                            format!("{query} {variables} answers {code}: {message}"),
                            Vec::new(),
                        );
                    }
                    None
                }
            },
            Err(NoAnswer::NotSent) => None,
            Err(NoAnswer::Lost(_)) => {
                self.reads.count_failed("connection lost");
                None
            }
        }
    }
}
