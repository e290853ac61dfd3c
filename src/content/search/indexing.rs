//! Updates the indexes to a position in the feed of changes, which includes the publications of scheduled posts. The rule: if the position has expired, or an
//! index is missing or damaged, all posts and pages are read, and those that differ are indexed. A damaged row is logged and left out.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tidings_search::{Document, IndexError};

use crate::content::Content;
use crate::content::error::{ContentError, Result};
use crate::content::read::{Action, ContentEvent, KIND_OF_PAGES, KIND_OF_POSTS, LONG_BYTES};
use crate::model::{PostId, TermKind, WholePost, WholeSitePage};

use super::documents::{Key, Names, Whole, label, readable};
use super::pair::{Pair, failed_thread, index_failed};

/// The number of posts and pages that are indexed together, and the bytes of their bodies: each word takes some 20 bytes of memory.
const AT_ONCE: usize = 500;
const BYTES_AT_ONCE: usize = 1 << 20;
/// The number of posts or pages that are read together.
const READS_AT_ONCE: usize = 50;

/// The changes since the last update of the indexes.
#[derive(Default)]
struct Changed {
    posts: BTreeSet<PostId>,
    pages: BTreeSet<PostId>,
    /// The labels of terms whose names may have changed.
    labels: BTreeSet<String>,
}

impl Changed {
    fn note(&mut self, event: &ContentEvent) {
        let (kind, id) = (event.item.kind.as_str(), &event.item.id);
        match kind {
            KIND_OF_POSTS => self.posts.extend(id.parse().ok()),
            KIND_OF_PAGES => self.pages.extend(id.parse().ok()),
            _ => {
                let is_renamed = event.item.actions.iter().any(|action| !matches!(action, Action::Created));
                let of_term = TermKind::of_noun(kind).zip(id.parse().ok()).filter(|_| is_renamed);
                self.labels.extend(of_term.map(|(kind, slug)| label(kind.into(), &slug)));
            }
        }
    }

    /// Adds the posts with these labels.
    fn add_labelled(&mut self, pair: &Pair) -> Result<(), IndexError> {
        for label in std::mem::take(&mut self.labels) {
            for index in [&pair.public, &pair.drafts] {
                self.posts.extend(index.labelled(&label)?.into_iter().map(|key| Key(key).id().0));
            }
        }
        Ok(())
    }
}

/// One run over the changes or over all content.
pub(super) struct Indexing<'a> {
    pub content: &'a Content,
    pub pair: Arc<Pair>,
    /// The language of posts and pages without their own.
    pub language: Option<&'a str>,
}

