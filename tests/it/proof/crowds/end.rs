//! The end of a run: the editors have stopped, a start completes the changes of killed servers, and everything is compared. The rule: `check` runs
//! before anything is changed again, and again after the probes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings::model::TermKind;

use super::audit::Audit;
use super::content::term_id;
use super::fleet::{Fleet, is_of_slow_storage};
use super::readers::type_name;
use super::run::blocking;
use super::scene::Scene;
use super::violations::Kind;
use super::workload::Workload;

/// How long a server is tried again that does not start because the storage is slow.
const START_MAX: Duration = Duration::from_secs(100);
const START_PAUSE: Duration = Duration::from_secs(4);

pub(super) struct End<'a> {
    pub workload: Workload,
    pub fleet: &'a Arc<Fleet>,
    pub scene: &'a Scene,
}

impl End<'_> {
    /// Checks everything that must hold after every editor has stopped.
    pub(super) async fn audit(&self) {
        self.stop().await;
        self.fleet.storage.be_quick();
        self.start_and_check("after a start").await;
        if !self.start().await {
            return;
        }
        for server in 0..self.fleet.count() {
            let audit = self.on(server);
            let found = audit.find().await;
            audit.compare_all(&found).await;
        }
        let audit = self.on(0);
        let found = audit.find().await;
        audit.probe(&found).await;
        let found = audit.find().await;
        audit.compare_record(&found).await;
        self.stop().await;
        self.start_and_check("after the probes").await;
    }

    fn on(&self, server: usize) -> Audit<'_> {
        Audit { scene: self.scene, workload: self.workload, server }
    }

    async fn stop(&self) {
        if let Err(complaint) = blocking(self.fleet, Fleet::stop_all).await {
            self.scene.ledger().violate(Kind::Server, complaint, Vec::new());
        }
    }

    /// Starts all servers, and returns whether they run.
    async fn start(&self) -> bool {
        let began = Instant::now();
        loop {
            let Err(complaint) = blocking(self.fleet, Fleet::start_all).await else { return true };
            if !is_of_slow_storage(&complaint) || began.elapsed() > START_MAX {
                self.scene.ledger().violate(Kind::Server, complaint, Vec::new());
            }
            if began.elapsed() > START_MAX {
                return false;
            }
            tokio::time::sleep(START_PAUSE).await;
        }
    }

    /// Runs `check` after a start of the servers, which completes what others have left.
    async fn start_and_check(&self, when: &str) {
        self.start().await;
        self.stop().await;
        let ran = self.fleet.storage.run(&["check"]).await;
        let lines: Vec<&str> = ran.out.lines().collect();
        let (_, differences) = lines.split_last().unwrap_or((&"", &[]));
        let mut ledger = self.scene.ledger();
        let known: Vec<String> = ledger.all_posts().map(|(id, _)| id.clone()).collect();
        for difference in differences {
            let is_named = |id: &&String| id.strip_prefix("post-").is_some_and(|bare| difference.contains(bare));
            let subjects = known.iter().filter(is_named).cloned().chain(term_of(difference)).collect();
            ledger.violate(Kind::Check, format!("check, {when}: {difference}"), subjects);
        }
        if ran.code != Some(0) && differences.is_empty() {
            ledger.violate(Kind::Check, format!("check, {when}: {ran:?}"), Vec::new());
        }
    }
}

/// The id of the term whose index a line of `check` is about: `PostsByTag(first-slug, …): …`.
fn term_of(difference: &str) -> Option<String> {
    let (table, rest) = difference.split_once('(')?;
    let kind = TermKind::ALL.into_iter().find(|kind| table == format!("PostsBy{}", type_name(*kind)))?;
    Some(term_id(kind, rest.split_once(',')?.0))
}
