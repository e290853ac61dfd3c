//! The intent: the entry in a write-ahead log (a saga log) that says what one change will write. The rule: while it is open, any server that finds it
//! can finish the change or undo it (docs/design.md, "Rows").

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::content::error::{ContentError, Result};
use crate::content::tables::rows::{RowFields, packed};
use crate::content::write::plan::{Change, PostSnapshot, TermChange, TermSnapshot};
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{ActorSnapshot, Instant, PostId, Slug, TermId, TermKind};
use crate::store::{Batch, Entity, Etag, Operation, Precondition, Properties, Store, StoreError, Value};

/// How long a lease lasts without being renewed; after this time other servers assume that the writer has stopped.
pub const LEASE_SECONDS: i64 = 15;
/// How long a kept intent stays before it is swept: much longer than a request can be under way.
const KEPT_SECONDS: i64 = 600;

/// The format of this version's rows and protocol. An intent of another format is left alone.
const FORMAT: i32 = 2;
pub const FORMAT_NAME: &str = "Format";
const OPEN_UNTIL: &str = "OpenUntil";
const KEPT: &str = "Kept";
const WORK: &str = "Work";

/// What one change will write, and on whose behalf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    pub work: Work,
    /// The name of the actor that makes the change.
    by: Option<String>,
    /// Its kind and its author, as rows hold them; absent in an intent of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by_author: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// Each post before and after the change; and the tags that are created after the posts that have them.
    Posts { changes: Vec<(Option<PostSnapshot>, Option<PostSnapshot>)>, new_tags: Vec<String> },
    /// Each term before and after the change.
    Terms { changes: Vec<(Option<TermSnapshot>, Option<TermSnapshot>)> },
}

/// A row of `Intents` as it was read.
#[derive(Debug, Clone)]
pub enum StoredIntent {
    /// Its writer is at work; after `until` the writer has stopped.
    Open { intent: Intent, until: Instant },
    /// The change has ended. What names the intent is removed again after `until` (W4).
    Kept { intent: Intent, until: Instant },
    /// An intent of another version of the server.
    Foreign,
}

impl Intent {
    pub fn of_posts(changes: &[Change], new_tags: &[Slug], by: Option<&ActorSnapshot>) -> Self {
        let snapshot = |post: Option<&_>| post.map(PostSnapshot::of);
        let after = |c: &Change| snapshot(c.after()).map(|s| PostSnapshot { replaces_text: c.replaces_text(), ..s });
        let changes = changes.iter().map(|c| (snapshot(c.before()), after(c))).collect();
        let new_tags = new_tags.iter().map(Slug::to_string).collect();
        Self::of_work(Work::Posts { changes, new_tags }, by)
    }

    pub fn of_terms(changes: &[TermChange], by: Option<&ActorSnapshot>) -> Self {
        let snapshot = |term: Option<&_>| term.map(TermSnapshot::of);
        let changes = changes.iter().map(|c| (snapshot(c.before()), snapshot(c.after.as_ref()))).collect();
        Self::of_work(Work::Terms { changes }, by)
    }

    fn of_work(work: Work, by: Option<&ActorSnapshot>) -> Self {
        let by_kind = by.and_then(ActorSnapshot::kind_text).map(ToOwned::to_owned);
        let by_author = by.and_then(ActorSnapshot::author_text);
        Self { work, by: by.map(|actor| actor.name.clone()), by_kind, by_author }
    }

    /// Who makes the change.
    pub fn actor(&self) -> Option<ActorSnapshot> {
        let name = self.by.as_ref()?;
        Some(ActorSnapshot::of_texts(name, self.by_kind.as_deref(), self.by_author.as_deref()))
    }

    fn after(&self) -> impl Iterator<Item = &PostSnapshot> {
        let changes = match &self.work {
            Work::Posts { changes, .. } => changes.as_slice(),
            Work::Terms { .. } => &[],
        };
        changes.iter().filter_map(|(_, after)| after.as_ref())
    }

