//! The posts that have a term, for a change of all of them. The rule: drafts and scheduled posts are among them.

use std::sync::Arc;

use crate::content::error::Result;
use crate::content::read::reader::Reader;
use crate::content::tables::read_first;
use crate::keys::time::{self, Direction, Span};
use crate::keys::{Table, term};
use crate::model::{PostId, TermId};
use crate::store::PAGE_ROWS_MAX;

use super::ReadBudget;
use super::list::PostList;
use super::posts::open;
use super::stream::next;

/// Up to `most` posts. One range read for each 1,000 of them, and one for each 1,000 drafts of the site.
///
/// # Errors
/// [`TooBroad`](crate::content::ContentError::TooBroad) if the drafts are in more months than one page may read.
pub(in crate::content) async fn posts_with(reader: &Reader, term: &TermId, most: usize) -> Result<Vec<PostId>> {
    let index = Span::default().rows(&term::posts_partition(&term.first_slug), Direction::Forward).of_keys();
    let rows = read_first(reader.store(), Table::PostsBy(term.kind.into()), &index, most).await?;
    let mut posts: Vec<PostId> = rows.iter().filter_map(|row| Some(time::parse_time_row(row.key.row())?.id)).collect();
    let list = PostList::drafts_with(term.kind, &term.first_slug);
    let Some(span) = list.span(reader.now()) else { return Ok(posts) };
    let budget = Arc::new(ReadBudget::default());
    let mut drafts = open(reader, &budget, &list, &list.query(), &span, Direction::Forward, PAGE_ROWS_MAX).await?;
    while posts.len() < most
        && let Some(draft) = next(drafts.as_mut()).await?
    {
        if draft.post.is_none_or(|post| list.holds(&draft.key, &post)) {
            posts.push(draft.key.id);
        }
    }
    Ok(posts)
}
