//! The content of a site: reading, paging, writing, checking and repairing it. The rule: this module depends neither on GraphQL nor on HTTP.

pub(crate) mod access;
pub(crate) mod assets;
mod audit;
pub mod cache;
pub mod changed;
pub(crate) mod commands;
pub(crate) mod editor;
mod ends;
pub(crate) mod error;
mod field_indexes;
pub(crate) mod maintenance;
mod random;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod tables;
pub mod views;
pub mod webhooks;
pub(crate) mod write;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

pub use crate::store::{
    AccessKind, AccessedRows, Explained, ExplainedRequest, Explanation, NEAR_ROWS_MAX, StorageUse, Tag,
};
pub use error::{ContentError, Result};
pub use read::Reader;
pub(crate) use write::MOVED_MAX as MOVED_PAGES_MAX;
pub use write::Writer;

use crate::assets::AssetLibrary;
use crate::clock::Clock;
use crate::keys::Table;
use crate::model::site::SiteUrl;
use crate::model::{AllowedHosts, IndexedFields, Instant, SiteFields, WebhookId};
use crate::store::log::TRUSTED_FOR;
use crate::store::{CountingStore, Key, LogSettings, ReportingStore, SocketServer, Store, WriteReport};
use crate::views::Views;
use access::TokenCache;
use cache::{Announcements, ValueCache};
use changed::{ChangeReport, ChangeSink};
use field_indexes::{CheckedFields, FieldIndexes};
use read::{LiveFeed, Renderer};
use search::SearchIndexes;
pub use search::SearchSettings;
use tables::rows::token::Bytes32;
use tables::{PartitionCatalogs, role_of_row};

/// Whether other processes can write to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    Alone,
    /// Other servers can; this one sees their changes within this time.
    Shared {
        seen_within: Duration,
    },
    /// A server has the store file open, and this process uses the store through it, and sees the changes of others within this time.
    Beside {
        seen_within: Duration,
    },
}

/// The content of one site, in one store.
#[derive(Clone)]
pub struct Content {
    store: Store,
    /// The store without the counting of a single request's storage requests.
    uncounted: Store,
    partition_catalogs: Arc<PartitionCatalogs>,
    tokens: Arc<TokenCache>,
    renderer: Arc<Renderer>,
    values: Option<Arc<ValueCache>>,
    /// `None` if no storage for the bytes of pictures is configured.
    assets: Option<AssetLibrary>,
    /// Seals the positions in the log of changes; `None` until it is read. It changes only if a new log is begun.
    log_key: Arc<Mutex<Option<Bytes32>>>,
    live: Arc<LiveFeed>,
    /// `None` if search is turned off.
    search: Option<Arc<SearchIndexes>>,
    clock: Clock,
    sharing: Sharing,
    /// The hosts of webhooks that are allowed in addition to the public Internet.
    allowed_hosts: Arc<AllowedHosts>,
    /// The name of this process among the senders of webhooks.
    sender_name: Arc<str>,
    field_indexes: Arc<FieldIndexes>,
    /// The declared fields. They determine which fields are accepted, shown and indexed; the store can contain other fields, too.
    fields: SiteFields,
    /// The declared fields of posts with `@index`.
    declared_indexes: IndexedFields,
    /// `None` if no views are counted.
    views: Option<Arc<Views>>,
}

/// Invalidates the caches that do not observe writes, before another process learns that its write through this one was made.
struct CachesOfWritten {
    catalogs: Arc<PartitionCatalogs>,
    tokens: Arc<TokenCache>,
}

