//! The record, written first, of what one change will write. The rule: while it stands, whoever finds it can finish the change or undo it.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::content::error::{ContentError, Result};
use crate::content::rows::Fields;
use crate::content::rows::packed;
use crate::keys::Table;
use crate::keys::intent::IntentName;
use crate::model::instant::TICKS_PER_SECOND;
use crate::model::{Instant, Slug, Term, TermId, TermKind};
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Store, StoreError, Value};

use super::plan::{Brief, Change};

/// How long an intent is its writer's own without being renewed; behind this time its writer is taken to have stopped.
pub const LEASE_SECONDS: i64 = 15;

/// How long an undone intent is kept: far over the time that a request may take to arrive, or a machine to wake.
const FENCE_SECONDS: i64 = 600;

/// Three tries before a lease ends.
const RENEW_EVERY: Duration = Duration::from_secs(5);

const CHANGES: &str = "Changes";
/// Between the names of the intents that a row bears.
const MARKS_BETWEEN: &str = " ";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// Of each post, what it was and what it is to be; and the tags that are made for them, once they stand.
    Posts {
        changes: Vec<(Option<Brief>, Option<Brief>)>,
        new_tags: Vec<String>,
        /// Undone, and standing on until whatever its writer may have had under way has arrived.
        #[serde(default)]
        is_fenced: bool,
        /// Who makes the changes.
        #[serde(default)]
        by: Option<String>,
    },
    /// The partitions of terms whose counts are to be copied to their directory.
    Terms { kind: String, partitions: Vec<String> },
    /// A term that gets another slug.
    Rename { kind: String, from: String, to: String },
    /// A term that is taken away, to bring it back where a post has come to bear it.
    DeleteTerm { term: TermBrief },
}

/// All of a term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermBrief {
    kind: String,
    first_slug: String,
    slug: String,
    name: String,
    description: Option<String>,
    url: Option<String>,
    former_slugs: Vec<String>,
}

impl TermBrief {
    pub fn of(term: &Term) -> Self {
        Self {
            kind: term.kind().noun().to_owned(),
            first_slug: term.id.first_slug.to_string(),
            slug: term.slug.to_string(),
            name: term.name.clone(),
            description: term.description.clone(),
            url: term.url.clone(),
            former_slugs: term.former_slugs.iter().map(Slug::to_string).collect(),
        }
    }

    /// `None` where the intent is damaged.
    pub fn to_term(&self) -> Option<Term> {
        let id = TermId { kind: TermKind::of_noun(&self.kind)?, first_slug: self.first_slug.parse().ok()? };
        let former_slugs = self.former_slugs.iter().map(|slug| slug.parse().ok()).collect::<Option<_>>()?;
        let (name, description, url) = (self.name.clone(), self.description.clone(), self.url.clone());
        Some(Term { id, slug: self.slug.parse().ok()?, name, description, url, former_slugs })
    }
}

impl Intent {
    pub fn of_posts(changes: &[Change], new_tags: &[Slug], by: Option<&str>) -> Self {
        let brief = |post: Option<&_>| post.map(Brief::of);
        Self::Posts {
            changes: changes.iter().map(|c| (brief(c.before()), brief(c.after()))).collect(),
            new_tags: new_tags.iter().map(Slug::to_string).collect(),
            is_fenced: false,
            by: by.map(ToOwned::to_owned),
        }
    }

    pub fn rename(kind: TermKind, from: &Slug, to: &Slug) -> Self {
        Self::Rename { kind: kind.noun().to_owned(), from: from.to_string(), to: to.to_string() }
    }

    pub fn is_fenced(&self) -> bool {
        matches!(self, Self::Posts { is_fenced: true, .. })
    }

    pub fn of_terms(kind: TermKind, partitions: Vec<String>) -> Self {
        Self::Terms { kind: kind.noun().to_owned(), partitions }
    }
}

/// Writes the intent, leased from now on.
pub async fn open(store: &Store, clock: &Clock, name: &IntentName, intent: &Intent) -> Result<Leased> {
    let (store, clock, properties) = (Arc::clone(store), clock.clone(), packed_properties(intent)?);
    let mut leased = Leased { store, clock, key: name.key(), properties, etag: None };
    leased.renew().await?;
    Ok(leased)
}

/// Keeps an undone intent for as long as a request of its writer's may be on its way.
pub async fn keep_fenced(store: &Store, clock: &Clock, name: &IntentName, intent: &Intent) -> Result<()> {
    let Intent::Posts { changes, new_tags, by, .. } = intent.clone() else { return Ok(()) };
    let fenced = Intent::Posts { changes, new_tags, is_fenced: true, by };
    let key = name.key();
    let mut properties = packed_properties(&fenced)?;
    properties.set("OpenUntil", until(clock, FENCE_SECONDS));
    let put = Operation::Put { row: key.row().to_owned(), properties, precondition: Precondition::None };
    store.commit(Table::Intents.name(), &Batch::new(key.partition(), vec![put])?).await?;
    Ok(())
}

