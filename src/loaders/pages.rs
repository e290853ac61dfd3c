//! The loader of pages of posts, which reads the pages of one level together. The rule: the pages of ten authors cost as many batches as the page of
//! one author.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use futures_util::future::join_all;

use crate::content::Reader;
use crate::content::read::pages::{Page, PageArguments, PostList, RequestedFields, posts};
use crate::model::{Post, PostKey};

use super::batch::Loader;
use super::gather::Gather;

/// One page of one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageKey {
    pub list: PostList,
    pub arguments: PageArguments<PostKey>,
    pub requested: RequestedFields,
}

/// Hashes the tag of the list, because equal lists have equal tags.
impl Hash for PageKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.list.tag(), &self.arguments, self.requested).hash(state);
    }
}

pub(super) fn loader(reader: &Reader) -> Loader<PageKey, Arc<Page<Arc<Post>>>> {
    let reader = reader.clone();
    Loader::new("pages", move |keys: Vec<PageKey>| {
        let reader = reader.clone();
        async move {
            let gather = Gather::new(reader.clone(), keys.len());
            let pages = keys.iter().map(|key| {
                let (reader, part) = (&reader, gather.part());
                async move {
                    let page = posts::read_page(reader, &part, &key.list, &key.arguments, key.requested).await;
                    part.finish().await;
                    page.map(Arc::new).map_err(Arc::new)
                }
            });
            join_all(pages).await
        }
    })
}
