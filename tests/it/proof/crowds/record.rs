//! The record of changes, compared with the replies to the editors. The rule: each version is recorded once, under the editor that made it; a refused
//! change is never recorded, one with an unknown outcome at most once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tidings::model::TermKind;

use super::audit::{Audit, Found};
use super::change::Change;
use super::content::{Expected, FIELDS, Shown, text};
use super::ledger::Operation;
use super::violations::Kind;

/// The name under which the changes of an import are recorded.
pub(super) const IMPORT: &str = "import";
const PAGE: usize = 100;
const REVISIONS_PAGE: usize = 50;
/// The present version and the earlier versions that are kept of each post.
const REVISIONS_KEPT: i32 = 101;

/// The editors that are recorded to have made a version of a post, or to have deleted it (`None`).
type Recorded = BTreeMap<(String, Option<i32>), Vec<String>>;

impl Audit<'_> {
    pub(super) async fn compare_record(&self, found: &Found) {
        let (posts, terms) = self.read_record().await;
        self.compare_acknowledged(&posts);
        self.compare_recorded(&posts);
        self.compare_terms(&terms);
        self.compare_feed(&posts).await;
        for shown in found.posts() {
            self.compare_revisions(shown).await;
        }
        let seen: Vec<_> = self.scene.ledger().seen.keys().cloned().collect();
        for (id, version) in seen.into_iter().filter(|(id, version)| !posts.contains_key(&(id.clone(), Some(*version))))
        {
            self.violate(Kind::Record, format!("version {version} was shown, and is not recorded"), &[id]);
        }
    }

    /// The record of posts; and of terms, by editor, how many were saved and how many deleted.
    async fn read_record(&self) -> (Recorded, BTreeMap<String, [usize; 2]>) {
        let (mut posts, mut terms) = (Recorded::new(), BTreeMap::<String, [usize; 2]>::new());
        let mut after = Value::Null;
        loop {
            let query = format!(
                "query($after: String) {{ auditLog(first: {PAGE}, after: $after) {{ nodes {{ actions actor {{ name }} ... on ContentAuditLogEntry {{ nodeId version }} }} \
                 pageInfo {{ hasNextPage endCursor }} }} }}"
            );
            let page = self.ask(&query, json!({ "after": after })).await["auditLog"].take();
            for change in page["nodes"].as_array().into_iter().flatten() {
                // The tokens of the editors are changes of the test itself.
                let Some(id) = change["nodeId"].as_str().map(ToOwned::to_owned) else { continue };
                let by = text(&change["actor"]["name"]);
                let is_deleted = change["actions"] == json!(["DELETED"]);
                if id.starts_with("post-") {
                    let version = change["version"].as_i64().and_then(|version| i32::try_from(version).ok());
                    posts.entry((id, version.filter(|_| !is_deleted))).or_default().push(by);
                } else {
                    terms.entry(by).or_default()[usize::from(is_deleted)] += 1;
                }
            }
            after = page["pageInfo"]["endCursor"].clone();
            if page["pageInfo"]["hasNextPage"] != json!(true) {
                return (posts, terms);
            }
        }
    }

    /// Checks that the follower of the feed has learnt of every recorded version and deletion, and of no other.
    async fn compare_feed(&self, recorded: &Recorded) {
        while self.scene.follow(self.server).await == Some(true) {}
        let seen = self.scene.followed().seen.clone();
        let recorded: BTreeSet<_> = recorded.keys().cloned().collect();
        for (id, version) in seen.symmetric_difference(&recorded) {
            let what = if seen.contains(&(id.clone(), *version)) {
                "in the feed, and not recorded"
            } else {
                "missing in the feed"
            };
            self.violate(Kind::Record, format!("{} is {what}", name(*version)), std::slice::from_ref(id));
        }
    }

    /// Checks that each acknowledged version and deletion is recorded once, under its editor.
    fn compare_acknowledged(&self, recorded: &Recorded) {
        let mut wrong = Vec::new();
        {
            let ledger = self.scene.ledger();
            for (id, tracked) in ledger.all_posts() {
                let made = tracked.versions.iter().map(|(version, made)| (Some(*version), made.operation));
                for (version, operation) in made.chain(tracked.deleted.map(|operation| (None, operation))) {
                    let editor = &ledger.operations[operation].editor;
                    let by = recorded.get(&(id.clone(), version)).map_or(&[][..], Vec::as_slice);
                    if by != std::slice::from_ref(editor) {
                        wrong.push((
                            id.clone(),
                            format!("{} was made by {editor} and is recorded by {by:?}", name(version)),
                        ));
                    }
                }
            }
        }
        wrong.into_iter().for_each(|(id, what)| self.violate(Kind::Record, what, &[id]));
    }

    /// Checks that every other entry is of a change with an unknown outcome, or of an import, and is recorded once.
    fn compare_recorded(&self, recorded: &Recorded) {
        let mut wrong = Vec::new();
        {
            let ledger = self.scene.ledger();
            let tracked: BTreeMap<_, _> = ledger.all_posts().collect();
            for ((id, version), by) in recorded {
                let known = tracked.get(id);
                let is_acknowledged = known.is_some_and(|known| match version {
                    Some(version) => known.versions.contains_key(version),
                    None => known.deleted.is_some(),
                });
                if is_acknowledged {
                    continue;
                }
                let open = known.into_iter().flat_map(|known| &known.open).chain(&ledger.open_creations);
                let may_have_made = |by: &String| {
                    by == IMPORT || open.clone().any(|number| makes(&ledger.operations[*number], by, *version))
                };
                if by.len() != 1 || !by.iter().all(may_have_made) {
                    wrong.push((
                        id.clone(),
                        format!("{} is recorded by {by:?}, and was acknowledged to nobody", name(*version)),
                    ));
                }
            }
        }
        wrong.into_iter().for_each(|(id, what)| self.violate(Kind::Record, what, &[id]));
    }

    /// Of editors that change only terms: checks that each acknowledged change is recorded.
    fn compare_terms(&self, recorded: &BTreeMap<String, [usize; 2]>) {
        let mut expected: BTreeMap<String, [[usize; 2]; 2]> = BTreeMap::new();
        for operation in self.scene.ledger().operations.iter().filter(|operation| operation.change.is_of_a_term()) {
            let counts =
                &mut expected.entry(operation.editor.clone()).or_default()[usize::from(operation.change.is_deletion())];
            counts[0] += usize::from(operation.outcome.is_made());
            // A rename with a new name is two changes.
            let changes = if matches!(operation.change, Change::SaveTerm { new_slug: Some(_), .. }) { 2 } else { 1 };
            counts[1] += changes * usize::from(operation.outcome.is_made() || operation.outcome.is_unknown());
        }
        for (editor, expected) in expected {
            let recorded = recorded.get(&editor).copied().unwrap_or_default();
            for ((what, recorded), [least, most]) in ["saved", "deleted"].into_iter().zip(recorded).zip(expected) {
                if recorded < least || recorded > most {
                    self.violate(
                        Kind::Record,
                        format!("{editor} {what} {least} to {most} terms; {recorded} are recorded"),
                        &[],
                    );
                }
            }
        }
    }

    /// Checks that the versions of a post are kept as they were made, under the editor that made them.
    async fn compare_revisions(&self, shown: &Shown) {
        let mut after = Value::Null;
        let mut found = BTreeMap::new();
        loop {
            let fields = FIELDS
                .replace("id version slug title status", "version changedBy { name } slug title")
                .replace("series { series { id slug } }", "series { id slug }");
            let query = format!(
                "query($after: String) {{ node(id: {:?}) {{ ... on Post {{ version revisions(first: {REVISIONS_PAGE}, after: $after) \
                 {{ nodes {{ {fields} }} pageInfo {{ hasNextPage endCursor }} }} }} }} }}",
                shown.id
            );
            let page = self.ask(&query, json!({ "after": after })).await["node"]["revisions"].take();
            for node in page["nodes"].as_array().into_iter().flatten() {
                let shown = Shown::of(node);
                found.extend(shown.map(|shown| (shown.version, (text(&node["changedBy"]["name"]), shown.content))));
            }
            after = page["pageInfo"]["endCursor"].clone();
            if page["pageInfo"]["hasNextPage"] != json!(true) {
                break;
            }
        }
        let newest = found.last_key_value().map_or(0, |(version, _)| *version);
        let oldest = (newest - REVISIONS_KEPT + 1).max(1);
        let mut wrong = Vec::new();
        {
            let ledger = self.scene.ledger();
            let Some(tracked) = ledger.posts.get(&shown.id) else { return };
            for version in oldest..=newest {
                let Some((by, content)) = found.get(&version) else {
                    wrong.push(format!("revision {version} is missing"));
                    continue;
                };
                let Some(made) = tracked.versions.get(&version) else { continue };
                let editor = &ledger.operations[made.operation].editor;
                // The slug of a deleted term may belong to another term by now.
                let expected = match self.workload.has_fixed_terms() {
                    true => made.content.expected(),
                    false => Expected { terms: [const { None }; TermKind::ALL.len()], ..made.content.expected() },
                };
                if by != editor || !expected.lacks_only_terms(content) {
                    wrong.push(format!(
                        "revision {version} is by {by:?}, {content:?}; {editor} made {:?}",
                        made.content
                    ));
                }
            }
        }
        wrong.into_iter().for_each(|what| self.violate(Kind::Record, what, std::slice::from_ref(&shown.id)));
    }
}

fn name(version: Option<i32>) -> String {
    version.map_or_else(|| "the deletion".to_owned(), |version| format!("version {version}"))
}

/// Whether this operation, whose outcome is unknown, would be recorded like this.
fn makes(operation: &Operation, by: &str, version: Option<i32>) -> bool {
    let based_on = operation.change.base().map_or(0, |base| base.version);
    let is_alike = match version {
        Some(version) => !operation.change.is_deletion() && based_on == version - 1,
        None => operation.change.is_deletion(),
    };
    operation.outcome.is_unknown() && operation.editor == by && is_alike
}