    /// Whether the change of a post replaces a text. `index`: of the change in the intent.
    pub fn replaces_text(&self, index: usize) -> bool {
        match &self.work {
            Work::Posts { changes, .. } => {
                changes.get(index).and_then(|(_, after)| after.as_ref()).is_some_and(|after| after.replaces_text)
            }
            Work::Terms { .. } => false,
        }
    }

    /// Whether a post has this term after the change, or a category has it as its parent.
    pub fn gives(&self, id: &TermId) -> bool {
        if let (Work::Terms { changes }, TermKind::Category) = (&self.work, id.kind) {
            let mut parents = changes.iter().filter_map(|(_, after)| after.as_ref()?.parent.as_ref());
            return parents.any(|parent| parent == id.first_slug.as_str());
        }
        let kind = |snapshot: &PostSnapshot| match id.kind {
            TermKind::Category => snapshot.categories.clone(),
            TermKind::Tag => snapshot.tags.clone(),
            TermKind::Author => snapshot.authors.clone(),
            TermKind::Series => snapshot.series.iter().cloned().collect(),
        };
        self.after().any(|snapshot| kind(snapshot).iter().any(|slug| slug == id.first_slug.as_str()))
    }

    /// Whether the change writes this post.
    pub fn changes_post(&self, id: &PostId) -> bool {
        match &self.work {
            Work::Posts { changes, .. } => {
                changes.iter().flat_map(|(before, after)| [before, after]).flatten().any(|post| post.id == id.as_str())
            }
            Work::Terms { .. } => false,
        }
    }
}

/// The row of an open intent, leased for [`LEASE_SECONDS`] from now on, and the instant at which the lease expires.
fn leased(clock: &Clock, packed: &Properties) -> (Properties, Instant) {
    let until = after(clock, LEASE_SECONDS);
    let mut properties = packed.clone();
    properties.set(OPEN_UNTIL, Value::DateTime(until.ticks()));
    (properties, until)
}

/// # Errors
/// [`ContentError::TooLarge`] if the intent does not fit a row.
pub fn pack(intent: &Intent) -> Result<Properties> {
    let json = serde_json::to_vec(intent).expect("an intent is plain data");
    let mut properties = Properties::new();
    properties.set(FORMAT_NAME, Value::Int32(FORMAT));
    packed::pack(&mut properties, WORK, &json)
        .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
    Ok(properties)
}

fn after(clock: &Clock, seconds: i64) -> Instant {
    let ticks = clock.now().ticks().saturating_add(seconds * TICKS_PER_SECOND);
    Instant::from_ticks(ticks).unwrap_or(Instant::MAX)
}

/// Writes the row of an open intent with a new lease. `etag`: the ETag of the row that it replaces.
pub async fn put_leased(
    store: &Store,
    clock: &Clock,
    name: &IntentName,
    packed: &Properties,
    etag: Option<&Etag>,
) -> Result<(Option<Etag>, Instant), StoreError> {
    let (properties, until) = leased(clock, packed);
    let precondition = etag.cloned().map_or(Precondition::Absent, Precondition::Match);
    let etags = put(store, name, properties, precondition).await?;
    Ok((etags, until))
}

/// Closes an intent of which a request may still be under way: it is kept, and swept later.
pub async fn keep(store: &Store, clock: &Clock, name: &IntentName, intent: &Intent) -> Result<()> {
    let mut properties = pack(intent)?;
    properties.set(KEPT, Value::Boolean(true));
    properties.set(OPEN_UNTIL, Value::DateTime(after(clock, KEPT_SECONDS).ticks()));
    put(store, name, properties, Precondition::None).await?;
    Ok(())
}

async fn put(
    store: &Store,
    name: &IntentName,
    properties: Properties,
    precondition: Precondition,
) -> Result<Option<Etag>, StoreError> {
    let key = name.key();
    let put = Operation::Put { row: key.row().to_owned(), properties, precondition };
    let etags = store.commit(Table::Intents.name(), &Batch::new(key.partition(), vec![put])?).await?;
    Ok(etags.into_iter().next().flatten())
}

