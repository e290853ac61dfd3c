//! Rows of `ChangeLog`: the changes for followers. The rule: an entry has the instants of publication of each post and page before and after the change, so
//! that a reader can decide whether the change is public; it contains no text.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::keys::{Table, site_page, tag};
use crate::model::{Instant, Post, SitePage};
use crate::store::{Entity, Properties, SHOWN_TAGS_MAX, StoreError, Tag};

use super::change::ChangedItem;
use super::packed::{self, TooLarge};
use super::token::Bytes32;
use super::{NewRow, RowFields};

const ITEMS: &str = "Items";
/// The property is `Intent`; another name would change the format.
const CHANGE: &str = "Intent";
const LOGGED_AT: &str = "LoggedAt";
const KEY: &str = "Key";

/// The row that names the newest entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHead {
    pub sequence: i64,
    /// The time of the newest entry, by the clock of its server.
    pub logged_at: Instant,
    /// The name of the change of the newest entry.
    pub change: String,
    /// The key that seals the positions of followers.
    pub key: Bytes32,
}

/// One entry: the objects of one change, or some of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// The start of the change.
    pub at: Instant,
    pub logged_at: Instant,
    /// The name of the change; for the first entry, a random text.
    pub change: String,
    pub items: Vec<LogItem>,
}

/// A change of one object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogItem {
    #[serde(flatten)]
    pub item: ChangedItem,
    /// The slug before the change, if it was different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub former_slug: Option<String>,
    /// For a post or page: the instant from which it is public, before the change (`was`) and after it (`is`), in ticks. Absent for a draft, and on a side
    /// where the object does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    was: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is: Option<i64>,
    /// Whether only the group of translations of a post or page has changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_links: bool,
    /// The tags of the object's rows, with a prefix: `-` if the row exists only before the change, `+` only after it, `=` both.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    tags: String,
}

impl LogItem {
    pub fn of_post(item: ChangedItem, before: Option<&Post>, after: Option<&Post>) -> Self {
        let published_at = |post: Option<&Post>| post.and_then(|post| post.published_at);
        let only_links = only_links(before, after);
        let slug = before.map(|post| post.slug.as_str());
        Self { only_links, ..Self::of_sides(item, slug, published_at(before), published_at(after)) }
    }

    pub fn of_page(item: ChangedItem, before: Option<&SitePage>, after: Option<&SitePage>) -> Self {
        let path = before.map(|page| page.path.to_string());
        // A page that is not scheduled is public, whatever its writer's clock was.
        let public_from = |page: &SitePage| {
            if page.is_scheduled { page.post.published_at } else { page.post.published_at.and(Some(Instant::MIN)) }
        };
        let only_links = only_links(before.map(|page| &page.post), after.map(|page| &page.post));
        let sides = (before.and_then(public_from), after.and_then(public_from));
        let tags = tag::of_writes([(Table::Pages, site_page::tree())]);
        Self { only_links, ..Self::of_sides(item, path.as_deref(), sides.0, sides.1) }.with_tags(&tags, &tags)
    }

    fn of_sides(item: ChangedItem, former_slug: Option<&str>, was: Option<Instant>, is: Option<Instant>) -> Self {
        Self { was: was.map(Instant::ticks), is: is.map(Instant::ticks), ..Self::of_object(item, former_slug) }
    }

    pub fn of_object(item: ChangedItem, former_slug: Option<&str>) -> Self {
        let former_slug = former_slug.filter(|slug| *slug != item.slug).map(ToOwned::to_owned);
        Self { item, former_slug, was: None, is: None, only_links: false, tags: String::new() }
    }

    /// The item of an object whose rows have these tags before and after the change.
    #[must_use]
    pub fn with_tags(self, before: &BTreeSet<Tag>, after: &BTreeSet<Tag>) -> Self {
        let all = BTreeSet::from([Tag::ALL]);
        let [before, after] = [before, after].map(|side| if side.len() > SHOWN_TAGS_MAX { &all } else { side });
        let marked = before.union(after).map(|tag| match (before.contains(tag), after.contains(tag)) {
            (true, true) => format!("={tag}"),
            (true, false) => format!("-{tag}"),
            (false, _) => format!("+{tag}"),
        });
        Self { tags: marked.collect::<Vec<_>>().join(" "), ..self }
    }

    /// The tags of the object's rows before the change, after it, or both. If there are too many, the tag of every answer.
    pub fn tags(&self, [before, after]: [bool; 2]) -> Vec<String> {
        let is_of = |mark| before && mark != '+' || after && mark != '-';
        let marked = self.tags.split_terminator(' ').filter(|tag| tag.starts_with(is_of));
        let tags: Vec<String> = marked.map(|tag| tag[1..].to_owned()).collect();
        let is_coarse = tags.len() > SHOWN_TAGS_MAX || tags.contains(&Tag::ALL.to_string());
        if is_coarse { vec![Tag::ALL.to_string()] } else { tags }
    }

