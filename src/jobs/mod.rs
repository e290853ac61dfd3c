//! The background work of a server, a file for each job. The rule: a job decides how often it runs, and what it does is a method of what it works on; every
//! server runs each, so two must be able to run at once.

mod follow;
mod purges;
mod recovery;
mod retention;
mod unpublish;

use std::future::Future;

use tokio::task::JoinHandle;

use crate::content::Content;
use crate::purge::Purges;

/// The jobs of a server that runs.
pub struct Jobs {
    tasks: Vec<JoinHandle<()>>,
    purges: Option<Purges>,
}

/// Does what is due before the first request, until `shutdown` is ready.
pub async fn catch_up(content: &Content, shutdown: impl Future<Output = ()>) {
    recovery::at_start(content).await;
    // Thousands can be due after a time without a server.
    tokio::select! {
        _ = unpublish::once(content) => {}
        () = shutdown => {}
    }
}

impl Jobs {
    pub fn start(content: &Content, reads_only: bool, purges: Option<Purges>) -> Self {
        let mut tasks = vec![tokio::spawn(follow::for_ever(content.clone()))];
        if !reads_only {
            tasks.push(tokio::spawn(recovery::for_ever(content.clone())));
            tasks.push(tokio::spawn(retention::for_ever(content.clone())));
            tasks.push(tokio::spawn(unpublish::for_ever(content.clone())));
        }
        tasks.extend(purges.clone().map(|purges| tokio::spawn(purges::for_ever(purges))));
        Self { tasks, purges }
    }

    /// Returns when no job uses the store any more.
    pub async fn stop(self) {
        self.tasks.iter().for_each(JoinHandle::abort);
        for task in self.tasks {
            // Aborted.
            let _ = task.await;
        }
        if let Some(purges) = self.purges {
            purges.finish().await;
        }
    }
}