impl WriteReport for CachesOfWritten {
    fn were_written(&self, rows: &[(&'static str, Key)], _: bool) {
        self.catalogs.invalidate();
        if rows.iter().any(|(table, _)| *table == Table::Tokens.name()) {
            self.tokens.invalidate();
        }
    }
}

/// Whether the keys of this table's rows must not be shown: they name tokens, are hashes of a client's secrets, or count the changes of drafts.
pub fn has_secret_keys(table: &str) -> bool {
    let table = Table::ALL.into_iter().find(|known| known.name() == table);
    table.is_some_and(|table| matches!(table, Table::Tokens | Table::Webhooks | Table::Idempotency | Table::ChangeLog))
}

/// Longer than any upload, and than the difference of two machines' clocks.
const INCOMPLETE_AFTER: Duration = Duration::from_secs(60 * 60);

impl Content {
    /// The name, without the prefix, of a table that every store has.
    pub const POSTS_TABLE: &str = Table::Posts.name();

    /// The log of a store that several servers share.
    pub const LOG: LogSettings =
        LogSettings { table: Table::Log.name(), tables: &Table::NAMES, role: role_of_row, trusted_for: TRUSTED_FOR };

    /// Creates the tables that are missing.
    pub async fn open(store: Store, clock: Clock, sharing: Sharing) -> Result<Self> {
        store.create_tables(&Table::ALL.map(Table::name)).await?;
        let age_max = match sharing {
            Sharing::Alone => None,
            Sharing::Shared { seen_within } | Sharing::Beside { seen_within } => Some(seen_within),
        };
        let tokens = Arc::new(TokenCache::new(age_max));
        let renderer = Arc::new(Renderer::default());
        // The random part for a store file is always the same, so a server that was killed continues at once.
        let random = if sharing == Sharing::Alone { 0 } else { random::bits()? };
        let sender_name = WebhookId::new(Instant::MIN, random);
        Ok(Self {
            uncounted: Arc::clone(&store),
            store,
            partition_catalogs: Arc::new(PartitionCatalogs::new(age_max)),
            tokens,
            renderer,
            values: None,
            assets: None,
            log_key: Arc::default(),
            live: Arc::default(),
            search: Some(Arc::default()),
            clock,
            sharing,
            allowed_hosts: Arc::default(),
            sender_name: sender_name.as_str().into(),
            field_indexes: Arc::default(),
            fields: SiteFields::default(),
            declared_indexes: IndexedFields::default(),
            views: None,
        })
    }

    /// Sets a renderer that caches at most `bytes_max` bytes of rendered bodies. `public_url`: the server's own address, for links to pictures and files in the
    /// bodies.
    #[must_use]
    pub fn rendering(self, bytes_max: usize, public_url: Option<SiteUrl>) -> Self {
        Self { renderer: Arc::new(Renderer::keeping(bytes_max, public_url)), ..self }
    }

    /// Sets a cache of at most `bytes_max` bytes for values. Caches nothing if the store does not announce its writes.
    #[must_use]
    pub fn caching_values(self, bytes_max: usize) -> Self {
        Self { values: ValueCache::of(&self.store, bytes_max), ..self }
    }

    #[must_use]
    pub fn with_assets(self, assets: Option<AssetLibrary>) -> Self {
        Self { assets, ..self }
    }

    /// The store itself, for code that copies whole rows.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn asset_library(&self) -> Option<&AssetLibrary> {
        self.assets.as_ref()
    }

    #[must_use]
    pub fn with_fields(self, fields: SiteFields) -> Self {
        Self { declared_indexes: fields.indexed(), fields, ..self }
    }

    #[must_use]
    pub fn allowing_hosts(self, hosts: &AllowedHosts) -> Self {
        Self { allowed_hosts: Arc::new(hosts.clone()), ..self }
    }

    /// Turns search on with these settings, or off with `None`.
    #[must_use]
    pub fn searching(self, settings: Option<SearchSettings>) -> Self {
        Self { search: settings.map(|settings| Arc::new(SearchIndexes::new(settings))), ..self }
    }

    #[must_use]
    pub fn counting_views(self, views: Option<Arc<Views>>) -> Self {
        Self { views, ..self }
    }

    pub(crate) fn views(&self) -> Option<&Arc<Views>> {
        self.views.as_ref()
    }

    pub fn fields(&self) -> &SiteFields {
        &self.fields
    }

    /// The fields whose index rows a change writes: those that the site declares with `@index`, and others that the store lists.
    pub(crate) fn indexed_fields(&self) -> IndexedFields {
        self.field_indexes.get().listed.and(&self.declared_indexes)
    }

    fn checked_fields(&self) -> CheckedFields {
        let (indexed, built) = (self.indexed_fields(), self.field_indexes.get().built);
        let unbuilt = indexed.names().filter(|name| !built.has(name)).map(ToOwned::to_owned).collect();
        CheckedFields { indexed, unbuilt }
    }

    /// Refuses a filter by a field whose index is not built. At most one point read; none if this server knows that it is built.
    ///
    /// # Errors
    /// [`ContentError::IndexNotBuilt`] if a filter by this field would not find every post.
    pub async fn require_field_index(&self, name: &str) -> Result<()> {
        self.field_indexes.require(&self.store, name).await
    }

    /// Reads again which fields have an index, because another process may have changed that. One point read.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn refresh_field_indexes(&self) -> Result<()> {
        self.field_indexes.read_again(&self.store).await
    }

