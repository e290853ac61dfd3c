//! Rows of `Pages`. The rule: the whole page is the truth, and its other rows follow from it ([`rows_of`]); the rows of one page are written in one
//! transaction, with the row of the tree.

use std::collections::BTreeMap;

use crate::keys::site_page::{self as keys, ChildKey, Children};
use crate::model::{Instant, PagePath, PostId, SitePage, WholeSitePage};
use crate::store::{Entity, Key, Properties, StoreError, Value};

use super::packed::TooLarge;
use super::{NewRow, RowFields, post};

const PATH: &str = "Path";
const ANCESTORS: &str = "Ancestors";
const ORDER: &str = "Order";
const FORMER_PATHS: &str = "FormerPaths";
const SCHEDULED: &str = "Scheduled";
const CHILD: &str = "Child";
const ID: &str = "Id";
const PAGES: &str = "Pages";
const NUMBER: &str = "Number";

/// The row `!tree`: each change of a page replaces it under its ETag, so that no two changes are based on one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeRow {
    /// The number of pages, including drafts.
    pub pages: i32,
    /// The number of changes so far.
    pub number: i64,
}

pub fn tree_row(tree: TreeRow) -> Properties {
    NewRow::default().int32(PAGES, tree.pages).int64(NUMBER, tree.number).build()
}

pub fn read_tree(row: &Entity) -> Result<TreeRow, StoreError> {
    let fields = RowFields(row);
    Ok(TreeRow { pages: fields.int32(PAGES)?, number: fields.int64(NUMBER)? })
}

/// # Errors
/// If the body does not fit a row.
fn whole(page: &WholeSitePage) -> Result<Properties, TooLarge> {
    let mut properties = post::whole(&page.to_post())?;
    set_place(&mut properties, &page.page);
    if !page.former_paths.is_empty() {
        properties.set(FORMER_PATHS, texts(&page.former_paths));
    }
    Ok(properties)
}

fn texts<T: ToString>(parts: &[T]) -> Value {
    Value::String(parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ").into())
}

fn set_place(properties: &mut Properties, page: &SitePage) {
    properties.set(PATH, Value::String(page.path.to_string().into()));
    if !page.ancestors.is_empty() {
        properties.set(ANCESTORS, texts(&page.ancestors));
    }
    if let Some(order) = page.order {
        properties.set(ORDER, Value::Int32(order));
    }
    set_scheduled(properties, page);
}

fn set_scheduled(properties: &mut Properties, page: &SitePage) {
    if page.is_scheduled {
        properties.set(SCHEDULED, Value::Boolean(true));
    }
}

pub fn read_page(row: &Entity) -> Result<SitePage, StoreError> {
    let fields = RowFields(row);
    let path: PagePath = fields.parsed(PATH)?;
    let ancestors = match fields.optional_text(ANCESTORS)? {
        None => Vec::new(),
        Some(text) => {
            let ids = text.split(' ').map(|id| id.parse().map_err(|_| fields.damaged(ANCESTORS)));
            ids.collect::<Result<Vec<PostId>, _>>()?
        }
    };
    let order = match row.properties.get(ORDER) {
        None => None,
        Some(_) => Some(fields.int32(ORDER)?),
    };
    let post = post::read_summary(row)?;
    if path.slug() != &post.slug || path.parts().len() != ancestors.len() + 1 {
        return Err(fields.damaged(PATH));
    }
    Ok(SitePage { post, path, ancestors, order, is_scheduled: fields.flag(SCHEDULED)? })
}

pub fn read_former_paths(row: &Entity) -> Result<Vec<PagePath>, StoreError> {
    let fields = RowFields(row);
    let Some(text) = fields.optional_text(FORMER_PATHS)? else { return Ok(Vec::new()) };
    text.split(' ').map(|path| path.parse().map_err(|_| fields.damaged(FORMER_PATHS))).collect()
}

pub fn read_whole(row: &Entity) -> Result<WholeSitePage, StoreError> {
    let page = read_page(row)?;
    let whole = post::read_whole(row)?;
    let former_paths = read_former_paths(row)?;
    let (markdown, metadata, changed_by) = (whole.markdown, whole.metadata, whole.changed_by);
    Ok(WholeSitePage { page, markdown, metadata, changed_by, former_paths })
}

/// The page that a path row or a summary row belongs to.
pub fn read_path(row: &Entity) -> Result<PostId, StoreError> {
    RowFields(row).parsed(ID)
}

/// A child of `parent`, or a top-level page, from its row in the list. The row has no path and no ancestors, so they follow from `parent`.
pub fn read_child(row: &Entity, parent: Option<&SitePage>) -> Result<SitePage, StoreError> {
    let fields = RowFields(row);
    let Some(keys::PageRow::Child { at, .. }) = keys::parse(&row.key) else { return Err(fields.damaged("RowKey")) };
    let post = post::read_summary(row)?;
    let above = parent.map_or(&[][..], |parent| parent.path.parts());
    let parts = above.iter().cloned().chain([post.slug.clone()]).collect();
    let path = PagePath::of(parts).map_err(|_| fields.damaged("RowKey"))?;
    let ancestors = parent.into_iter().flat_map(|page| page.ancestors.iter().chain([page.id()])).cloned().collect();
    Ok(SitePage { post, path, ancestors, order: at.order(), is_scheduled: fields.flag(SCHEDULED)? })
}

/// The list row of a scheduled page.
pub fn read_scheduled(row: &Entity) -> Result<String, StoreError> {
    RowFields(row).text(CHILD).map(ToString::to_string)
}

/// Whether a list row belongs to a page that is not public yet.
pub fn is_scheduled_after(row: &Entity, published_at: Option<Instant>, now: Instant) -> Result<bool, StoreError> {
    Ok(RowFields(row).flag(SCHEDULED)? && published_at.is_some_and(|at| at > now))
}

/// The key of a page in its parent's list of children.
pub fn child_key(page: &SitePage) -> Key {
    let list = Children { parent: page.parent(), are_drafts: page.is_draft() };
    list.row(&ChildKey::new(page.order, page.path.slug()))
}

/// The rows of a page other than its whole row, by RowKey.
pub fn rows_beside(page: &SitePage, former_paths: &[PagePath]) -> BTreeMap<String, Properties> {
    let named = || NewRow::default().text(ID, page.id().as_str()).build();
    let paths = former_paths.iter().chain([&page.path]).map(|path| (keys::path(path).row().to_owned(), named()));
    let mut summary = post::summary(&page.post);
    set_scheduled(&mut summary, page);
    let place = child_key(page);
    let scheduled = page.scheduled_for().map(|at| {
        (keys::scheduled(at, page.id()).row().to_owned(), NewRow::default().text(CHILD, place.row()).build())
    });
    let translation = keys::by_translation(&page.post).map(|key| {
        let mut summary = post::summary(&page.post);
        set_place(&mut summary, page);
        (key.row().to_owned(), summary)
    });
    let end = page.post.unpublish_at.map(|at| (keys::end(at, page.id()).row().to_owned(), named()));
    paths.chain([(place.row().to_owned(), summary)]).chain(scheduled).chain(end).chain(translation).collect()
}

/// All rows of a page.
///
/// # Errors
/// If the body does not fit a row.
pub fn rows_of(page: &WholeSitePage) -> Result<BTreeMap<String, Properties>, TooLarge> {
    let mut rows = rows_beside(&page.page, &page.former_paths);
    rows.insert(keys::whole(page.id()).row().to_owned(), whole(page)?);
    Ok(rows)
}
