//! The loader of pages of posts, which reads the pages of one level together. The rule: the pages of ten authors cost as many batches as the page of
//! one author.

use std::sync::Arc;

use futures_util::future::join_all;

use crate::content::Reader;
use crate::content::read::pages::Page;
use crate::content::read::pages::held::{self, PageKey};
use crate::model::Post;

use super::batch::Loader;
use super::gather::Gather;

pub(super) fn loader(reader: &Reader) -> Loader<PageKey, Arc<Page<Arc<Post>>>> {
    let (reader, explanation) = (reader.clone(), reader.explanation());
    Loader::new("pages", explanation, move |keys: Vec<PageKey>, purposes| {
        let reader = reader.clone();
        async move {
            let gather = Gather::new(reader.clone(), keys.len());
            let pages = keys.iter().enumerate().map(|(at, key)| {
                let (reader, part) = (&reader, gather.part());
                purposes.of(at).of(async move {
                    let page = held::read_page(reader, &part, key).await;
                    part.finish().await;
                    page.map_err(Arc::new)
                })
            });
            join_all(pages).await
        }
    })
}