    /// Reports the tags of each write to this sink, after the store has carried it out.
    #[must_use]
    pub fn reporting_changes(self, sink: Arc<dyn ChangeSink>) -> Self {
        let report = Arc::new(ChangeReport::new(sink, self.clock.clone()));
        let store: Store = Arc::new(ReportingStore::new(self.store, report));
        Self { uncounted: Arc::clone(&store), store, values: None, ..self }
    }

    pub fn announcements(&self) -> Announcements {
        Announcements::new(Arc::clone(&self.store), self.clock.clone())
    }

    pub fn renderer(&self) -> &Arc<Renderer> {
        &self.renderer
    }

    /// A reader for one request, which counts its storage requests.
    pub fn reader(&self) -> Reader {
        self.reader_over(CountingStore::new(Arc::clone(&self.store)))
    }

    /// A [`reader`](Self::reader) that also notes each storage request with its purpose.
    pub fn explaining_reader(&self) -> Reader {
        self.reader_over(CountingStore::explaining(Arc::clone(&self.store)))
    }

    fn reader_over(&self, counted: Arc<CountingStore>) -> Reader {
        Reader::new(counted, Arc::clone(&self.partition_catalogs), self.clock.now()).using(self.values.clone())
    }

    /// The same content, with its storage requests counted by this reader.
    #[must_use]
    pub fn counted_with(&self, reader: &Reader) -> Self {
        Self { store: Arc::clone(reader.store()), ..self.clone() }
    }

    pub fn writer(&self) -> Result<Writer> {
        let (store, catalogs) = (Arc::clone(&self.store), Arc::clone(&self.partition_catalogs));
        Writer::new(store, catalogs, self.clock.clone(), self.indexed_fields())
    }

