//! Replies to mutations. Changes of terms that were made were reported as failed if their last steps failed; after a lost answer the client was asked
//! to try again, and so created a second post; a change that another server had completed was reported as a conflict; and a version with a deleted
//! term was a conflict for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tidings::keys::Table;
use tidings::model::TermKind;
use tidings::store::{Batch, Continuation, Entity, Etag, Key, Page, Precondition, Result, RowRange, Store, TableStore};
use tokio::sync::Notify;

use crate::proof::scene::{
    Scene, create, delete, delete_tag, later, redate, rename, rename_tag, retag, retitle, save_tag, server,
};
use crate::proof::stage::Stage;
use crate::support::asking::{Reply, ask};
use crate::support::faulty::{FaultyStore, Last};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Model};
use crate::support::pass_on::pass_on;
use crate::support::rows::{batch, delete as delete_row, scan};
use crate::support::site::Site;

use super::on_both_stores;

on_both_stores!(
    a_change_that_is_made_is_not_reported_as_not_made_whatever_fails_after_it,
    a_change_whose_outcome_is_not_known_says_so_and_what_to_do,
    a_version_with_a_tag_whose_slug_is_another_tags_is_refused_by_the_name_of_the_tag,
    a_draft_with_a_category_that_is_gone_is_refused_by_the_name_of_the_category,
);

async fn a_change_that_is_made_is_not_reported_as_not_made_whatever_fails_after_it(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    let commands: [Command; 10] = [
        save_tag("c", "The sea"),
        save_tag("a", "Another name"),
        rename_tag("b", "sea"),
        delete_tag("free"),
        create("new", &["a", "c"]),
        retag(0, &["b", "c"]),
        rename(0, "new"),
        redate(0, "2026-05-20T00:00:00Z"),
        redate(2, "2026-02-01T00:00:00Z"),
        delete(0),
    ];
    for command in commands {
        for requests in 0.. {
            let stage = Stage::of(&scene);
            let faulty = FaultyStore::stopping_after_start(stage.store.clone(), requests, Last::Unsent);
            let content = server(faulty.clone(), &later(&stage.clock, 1)).await;
            faulty.begin();
            let reply = ask(&content, &command).await;
            let is_made = Model::of(&stage.server().await).await != scene.model;
            let is_true = match &reply {
                Reply::Done(_) => is_made,
                Reply::Refused(_) => false,
                Reply::Unknown(why) => !is_made || why.contains("not known whether the change was made"),
            };
            assert!(is_true, "{command:?}, the storage gone after {requests} requests, made: {is_made}: {reply:?}");
            let is_done = matches!(reply, Reply::Done(_));
            if !faulty.has_stopped() {
                assert!(is_done, "{command:?}: {reply:?}");
                break;
            }
        }
    }
}

/// The outcome of a change, as the answer says it.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Made,
    Unknown,
    NotMade(String),
}

async fn mutate(content: tidings::content::Content, stage: &Stage, mutation: &str) -> Answer {
    let site = Site { content, store: stage.store.clone(), clock: stage.clock.clone() };
    let body = site.mutate(mutation, json!({}), Some(EDITOR_TOKEN)).await.body;
    let user_error = &body["data"]["done"]["userErrors"][0];
    let code = |error: &Value| error["code"].as_str().map(str::to_owned);
    match code(&body["errors"][0]["extensions"]).or_else(|| code(user_error)) {
        None => Answer::Made,
        Some(unknown) if unknown == "OUTCOME_UNKNOWN" => {
            let message = body["errors"][0]["message"].as_str().unwrap_or_default();
            assert!(message.contains("read the content again"), "{message}");
            Answer::Unknown
        }
        Some(code) => Answer::NotMade(code),
    }
}

const CREATE: &str = r#"mutation { done: createPost(input: {
    slug: "new", title: "New", markdown: "x", publishAt: "2026-05-03T00:00:00Z", tagSlugs: ["a", "c"], createMissingTags: true
}) { userErrors { code } } }"#;
const RENAME_TAG: &str = r#"mutation { done: updateTag(input: { @tag(b), slug: "sea" }) { userErrors { code } } }"#;

/// Whether a change is made after another server has started.
async fn is_made_after_all(stage: &Stage, before: &Model) -> bool {
    stage.site().await.assert_sound().await;
    Model::of(&stage.server().await).await != *before
}

async fn a_change_whose_outcome_is_not_known_says_so_and_what_to_do(store: Arc<MemoryStore>) {
    let scene = Scene::on(store).await;
    for mutation in [CREATE, RENAME_TAG] {
        let mut unknown = 0;
        for requests in 0.. {
            let stage = Stage::of(&scene);
            // The answer to one request is lost, and then the storage cannot be reached.
            let faulty = FaultyStore::stopping_after_start(stage.store.clone(), requests, Last::Lost);
            let content = server(faulty.clone(), &later(&stage.clock, 1)).await;
            faulty.begin();
            let answer = mutate(content, &stage, mutation).await;
            let is_made = is_made_after_all(&stage, &scene.model).await;
            let is_true = match &answer {
                Answer::Made => is_made,
                Answer::Unknown => true,
                Answer::NotMade(_) => !is_made,
            };
            assert!(is_true, "answer {requests} lost: {answer:?}, made: {is_made}");
            unknown += usize::from(answer == Answer::Unknown);
            if !faulty.has_stopped() {
                break;
            }
        }
        assert!(unknown > 0, "the answer to the commit was never lost");
    }
}

/// A store that carries out one of its requests and holds the answer back.
struct Late {
    inner: Store,
    /// Requests before that one.
    left: AtomicI64,
    was_carried_out: Notify,
    go: Notify,
}

impl Late {
    async fn hold<T>(&self, answer: T) -> T {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            self.was_carried_out.notify_one();
            self.go.notified().await;
        }
        answer
    }
}

