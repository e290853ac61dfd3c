//! The background work of a server, a file for each job. The rule: a job decides how often it runs, and calls a method that does the work; every server
//! that writes runs all jobs, so two runs must be possible at once.

mod backup;
mod follow;
mod purges;
mod recovery;
mod retention;
mod search;
mod unpublish;
mod views;
mod webhooks;

use std::future::Future;

use tokio::task::JoinHandle;

use crate::backup::BackupSchedule;
use crate::content::Content;
use crate::model::AllowedHosts;
use crate::purge::Purges;
use crate::telemetry::with_causes;
use views::ViewJob;

/// The jobs of a running server.
pub struct Jobs {
    tasks: Vec<JoinHandle<()>>,
    content: Content,
    reads_only: bool,
    purges: Option<Purges>,
    views: ViewJob,
}

/// Does overdue work before the first request, until `shutdown` is ready.
pub async fn catch_up(content: &Content, shutdown: impl Future<Output = ()>) {
    recovery::at_start(content).await;
    // After a time without a server, thousands of posts can be overdue.
    tokio::select! {
        _ = unpublish::once(content) => {}
        () = shutdown => {}
    }
}

impl Jobs {
    /// `webhooks`: the hosts of webhooks that are allowed in addition to the public Internet.
    pub fn start(
        content: &Content,
        reads_only: bool,
        (purges, webhooks, backups): (Option<Purges>, AllowedHosts, Option<BackupSchedule>),
    ) -> Self {
        let mut tasks =
            vec![tokio::spawn(follow::for_ever(content.clone())), tokio::spawn(search::for_ever(content.clone()))];
        let views = ViewJob::of(content);
        if !reads_only {
            tasks.push(tokio::spawn(recovery::for_ever(content.clone())));
            tasks.push(tokio::spawn(retention::for_ever(content.clone())));
            tasks.push(tokio::spawn(unpublish::for_ever(content.clone())));
            tasks.push(tokio::spawn(views.clone().for_ever()));
            tasks.push(tokio::spawn(webhooks::for_ever(content.clone(), webhooks)));
            tasks.extend(backups.map(|schedule| tokio::spawn(backup::for_ever(content.clone(), schedule))));
        }
        tasks.extend(purges.clone().map(|purges| tokio::spawn(purges::for_ever(purges))));
        Self { tasks, content: content.clone(), reads_only, purges, views }
    }

    /// Returns when all jobs have released the store.
    pub async fn stop(self) {
        self.views.stop().await;
        self.tasks.iter().for_each(JoinHandle::abort);
        for task in self.tasks {
            // The task was aborted.
            let _ = task.await;
        }
        if !self.reads_only
            && let Err(error) = self.content.release_webhooks().await
        {
            tracing::warn!(error = with_causes(&error), "webhook.not_delivered");
        }
        if let Some(purges) = self.purges {
            purges.finish().await;
        }
    }
}