fn packed_properties(intent: &Intent) -> Result<Properties> {
    let json = serde_json::to_vec(intent).expect("an intent is plain data");
    let mut properties = Properties::new();
    packed::pack(&mut properties, CHANGES, &json)
        .map_err(|e| ContentError::TooLarge { what: "one change".to_owned(), reason: e.to_string() })?;
    Ok(properties)
}

fn until(clock: &Clock, seconds: i64) -> Value {
    let until = clock.now().ticks() + seconds * TICKS_PER_SECOND;
    Value::DateTime(until.min(Instant::MAX.ticks()))
}

/// An intent whose writer is at work.
pub struct Leased {
    store: Store,
    clock: Clock,
    key: Key,
    properties: Properties,
    etag: Option<Etag>,
}

impl Leased {
    /// Does the work, and renews the lease for as long as it takes.
    ///
    /// # Errors
    /// The work's own; or [`ContentError::Conflict`] where another server has taken the intent for left and settled it.
    pub async fn while_renewed<T>(mut self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let renewing = async {
            loop {
                tokio::time::sleep(RENEW_EVERY).await;
                if let Err(error) = self.renew().await {
                    return error;
                }
            }
        };
        tokio::select! {
            done = work => done,
            error = renewing => Err(error),
        }
    }

    async fn renew(&mut self) -> Result<()> {
        let mut properties = self.properties.clone();
        properties.set("OpenUntil", until(&self.clock, LEASE_SECONDS));
        let precondition = self.etag.clone().map_or(Precondition::None, Precondition::Match);
        let put = Operation::Put { row: self.key.row().to_owned(), properties, precondition };
        let batch = Batch::new(self.key.partition(), vec![put])?;
        match self.store.commit(Table::Intents.name(), &batch).await {
            Ok(etags) => self.etag = etags.into_iter().next().flatten(),
            Err(StoreError::Precondition(_)) => return Err(ContentError::Conflict { what: "the change".to_owned() }),
            Err(e) => return Err(e.into()),
        }
        Ok(())
    }
}

/// Idempotent: an intent that is gone is closed.
pub async fn close(store: &Store, name: &IntentName) -> Result<()> {
    let key = name.key();
    let delete = Operation::Delete { row: key.row().to_owned(), precondition: Precondition::None };
    match store.commit(Table::Intents.name(), &Batch::new(key.partition(), vec![delete])?).await {
        Ok(_) | Err(StoreError::Precondition(_)) => Ok(()),
        Err(e) => Err(e.into()),
    }
}

/// Whether a row with these marks is still the matter of another intent than `own`, which will settle it. A point read for each mark.
pub async fn is_open_elsewhere(store: &Store, marks: &str, own: &IntentName) -> Result<bool> {
    Ok(!open_elsewhere(store, marks, own).await?.is_empty())
}

/// The marks of a row that is put again: the own one, and those of other intents that are open. The rule: whoever needs a row is named on
/// it, so that nobody takes it away under another.
pub async fn marks(store: &Store, standing: &str, own: &IntentName) -> Result<String> {
    let mut marks = open_elsewhere(store, standing, own).await?;
    marks.push(own.to_string());
    Ok(marks.join(MARKS_BETWEEN))
}

async fn open_elsewhere(store: &Store, marks: &str, own: &IntentName) -> Result<Vec<String>> {
    let mut open = Vec::new();
    for name in marks.split(MARKS_BETWEEN).filter_map(|mark| mark.parse::<IntentName>().ok()) {
        if name == *own {
            continue;
        }
        // One that is fenced off has been undone: it needs no row any more.
        let row = store.get(Table::Intents.name(), &name.key()).await?;
        if row.as_ref().map(read).transpose()?.is_some_and(|intent| !intent.is_fenced()) {
            open.push(name.to_string());
        }
    }
    Ok(open)
}

/// Whether the intent's writer may still be at work.
pub fn is_leased(row: &Entity, now: Instant) -> Result<bool> {
    Ok(Fields(row).instant("OpenUntil")? > now)
}

pub fn read(row: &Entity) -> Result<Intent> {
    let fields = Fields(row);
    let json = packed::unpack(&fields, CHANGES)?;
    serde_json::from_slice(&json).map_err(|_| fields.damaged(CHANGES).into())
}
