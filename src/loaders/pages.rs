//! The batches of pages of posts. The rule: the pages of one level are read together, and look up their posts in common batches, so that the pages of ten
//! authors take as many batches as the page of one author. A batch of posts starts when every page has either requested its keys or finished.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join_all;
use tokio::sync::watch;

use crate::content::read::pages::{Page, PageKey, PostSource, cached};
use crate::content::{ContentError, Reader, Result};
use crate::model::{Post, PostKey};

pub(super) async fn read(reader: Reader, keys: Vec<PageKey>) -> Vec<Result<Arc<Page<Arc<Post>>>>> {
    let reader = &reader;
    let read = |keys: Vec<PageKey>| async move {
        let gather = Gather::new(reader.clone(), keys.len());
        let pages = keys.iter().map(|key| {
            let part = gather.part();
            async move {
                let page = cached::read_page(reader, &part, key).await;
                part.finish().await;
                page
            }
        });
        join_all(pages).await
    };
    cached::pages(reader, &keys, read).await
}

type GatheredPosts = Arc<HashMap<PostKey, Arc<Post>>>;
type GatherSender = watch::Sender<Option<std::result::Result<GatheredPosts, Arc<ContentError>>>>;

/// Collects the posts that the pages of one level look up.
struct Gather {
    reader: Reader,
    state: Mutex<GatherState>,
}

struct GatherState {
    /// Pages that have not finished.
    taking_part: usize,
    waiting: usize,
    keys: BTreeSet<PostKey>,
    /// Sends the answer of the batch that is being gathered.
    batch: GatherSender,
}

impl Gather {
    fn new(reader: Reader, pages: usize) -> Arc<Self> {
        let state =
            GatherState { taking_part: pages, waiting: 0, keys: BTreeSet::new(), batch: watch::Sender::new(None) };
        Arc::new(Self { reader, state: Mutex::new(state) })
    }

    /// The post source of one page. The page must call [`PostPart::finish`] when it needs no more posts.
    fn part(self: &Arc<Self>) -> PostPart {
        PostPart { gather: Arc::clone(self) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, GatherState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keys of the current batch and the sender for its answer, if all unfinished pages are waiting for it.
    fn complete(&self) -> Option<(Vec<PostKey>, GatherSender)> {
        let mut state = self.lock();
        if state.waiting == 0 || state.waiting < state.taking_part {
            return None;
        }
        state.waiting = 0;
        let keys = std::mem::take(&mut state.keys).into_iter().collect();
        let answer = std::mem::replace(&mut state.batch, watch::Sender::new(None));
        Some((keys, answer))
    }

    async fn run(&self, keys: Vec<PostKey>, answer: GatherSender) {
        let found = self.reader.posts_at(&keys).await.map(Arc::new).map_err(Arc::new);
        answer.send_replace(Some(found));
    }
}

struct PostPart {
    gather: Arc<Gather>,
}

impl PostPart {
    /// Declares that this page needs no more posts. Runs the batch if only this page was missing.
    async fn finish(self) {
        let gather = Arc::clone(&self.gather);
        gather.lock().taking_part -= 1;
        if let Some((keys, answer)) = gather.complete() {
            gather.run(keys, answer).await;
        }
    }
}

#[async_trait::async_trait]
impl PostSource for PostPart {
    async fn posts(&self, keys: &[PostKey]) -> Result<HashMap<PostKey, Arc<Post>>> {
        let mut batch = {
            let mut state = self.gather.lock();
            state.waiting += 1;
            state.keys.extend(keys.iter().cloned());
            state.batch.subscribe()
        };
        if let Some((keys, answer)) = self.gather.complete() {
            self.gather.run(keys, answer).await;
        }
        let answered = batch.wait_for(Option::is_some).await;
        let found = answered.ok().and_then(|answer| answer.clone());
        match found {
            Some(Ok(found)) => {
                Ok(keys.iter().filter_map(|key| Some((key.clone(), Arc::clone(found.get(key)?)))).collect())
            }
            Some(Err(shared)) => Err(ContentError::Shared(shared)),
            None => Err(ContentError::Internal { what: "a batch of look-ups was aborted", source: None }),
        }
    }
}
