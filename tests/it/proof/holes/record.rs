//! The record of changes. Of two editors of one version the refused one was recorded too; changes of terms that another server completed were never
//! recorded; and old entries were never deleted.

use std::sync::Arc;
use std::time::Duration;

use tidings::app::{Listeners, Serving, serve};
use tidings::graphql::access::SignIn;
use tidings::graphql::cost::STORAGE_REQUESTS_MAX;
use tidings::graphql::fair_use::FairUseSettings;
use tidings::http::{HttpSettings, ServerLimits};
use tidings::keys::change_name::ChangeName;
use tidings::keys::{Table, history};
use tidings::model::AllowedHosts;
use tidings::store::{Precondition, Store};
use tidings::testing::rows::change::{self, Action, ChangeRow};

use crate::proof::scene::{Scene, delete, delete_tag, redate, rename_tag, retitle, retitle_and_rename, save_tag};
use crate::proof::stage::Stage;
use crate::support::asking::Reply;
use crate::support::memory::MemoryStore;
use crate::support::model::Command;
use crate::support::rows::{batch, put, scan};
use crate::support::site::instant;

use super::on_both_stores;

on_both_stores!(
    of_two_editors_on_one_version_only_the_one_who_changed_it_is_recorded,
    the_creation_of_a_tag_that_another_server_completes_is_recorded,
    the_rename_of_a_tag_that_another_server_completes_is_recorded,
    the_deletion_of_a_tag_that_another_server_completes_is_recorded,
    a_change_that_another_server_completes_is_recorded_with_its_actions,
    a_server_deletes_the_changes_of_the_year_before_the_last,
);

async fn of_two_editors_on_one_version_only_the_one_who_changed_it_is_recorded(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let mut one = stage.begin(retitle(0, "One")).await;
        one.steps(steps).await;
        let is_last = one.is_done();
        let mut other = stage.begin(retitle(0, "Other")).await;
        other.actor.go_until_it_waits().await;
        let replies = [stage.finish(one).await, stage.finish(other).await];
        assert_eq!(replies.iter().filter(|reply| matches!(reply, Reply::Done(_))).count(), 1, "{replies:?}");
        // Each version is recorded once, under the editor whose change was made.
        stage.assert_serial().await;
        if is_last {
            return;
        }
    }
}

async fn assert_recorded_if_made(store: Arc<MemoryStore>, command: Command) {
    let scene = Scene::on(store).await;
    for steps in 0.. {
        let mut stage = Stage::of(&scene);
        let mut killed = stage.begin(command.clone()).await;
        killed.steps(steps).await;
        let (name, is_last) = (killed.name, killed.is_done());
        stage.kill(killed);
        let found = stage.assert_serial().await;
        let expected = usize::from(found.tags != scene.model.tags);
        let recorded = stage.recorded(name).await;
        assert_eq!(recorded.len(), expected, "killed after {steps} requests: {recorded:?}{}", stage.story());
        if is_last {
            assert_eq!(expected, 1);
            return;
        }
    }
}

async fn the_creation_of_a_tag_that_another_server_completes_is_recorded(store: Arc<MemoryStore>) {
    assert_recorded_if_made(store, save_tag("c", "The sea")).await;
}

async fn the_rename_of_a_tag_that_another_server_completes_is_recorded(store: Arc<MemoryStore>) {
    assert_recorded_if_made(store, rename_tag("b", "sea")).await;
}

async fn the_deletion_of_a_tag_that_another_server_completes_is_recorded(store: Arc<MemoryStore>) {
    assert_recorded_if_made(store, delete_tag("free")).await;
}

async fn a_change_that_another_server_completes_is_recorded_with_its_actions(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for (command, actions) in [
        (retitle(0, "Other"), &[Action::Updated][..]),
        (retitle_and_rename(0, "Other", "other"), &[Action::Updated, Action::Renamed]),
        (redate(0, "2099-01-01T00:00:00Z"), &[Action::Unpublished, Action::Scheduled]),
        (delete(0), &[Action::Deleted]),
    ] {
        for steps in 0.. {
            let mut stage = Stage::of(&scene);
            let mut killed = stage.begin(command.clone()).await;
            killed.steps(steps).await;
            let (name, is_last) = (killed.name, killed.is_done());
            stage.kill(killed);
            stage.assert_serial().await;
            let recorded = stage.recorded(name).await;
            let is_complete = recorded.iter().all(|item| item.actions == actions && item.version > 0);
            assert!(is_complete, "killed after {steps} requests: {recorded:?}{}", stage.story());
            if is_last {
                assert_eq!(recorded.len(), 1);
                break;
            }
        }
    }
}

async fn record_at(store: &Store, at: &str) {
    let name = ChangeName::new("server", instant(at), "random");
    let key = history::change(&name);
    let row =
        change::row(&ChangeRow { at: instant(at), by: None, items: Vec::<change::ChangedItem>::new() }).expect("a row");
    let put = put(key.row(), row, Precondition::Absent);
    store.commit(Table::Changes.name(), &batch(key.partition(), vec![put])).await.expect("a write");
}

async fn a_server_deletes_the_changes_of_the_year_before_the_last(store: Arc<MemoryStore>) {
    let site = Stage::of(&Scene::on(store).await).site().await;
    let store = Arc::clone(&site.store);
    for at in ["2024-12-31T23:59:59Z", "2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"] {
        record_at(&store, at).await;
    }
    let serving = Serving {
        store_folder: None,
        assets: None,
        public_url: None,
        reads_only: false,
        sign_in: SignIn::default(),
        reports_storage: false,
        storage_requests: (STORAGE_REQUESTS_MAX, STORAGE_REQUESTS_MAX),
        fair_use: FairUseSettings::default(),
        rendered_bytes_max: 0,
        value_bytes_max: 0,
        searches: false,
        webhooks_allow: AllowedHosts::default(),
        views_months: 0,
        backups: None,
        http: HttpSettings::default(),
        server: ServerLimits::default(),
    };
    let public = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let hours = tokio::time::sleep(Duration::from_secs(25 * 3_600));
    serve(site.content, serving, Listeners { public, metrics: None }, hours).await;
    let mut years: Vec<String> = scan(&store, Table::Changes.name()).await.iter().map(year).collect();
    years.dedup();
    assert_eq!(years, ["2025", "2026"]);
}

fn year(row: &tidings::store::Entity) -> String {
    row.key.partition().to_owned()
}
