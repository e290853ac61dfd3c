//! The loaders of a page beside those of the crate `dataloader`: `cargo bench --bench instructions -- --loaders`. The rule: all of them load the same terms
//! of the same reader, in a task, as the latest 20 posts of the server do when nothing is cached.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use dataloader::BatchFn;
use dataloader::cached::Loader;
use futures_util::future::{join_all, try_join_all};
use tidings::content::{Content, Reader};
use tidings::loaders::Loaders;
use tidings::model::{Slug, Term, TermKind};

use crate::posts::Generated;
use crate::{Result, site};

/// The posts of a page.
const PAGE: u64 = 20;
/// As in `src/loaders`: a batch has all keys of a level.
const BATCH_KEYS_MAX: usize = 20_000;

type TermKey = (TermKind, Slug);
type Found = Option<Arc<Term>>;

/// What loads the terms of a page, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Loading {
    /// No loader: one read of all terms.
    Reads,
    /// Each field requests its own terms.
    FieldsOurs,
    FieldsCrate,
}

impl Loading {
    pub const ALL: [Self; 3] = [Self::Reads, Self::FieldsOurs, Self::FieldsCrate];
}

impl fmt::Display for Loading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reads => "reads",
            Self::FieldsOurs => "fields-ours",
            Self::FieldsCrate => "fields-crate",
        })
    }
}

/// Loads the terms of the page that often.
///
/// # Errors
/// If a term cannot be read.
pub fn run(loading: Loading, store: &Path, posts: u64, requests: u32) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let content = runtime.block_on(site::open_without_values(store))?;
    let fields = Arc::new(fields(posts));
    for _ in 0..requests {
        runtime.block_on(runtime.spawn(load(loading, content.clone(), Arc::clone(&fields))))??;
    }
    Ok(())
}

/// The terms of each field of the page that has terms.
fn fields(posts: u64) -> Vec<(TermKind, Vec<Slug>)> {
    let of_post = |number| {
        let Generated { authors, categories, tags, .. } = Generated::new(number);
        [(TermKind::Author, authors), (TermKind::Category, categories), (TermKind::Tag, tags)]
    };
    (posts - PAGE..posts).flat_map(of_post).collect()
}

async fn load(loading: Loading, content: Content, fields: Arc<Vec<(TermKind, Vec<Slug>)>>) -> Result<()> {
    let reader = content.reader().at_one_moment().await?;
    let keys_of = |(kind, slugs): &(TermKind, Vec<Slug>)| {
        let kind = *kind;
        slugs.iter().map(move |slug| (kind, slug.clone())).collect::<Vec<TermKey>>()
    };
    match loading {
        Loading::Reads => {
            let mut keys: Vec<TermKey> = fields.iter().flat_map(keys_of).collect();
            keys.sort();
            keys.dedup();
            for term in reader.named_terms_at(&keys).await {
                term?;
            }
        }
        Loading::FieldsOurs => {
            let loaders = Loaders::new(&reader);
            for terms in join_all(fields.iter().map(|(kind, slugs)| loaders.terms_of_post(*kind, slugs))).await {
                assert_ne!(terms.map_err(|failed| failed.to_string())?.len(), 0);
            }
        }
        Loading::FieldsCrate => {
            let loader = Loader::new(Terms(reader)).with_max_batch_size(BATCH_KEYS_MAX);
            let fields = try_join_all(fields.iter().map(keys_of).map(|keys| loader.try_load_many(keys))).await?;
            assert!(fields.iter().all(|terms| !terms.is_empty()));
        }
    }
    Ok(())
}

/// The batches of the crate.
struct Terms(Reader);

impl BatchFn<TermKey, Found> for Terms {
    async fn load(&mut self, keys: &[TermKey]) -> HashMap<TermKey, Found> {
        let terms = self.0.named_terms_at(keys).await.into_iter().map(|term| term.unwrap_or_default());
        keys.iter().cloned().zip(terms).collect()
    }
}