#[async_trait::async_trait]
impl TableStore for Late {
    pass_on!(inner: create_tables, ping);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.hold(self.inner.get(table, key).await).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.hold(self.inner.range(table, range, limit, continuation).await).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.hold(self.inner.commit(table, batch).await).await
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.hold(self.inner.scan(table, continuation).await).await
    }
}

/// On tables only, because no other server uses a file.
#[tokio::test(start_paused = true)]
async fn a_change_that_another_server_completes_while_an_answer_is_late_is_reported_as_made() {
    let scene = Scene::on(MemoryStore::empty()).await;
    let between = retitle(1, "Between");
    let with_other = scene.model.after(&between, "").expect("a change");
    for (mutation, other_changes) in [(CREATE, false), (RENAME_TAG, false), (CREATE, true), (RENAME_TAG, true)] {
        for requests in 0.. {
            let stage = Stage::of(&scene);
            let late = Arc::new(Late {
                inner: stage.store.clone(),
                left: i64::MAX.into(),
                was_carried_out: Notify::new(),
                go: Notify::new(),
            });
            let content = server(late.clone(), &later(&stage.clock, 1)).await;
            late.left.store(requests, Ordering::SeqCst);
            let was_late = AtomicBool::new(false);
            let meanwhile = async {
                late.was_carried_out.notified().await;
                was_late.store(true, Ordering::SeqCst);
                let other = server(stage.store.clone(), &later(&stage.clock, 2)).await;
                if other_changes {
                    let reply = ask(&other, &between).await;
                    assert!(matches!(reply, Reply::Done(_)), "{reply:?}");
                }
                late.go.notify_one();
            };
            let (answer, ()) = tokio::join!(mutate(content, &stage, mutation), async {
                tokio::select! {
                    () = meanwhile => {}
                    () = tokio::time::sleep(Duration::from_secs(60)) => {}
                }
            });
            let was_late = was_late.into_inner();
            let before = if was_late && other_changes { &with_other } else { &scene.model };
            let is_made = is_made_after_all(&stage, before).await;
            let is_correct = if is_made { answer == Answer::Made } else { matches!(answer, Answer::NotMade(_)) };
            assert!(is_correct, "answer {requests} late: {answer:?}, made: {is_made}");
            if !was_late {
                break;
            }
        }
    }
}

/// The payload of a mutation.
async fn payload(site: &Site, mutation: &str) -> Value {
    let answer = site.mutate(&format!("mutation {{ done: {mutation} }}"), json!({}), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer.get("errors"), None, "{mutation}");
    answer["data"]["done"].clone()
}

const ERRORS: &str = "userErrors { code message }";

async fn made(site: &Site, mutation: &str) -> Value {
    let payload = payload(site, mutation).await;
    assert_eq!(payload["userErrors"], json!([]), "{mutation}");
    payload
}

async fn assert_names_missing_term(site: &Site, mutation: &str, name: &str) {
    let refused = payload(site, mutation).await;
    let error = &refused["userErrors"][0];
    let message = error["message"].as_str().unwrap_or_default();
    assert!(error["code"] == "NOT_FOUND" && message.contains(name), "{mutation}: {refused}");
}

async fn a_version_with_a_tag_whose_slug_is_another_tags_is_refused_by_the_name_of_the_tag(store: Arc<MemoryStore>) {
    let site = Stage::of(&Scene::on(store).await).site().await;
    let create = format!(
        r#"createPost(input: {{ title: "One", markdown: "x", tagSlugs: ["late"], createMissingTags: true }}) {{ post {{ id }} {ERRORS} }}"#
    );
    let id = made(&site, &create).await["post"]["id"].as_str().expect("an id").to_owned();
    for change in [
        format!(r#"updatePost(input: {{ id: "{id}", expectedVersion: 1, tagSlugs: [] }}) {{ {ERRORS} }}"#),
        format!(r#"deleteTag(input: {{ @tag(late) }}) {{ {ERRORS} }}"#),
        format!(r#"updateTag(input: {{ @tag(free), slug: "late" }}) {{ {ERRORS} }}"#),
    ] {
        made(&site, &change).await;
    }
    let restore = format!(
        r#"restoreRevision(input: {{ revisionId: "{}-1", expectedVersion: 2 }}) {{ {ERRORS} }}"#,
        id.replace("post-", "revision-")
    );
    assert_names_missing_term(&site, &restore, "late").await;
}

/// No deletion leaves a draft like this, but an import by another program or an earlier bug may have.
async fn a_draft_with_a_category_that_is_gone_is_refused_by_the_name_of_the_category(store: Arc<MemoryStore>) {
    let stage = Stage::of(&Scene::on(store).await);
    let site = stage.site().await;
    made(&site, &format!(r#"createCategory(input: {{ slug: "plans", name: "Plans" }}) {{ {ERRORS} }}"#)).await;
    let create = format!(
        r#"createPost(input: {{ title: "One", markdown: "x", categorySlugs: ["plans"] }}) {{ post {{ id }} {ERRORS} }}"#
    );
    let id = made(&site, &create).await["post"]["id"].as_str().expect("an id").to_owned();
    let table = Table::Terms(TermKind::Category).name();
    for row in scan(&site.store, table).await {
        if row.key.partition() == "p" && row.key.row() != tidings::keys::COUNT_ROW {
            let delete = delete_row(row.key.row(), Precondition::None);
            site.store.commit(table, &batch("p", vec![delete])).await.expect("a write");
        }
    }
    let publish = format!(r#"publishPost(input: {{ id: "{id}", expectedVersion: 1 }}) {{ {ERRORS} }}"#);
    assert_names_missing_term(&site, &publish, "plans").await;
}
