//! Rows of the tables of views. The rule: the views of a day only grow, so of two numbers, the higher one is newer.

use std::collections::HashMap;

use crate::model::{Day, PostId};
use crate::store::{Entity, Properties, StoreError, Value};

use super::{NewRow, RowFields};

/// The maximum number of ranked posts of a day.
pub const TOP_MAX: usize = 200;

const TOP: &str = "Top";
const NUMBER: &str = "Number";

fn property(day: u32) -> String {
    format!("D{day:02}")
}

/// The views of a post on the days of a month; the first item is day 1.
pub fn read(row: Option<&Entity>) -> Result<[i64; 31], StoreError> {
    let mut views = [0; 31];
    let Some(row) = row else { return Ok(views) };
    for (day, views) in (1..).zip(&mut views) {
        let name = property(day);
        if row.properties.get(&name).is_some() {
            *views = RowFields(row).int64(&name)?;
        }
    }
    Ok(views)
}

/// The row with `more` views added to a day, and the day's new count.
pub fn add(row: Option<&Entity>, day: Day, more: i64) -> Result<(Properties, i64), StoreError> {
    let views = read(row)?[day.number() as usize - 1].saturating_add(more);
    let mut properties = row.map(|row| row.properties.clone()).unwrap_or_default();
    properties.set(&property(day.number()), Value::Int64(views));
    Ok((properties, views))
}

/// The posts with the most views on a day, in descending order.
pub fn read_top(row: &Entity) -> Result<Vec<(PostId, i64)>, StoreError> {
    let fields = RowFields(row);
    let read = |line: &str| {
        let (id, views) = line.split_once(' ')?;
        Some((id.parse().ok()?, views.parse().ok()?))
    };
    fields.text(TOP)?.lines().map(|line| read(line).ok_or_else(|| fields.damaged(TOP))).collect()
}

/// The row with the new counts of some posts. A post outside the row never had more views than the last one in it, so the ranking is right without other reads.
pub fn rank(row: Option<&Entity>, grown: &[(PostId, i64)]) -> Result<Properties, StoreError> {
    let mut views: HashMap<PostId, i64> = row.map(read_top).transpose()?.into_iter().flatten().collect();
    for (post, grown) in grown {
        let views = views.entry(post.clone()).or_default();
        *views = (*views).max(*grown);
    }
    let mut top: Vec<_> = views.into_iter().collect();
    top.sort_unstable_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
    top.truncate(TOP_MAX);
    let lines: Vec<String> = top.iter().map(|(post, views)| format!("{post} {views}")).collect();
    Ok(NewRow::default().text(TOP, lines.join("\n")).build())
}

/// The row with the number of a process' last transaction.
pub fn writer(number: i64) -> Properties {
    NewRow::default().int64(NUMBER, number).build()
}

pub fn read_writer(row: &Entity) -> Result<i64, StoreError> {
    RowFields(row).int64(NUMBER)
}
