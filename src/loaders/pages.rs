//! The loader of pages of posts. The rule: the pages of one level are read together, so that the pages of ten authors take as many batches
//! as the page of one.

use std::sync::Arc;

use futures_util::future::join_all;

use crate::content::Reader;
use crate::content::read::pages::Page;
use crate::content::read::pages::held::{self, PageKey};
use crate::model::Post;

use super::Loaded;
use super::batch::Loader;
use super::gather::Gather;

pub(super) fn loader(reader: &Reader) -> Loader<PageKey, Arc<Page<Arc<Post>>>> {
    let reader = reader.clone();
    Loader::new("pages", move |keys: Vec<PageKey>| {
        let reader = reader.in_batch("pages");
        async move {
            let (reader, keys) = (&reader, &keys);
            let read = |places: Vec<usize>| async move { read(reader, keys, &places).await };
            held::read_pages(reader, keys, Ok, read).await
        }
    })
}

/// Reads the pages at these places, which look up their posts in common batches.
async fn read(reader: &Reader, keys: &[PageKey], places: &[usize]) -> Vec<Loaded<Arc<Page<Arc<Post>>>>> {
    let gather = Gather::new(reader.clone(), places.len());
    let pages = places.iter().map(|at| {
        let part = gather.part();
        async move {
            let page = held::read_page(reader, &part, &keys[*at]).await;
            part.finish().await;
            page.map_err(Arc::new)
        }
    });
    join_all(pages).await
}