    /// The number of public posts. One range read of the list of months, if it is not cached, and one if posts of the current month are scheduled.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn count_published(&self) -> Result<u64> {
        read::pages::cached::count_posts(&self.reader(), &read::pages::PostList::all()).await
    }

    /// Deletes the bytes of pictures whose upload or deletion a process has abandoned. One range read if there are none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn recover_assets(&self) -> Result<()> {
        self.recover_assets_left(self.sharing == Sharing::Alone).await
    }

    /// `is_alone`: whether no process is changing a picture, so that every incomplete change is abandoned.
    async fn recover_assets_left(&self, is_alone: bool) -> Result<()> {
        match &self.assets {
            Some(library) => assets::recover(&self.store, library, self.clock.now(), is_alone).await,
            None => Ok(()),
        }
    }

    /// Like [`recover_assets`](Self::recover_assets), while servers are running: only changes that began minutes ago count as abandoned.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn recover_assets_of_others(&self) -> Result<()> {
        self.recover_assets_left(false).await
    }

    /// Deletes the files of pictures that processes were writing more than an hour ago when they were killed. Returns how many.
    ///
    /// # Errors
    /// If the folder fails.
    pub async fn delete_incomplete_assets(&self) -> Result<usize> {
        let Some(library) = &self.assets else { return Ok(0) };
        let old_before = SystemTime::from(self.clock.now().to_chrono()) - INCOMPLETE_AFTER;
        library.delete_incomplete(old_before).await.map_err(assets::of_bytes)
    }

    /// Deletes rows that are kept for a limited time: the audit log of the year before the last, old segments of the log of changes, and expired idempotency
    /// keys. Five reads and one scan if there is nothing to delete.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn delete_old(&self) -> Result<()> {
        write::delete_old(&self.store, self.clock.now()).await?;
        Ok(self.store.delete_old_entries().await?)
    }

    /// Reads everything, at one moment if the store has snapshots, and reports each difference.
    pub async fn check(&self) -> Result<maintenance::CheckReport> {
        let content = self.at_one_moment().await?;
        content.refresh_field_indexes().await?;
        maintenance::check(&content.store, &content.checked_fields(), || content.fresh_reader()).await
    }

    /// The content at this moment, unaffected by later writes, if the store has snapshots; otherwise the same content.
    pub async fn at_one_moment(&self) -> Result<Self> {
        let Some(snapshot) = self.store.snapshot().await? else { return Ok(self.clone()) };
        let partition_catalogs = Arc::new(PartitionCatalogs::new(None));
        Ok(Self { store: snapshot.store, partition_catalogs, values: None, ..self.clone() })
    }

    /// Lets other processes of this machine use the store in this folder through this one, until the value is dropped.
    ///
    /// # Errors
    /// If no socket can be created in the folder.
    pub fn listen(&self, folder: &Path) -> std::io::Result<SocketServer> {
        let caches =
            Arc::new(CachesOfWritten { catalogs: self.partition_catalogs.clone(), tokens: self.tokens.clone() });
        let store = ReportingStore::new(Arc::clone(&self.store), caches);
        SocketServer::listen(folder, Arc::new(store), &Table::NAMES)
    }

    /// A reader that does not use the cached lists of partitions.
    fn fresh_reader(&self) -> Reader {
        let counted = CountingStore::new(Arc::clone(&self.store));
        Reader::new(counted, Arc::new(PartitionCatalogs::new(None)), self.clock.now())
    }

    /// Fixes the differences, with the posts as the source of truth, and checks again. `report`: gets a line for each fix.
    pub async fn repair(
        &self,
        options: maintenance::RepairOptions,
        report: impl FnMut(String),
    ) -> Result<maintenance::Repaired> {
        maintenance::repair(self, options, report).await
    }

    pub async fn ping(&self) -> Result<()> {
        Ok(self.store.ping().await?)
    }

    /// Follows the writes of other servers while queries arrive, for as long as it is polled. Returns at once if there can be no other server.
    pub async fn follow_writes(&self) {
        self.store.follow_writes().await;
    }

    pub fn invalidate_cached(&self) {
        self.partition_catalogs.invalidate();
        self.tokens.invalidate();
        if let Some(values) = &self.values {
            values.invalidate();
        }
    }

    /// Applies writes that are committed but may not be visible yet. Call it before a read on which a change depends.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn settle(&self) -> Result<()> {
        Ok(self.store.settle().await?)
    }

    /// The number of the newest known write; `None` if no other process writes.
    pub fn position(&self) -> Option<u64> {
        self.store.position()
    }

    /// Waits until readers see every write of any server up to this position. Returns false if there is no such write.
    ///
    /// # Errors
    /// If that takes too long, or the store cannot be read.
    pub async fn wait_for(&self, position: u64) -> Result<bool> {
        let is_there = self.store.wait_for(position).await?;
        if self.store.horizon().is_none() {
            // Cached catalogs may be older.
            self.partition_catalogs.invalidate();
        }
        Ok(is_there)
    }

    pub fn is_alone(&self) -> bool {
        self.sharing == Sharing::Alone
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }
}