impl Indexing<'_> {
    /// Indexes the changes since a position. Returns the position after them.
    pub(super) async fn changes_since(&self, position: &str) -> Result<String> {
        let (mut position, mut changed) = (position.to_owned(), Changed::default());
        loop {
            let page = match self.content.changes_of_content(&position).await {
                Err(ContentError::PositionExpired { .. } | ContentError::BadCursor { .. }) => {
                    return self.all().await;
                }
                page => page?,
            };
            page.events.iter().for_each(|event| changed.note(event));
            position = page.position;
            if !page.has_next {
                break;
            }
        }
        changed.add_labelled(&self.pair).map_err(index_failed)?;
        let posts: Vec<PostId> = changed.posts.into_iter().collect();
        for ids in posts.chunks(AT_ONCE) {
            let stored = stored_posts(self.content, ids).await?;
            let names = Arc::new(Names::of(&self.content.reader(), &stored).await?);
            let missing = missing(ids, stored.iter().map(|whole| &whole.post.id), Key::of_post);
            self.index(stored.into_iter().map(Whole::Post), &names, &Known::default()).await?;
            self.remove(missing).await?;
        }
        let pages: Vec<PostId> = changed.pages.into_iter().collect();
        for ids in pages.chunks(AT_ONCE) {
            let stored = stored_pages(self.content, ids).await?;
            let missing = missing(ids, stored.iter().map(|whole| whole.page.id()), Key::of_page);
            self.index(stored.into_iter().map(Whole::Page), &Arc::default(), &Known::default()).await?;
            self.remove(missing).await?;
        }
        Ok(position)
    }

    /// Compares the indexes with all posts and pages. Returns the position in the feed from before the comparison.
    pub(super) async fn all(&self) -> Result<String> {
        let position = match self.content.changes(&self.content.reader(), None, None).await {
            // The store has no feed yet; the first change begins it.
            Err(error) if error.is_read_only() => String::new(),
            now => now?.position,
        };
        let content = self.content.at_one_moment().await?;
        let mut known = HashMap::new();
        for (index, is_public) in [(&self.pair.public, true), (&self.pair.drafts, false)] {
            let digests = index.digests().map_err(index_failed)?.into_iter();
            known.extend(digests.map(|(key, digest)| (key, (digest, is_public))));
        }
        let known: Known = Arc::new(known);
        let names = Arc::new(Names::all(&content).await?);
        let mut seen = HashSet::new();
        let mut walk = content.walk();
        loop {
            match walk.next().await {
                Ok(Some(posts)) => self.index_posts(posts, &names, &known, &mut seen).await?,
                Ok(None) => break,
                // The walk cannot pass a damaged row: the posts that are left are read by their ids.
                Err(error) if error.is_damaged() => {
                    let is_left = |id: &PostId| !seen.contains(&Key::of_post(id).0);
                    let left: Vec<_> = content.inventory().await?.posts.into_keys().filter(is_left).collect();
                    for ids in left.chunks(AT_ONCE) {
                        let posts = stored_posts(&content, ids).await?;
                        self.index_posts(posts, &names, &known, &mut seen).await?;
                    }
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        for ids in content.site_page_ids().await?.chunks(AT_ONCE) {
            let pages = stored_pages(&content, ids).await?;
            seen.extend(pages.iter().map(|whole| Key::of_page(whole.page.id()).0));
            self.index(pages.into_iter().map(Whole::Page), &names, &known).await?;
        }
        self.remove(known.keys().copied().filter(|key| !seen.contains(key)).collect()).await?;
        Ok(position)
    }

    async fn index_posts(
        &self,
        posts: Vec<WholePost>,
        names: &Arc<Names>,
        known: &Known,
        seen: &mut HashSet<u64>,
    ) -> Result<()> {
        seen.extend(posts.iter().map(|whole| Key::of_post(&whole.post.id).0));
        self.index(posts.into_iter().map(Whole::Post), names, known).await
    }

    /// Indexes posts or pages, except those whose documents have not changed.
    async fn index(&self, wholes: impl Iterator<Item = Whole> + Send, names: &Arc<Names>, known: &Known) -> Result<()> {
        let (mut part, mut bytes) = (Vec::new(), 0);
        for whole in wholes {
            let length = whole.markdown().len();
            if length > LONG_BYTES {
                self.index_part((vec![whole], length), names, known).await?;
                continue;
            }
            part.push(whole);
            bytes += length;
            if bytes >= BYTES_AT_ONCE || part.len() >= AT_ONCE {
                self.index_part((std::mem::take(&mut part), bytes), names, known).await?;
                bytes = 0;
            }
        }
        self.index_part((part, bytes), names, known).await
    }

    /// Runs on a separate thread. A long body takes much memory, so it waits for its turn among all bodies that are rendered.
    async fn index_part(&self, (part, bytes): (Vec<Whole>, usize), names: &Arc<Names>, known: &Known) -> Result<()> {
        let (pair, now, language) =
            (Arc::clone(&self.pair), self.content.clock.now(), self.language.map(str::to_owned));
        let (names, known) = (Arc::clone(names), Arc::clone(known));
        let is_long = part.first().is_some_and(|whole| whole.markdown().len() > LONG_BYTES);
        let work = move || {
            let document = |whole: Whole| (whole.is_public(now), whole.document(&names, language.as_deref()));
            let is_new = |(is_public, document): &(bool, Document)| {
                known.get(&document.key) != Some(&(document.digest(), *is_public))
            };
            let new: Vec<(bool, Document)> = part.into_iter().map(document).filter(is_new).collect();
            if new.is_empty() { Ok(()) } else { pair.update(new, &[]) }
        };
        let done = if is_long {
            self.content.renderer.apart(bytes, work).await
        } else {
            tokio::task::spawn_blocking(work).await.map_err(failed_thread)?
        };
        done.map_err(index_failed)?;
        Ok(())
    }

    async fn remove(&self, keys: Vec<u64>) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let pair = Arc::clone(&self.pair);
        let work = move || pair.update(Vec::new(), &keys);
        tokio::task::spawn_blocking(work).await.map_err(failed_thread)?.map_err(index_failed)
    }
}

/// The digest of each document by its key, and whether it is public.
type Known = Arc<HashMap<u64, (u64, bool)>>;

async fn stored_posts(content: &Content, ids: &[PostId]) -> Result<Vec<WholePost>> {
    let posts = all_readable(ids.iter().map(|id| content.stored_by_id(id)).collect()).await?;
    Ok(posts.into_iter().map(|stored| stored.whole).collect())
}

async fn stored_pages(content: &Content, ids: &[PostId]) -> Result<Vec<WholeSitePage>> {
    all_readable(ids.iter().map(|id| content.stored_site_page(id)).collect()).await
}

/// The posts or pages that exist, without damaged ones.
async fn all_readable<T>(reads: Vec<impl Future<Output = Result<Option<T>>>>) -> Result<Vec<T>> {
    let mut found = stream::iter(reads).buffered(READS_AT_ONCE);
    let mut all = Vec::new();
    while let Some(one) = found.next().await {
        all.extend(readable(one)?);
    }
    Ok(all)
}

/// The keys of the ids that were not found.
fn missing<'a>(ids: &[PostId], found: impl Iterator<Item = &'a PostId>, key: impl Fn(&PostId) -> Key) -> Vec<u64> {
    let found: BTreeSet<&PostId> = found.collect();
    ids.iter().filter(|id| !found.contains(id)).map(|id| key(id).0).collect()
}