/// Closes an intent by deleting its row. Idempotent, because an intent without a row is closed.
pub async fn close(store: &Store, name: &IntentName) -> Result<()> {
    let key = name.key();
    let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::None };
    match store.commit(Table::Intents.name(), &Batch::new(key.partition(), vec![delete])?).await {
        Ok(_) | Err(StoreError::Precondition(_)) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

/// # Errors
/// If the row is damaged.
pub fn read(row: &Entity) -> Result<StoredIntent> {
    let fields = RowFields(row);
    if row.properties.get(FORMAT_NAME).is_none() || fields.int32(FORMAT_NAME)? != FORMAT {
        return Ok(StoredIntent::Foreign);
    }
    let json = packed::unpack(&fields, WORK)?;
    let intent: Intent = serde_json::from_slice(&json).map_err(|_| fields.damaged(WORK))?;
    let until = fields.instant(OPEN_UNTIL)?;
    Ok(if fields.flag(KEPT)? { StoredIntent::Kept { intent, until } } else { StoredIntent::Open { intent, until } })
}

/// Whether the intent is closed: absent, or kept (W1). One point read.
pub async fn is_closed(store: &Store, name: &IntentName) -> Result<bool> {
    let row = store.get(Table::Intents.name(), &name.key()).await?;
    Ok(row.is_none_or(|row| is_kept(&row)))
}

/// Whether the intent of this row is kept, whichever version wrote the row.
pub(super) fn is_kept(row: &Entity) -> bool {
    RowFields(row).flag(KEPT).unwrap_or(false)
}

/// Whether the lease of an intent's row has not expired, whichever version wrote the row. A kept intent has no lease.
pub fn is_leased(row: &Entity, now: Instant) -> bool {
    let fields = RowFields(row);
    fields.instant(OPEN_UNTIL).is_ok_and(|until| until > now) && !is_kept(row)
}

/// Checks what permits a writer to remove rows (W3): its intent, read after the rows, is still open.
///
/// # Errors
/// [`ContentError::LeaseLost`] if another server has finished or undone the change.
pub async fn require_open(store: &Store, name: &IntentName) -> Result<()> {
    match is_closed(store, name).await? {
        false => Ok(()),
        true => Err(ContentError::LeaseLost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ActorKind;

    fn read(text: &str) -> Intent {
        serde_json::from_str(text).expect("an intent")
    }

    #[test]
    fn an_intent_keeps_its_actor_and_one_of_an_earlier_version_has_the_name() {
        let token = ActorSnapshot { kind: ActorKind::Token, ..ActorSnapshot::import() };
        let written = serde_json::to_string(&Intent::of_terms(&[], Some(&token))).expect("JSON");
        assert_eq!(read(&written).actor(), Some(token));
        let earlier = |by: &str| read(&format!(r#"{{"work":{{"Terms":{{"changes":[]}}}},"by":{by}}}"#)).actor();
        let kind = |by: &str| earlier(by).map(|actor| actor.kind);
        assert_eq!(kind(r#""Grace""#), Some(ActorKind::Unknown));
        assert_eq!(kind(r#""import""#), Some(ActorKind::Import));
        assert_eq!(earlier("null"), None);
    }

    /// A server that finds the intent finishes the change, also if it does not know the kind of the actor.
    #[test]
    fn an_intent_whose_actor_a_later_version_wrote_has_an_unknown_one() {
        let token = ActorSnapshot { kind: ActorKind::Token, ..ActorSnapshot::import() };
        let written = serde_json::to_string(&Intent::of_terms(&[], Some(&token))).expect("JSON");
        let later = written.replace(r#""by_kind":"token""#, r#""by_kind":"webhook","by_author":"?""#);
        assert_ne!(later, written);
        assert_eq!(read(&later).actor(), Some(ActorSnapshot { kind: ActorKind::Unknown, ..token }));
    }
}