    /// The instant of publication before the change.
    pub fn published_before(&self) -> Option<Instant> {
        self.was.and_then(Instant::from_ticks)
    }

    /// The instant of publication after the change.
    pub fn published_after(&self) -> Option<Instant> {
        self.is.and_then(Instant::from_ticks)
    }

    /// The instant for which the post or page is scheduled, if it is.
    pub fn scheduled_after(&self, now: Instant) -> Option<Instant> {
        self.published_after().filter(|at| *at > now)
    }
}

/// Linking translations does not change the time of the last change.
fn only_links(before: Option<&Post>, after: Option<&Post>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let linked = Post { translation_group: after.translation_group.clone(), version: after.version, ..before.clone() };
    before.translation_group != after.translation_group && linked == *after
}

pub fn head_row(head: &LogHead) -> Properties {
    NewRow::default()
        .int64("Sequence", head.sequence)
        .instant(LOGGED_AT, head.logged_at)
        .text(CHANGE, &head.change)
        .bytes32(KEY, &head.key)
        .build()
}

pub fn read_head(row: &Entity) -> Result<LogHead, StoreError> {
    let fields = RowFields(row);
    Ok(LogHead {
        sequence: fields.int64("Sequence")?,
        logged_at: fields.instant(LOGGED_AT)?,
        change: fields.text(CHANGE)?.to_string(),
        key: fields.bytes32(KEY)?,
    })
}

/// # Errors
/// If the items do not fit a row.
pub fn entry_row(entry: &LogEntry) -> Result<Properties, TooLarge> {
    let json = serde_json::to_vec(&entry.items).expect("items are plain data");
    let mut properties = NewRow::default()
        .instant("At", entry.at)
        .instant(LOGGED_AT, entry.logged_at)
        .text(CHANGE, &entry.change)
        .build();
    packed::pack(&mut properties, ITEMS, &json)?;
    Ok(properties)
}

pub fn read_entry(row: &Entity) -> Result<LogEntry, StoreError> {
    let fields = RowFields(row);
    let json = packed::unpack(&fields, ITEMS)?;
    Ok(LogEntry {
        at: fields.instant("At")?,
        logged_at: fields.instant(LOGGED_AT)?,
        change: fields.text(CHANGE)?.to_string(),
        items: serde_json::from_slice(&json).map_err(|_| fields.damaged(ITEMS))?,
    })
}

pub fn read_change(row: &Entity) -> Result<&str, StoreError> {
    Ok(RowFields(row).text(CHANGE)?.as_str())
}

pub fn read_logged_at(row: &Entity) -> Result<Instant, StoreError> {
    RowFields(row).instant(LOGGED_AT)
}

/// The row of a scheduled post, which has no properties, because its key contains everything.
pub fn due_row() -> Properties {
    Properties::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::tables::rows::change::Action;
    use crate::store::{Etag, Key};

    fn stored(properties: Properties) -> Entity {
        Entity { key: Key::new("log", "a").expect("a key"), etag: Etag("1".into()), properties }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let at = |ticks| Instant::from_ticks(ticks).expect("an instant");
        let head = LogHead { sequence: 7, logged_at: at(8), change: "a.b".to_owned(), key: [9; 32] };
        assert_eq!(read_head(&stored(head_row(&head))).expect("a head"), head);
        let item = |kind: &str, version| ChangedItem {
            kind: kind.to_owned(),
            id: "a".to_owned(),
            slug: "one".to_owned(),
            actions: vec![Action::Created, Action::Scheduled],
            version,
            creation: None,
        };
        let items = vec![
            LogItem { was: Some(5), is: Some(6), ..LogItem::of_object(item("post", 1), Some("other")) },
            LogItem::of_object(item("tag", 2), Some("one")),
        ];
        assert_eq!(items.iter().map(|item| item.former_slug.as_deref()).collect::<Vec<_>>(), [Some("other"), None]);
        let many: BTreeSet<Tag> = (0..=128).map(|number| Tag::new(b'p', number)).collect();
        let few: BTreeSet<Tag> = many.iter().copied().take(128).collect();
        let tagged = items[0].clone().with_tags(&many, &few);
        assert_eq!((tagged.tags([true, false]), tagged.tags([false, true]).len()), (vec!["tidings".to_owned()], 128));
        let entry = LogEntry { at: at(1), logged_at: at(2), change: "a.b".to_owned(), items };
        let row = stored(entry_row(&entry).expect("a row"));
        assert_eq!(read_entry(&row).expect("an entry"), entry);
        assert_eq!((read_change(&row).expect("a name"), read_logged_at(&row).expect("an instant")), ("a.b", at(2)));
    }
}
