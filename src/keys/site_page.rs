//! `Pages`: the pages of the site. The rule: one partition contains all pages, so that each change is one transaction; the children of a page are adjacent,
//! in the order of the site.
//!
//! | RowKey | row |
//! |---|---|
//! | `!tree` | the number of pages, and the last changes |
//! | `i-{id}` | the whole page |
//! | `p-{path}`, with `:` in place of each slash | the id of the page that has the path, now or formerly |
//! | `c-{parent}:{order}-{slug}` | the summary of a published page; the parent is an id, or `top` |
//! | `d-{parent}:{order}-{slug}` | the same of a draft |
//! | `t-{group}-{language}` | the page of this language in a group of translations, without its body |
//! | `s-{ticks}-{id}` | a page that was scheduled for this instant: its row in the list |
//! | `u-{ticks}-{id}` | a page that is to be unpublished at this instant |

use crate::model::{Instant, PagePath, Post, PostId, Slug, TranslationGroup};
use crate::store::{Key, RowRange};

use super::cursor::{self, BadCursor, ListTag};
use super::{key, range, translation};

pub const PARTITION: &str = "pages";
/// The parent of the top-level pages.
const TOP: &str = "top";
/// Ten digits for every 32-bit position after the shift.
const ORDER_DIGITS: usize = 10;
/// The order of a page without a position, which sorts last.
const NO_ORDER: &str = "9999999999";
/// Moves the smallest position to 0.
const ORDER_SHIFT: i64 = 1 << 31;

/// The position of a page among the children of its parent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChildKey {
    order: String,
    slug: Slug,
}

impl ChildKey {
    pub fn new(order: Option<i32>, slug: &Slug) -> Self {
        let order = order.map_or_else(|| NO_ORDER.to_owned(), |n| format!("{:010}", i64::from(n) + ORDER_SHIFT));
        Self { order, slug: slug.clone() }
    }

    pub fn slug(&self) -> &Slug {
        &self.slug
    }

    /// The position, if one is set.
    pub fn order(&self) -> Option<i32> {
        self.order.parse::<i64>().ok().and_then(|n| i32::try_from(n - ORDER_SHIFT).ok())
    }

    fn text(&self) -> String {
        format!("{}-{}", self.order, self.slug)
    }

    fn parse(text: &str) -> Option<Self> {
        let (order, slug) = text.split_once('-')?;
        let is_known = order.len() == ORDER_DIGITS && order.bytes().all(|byte| byte.is_ascii_digit());
        let found = Self { order: order.to_owned(), slug: slug.parse().ok()? };
        (is_known && (order == NO_ORDER || found.order().is_some())).then_some(found)
    }

    /// The cursor of this position in the list of the children of a page.
    pub fn cursor(&self, list: Children<'_>) -> String {
        cursor::encode(list.tag(), &self.text())
    }

    /// # Errors
    /// If the text is not a cursor of this list.
    pub fn of_cursor(list: Children<'_>, text: &str) -> Result<Self, BadCursor> {
        Self::parse(&cursor::decode::<String>(list.tag(), text)?).ok_or(BadCursor)
    }
}

/// The published or draft children of a page, or at the top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Children<'a> {
    pub parent: Option<&'a PostId>,
    pub are_drafts: bool,
}

impl Children<'_> {
    fn prefix(self) -> String {
        let parent = self.parent.map_or(TOP, PostId::as_str);
        format!("{}-{parent}:", if self.are_drafts { 'd' } else { 'c' })
    }

    fn tag(self) -> ListTag {
        ListTag::of(&format!("pages {}", self.prefix()))
    }

    pub fn row(self, at: &ChildKey) -> Key {
        key(PARTITION, format!("{}{}", self.prefix(), at.text()))
    }

    /// The children between two positions, both exclusive; `None` leaves that side open.
    pub fn between(self, after: Option<&ChildKey>, before: Option<&ChildKey>) -> RowRange {
        let prefix = self.prefix();
        // The space sorts before all characters of a slug.
        let from = after.map_or_else(|| prefix.clone(), |after| format!("{prefix}{} ", after.text()));
        let to = before.map_or_else(|| end_of(&prefix), |before| format!("{prefix}{}", before.text()));
        range(PARTITION, Some(from), Some(to))
    }

    /// The children from this position on, inclusive.
    pub fn from(self, first: &ChildKey) -> RowRange {
        let prefix = self.prefix();
        range(PARTITION, Some(format!("{prefix}{}", first.text())), Some(end_of(&prefix)))
    }

    /// The children up to this position, inclusive.
    pub fn up_to(self, last: &ChildKey) -> RowRange {
        let prefix = self.prefix();
        let to = format!("{prefix}{} ", last.text());
        range(PARTITION, Some(prefix), Some(to))
    }
}

/// The published children of all pages; those of each parent are adjacent.
pub fn published() -> RowRange {
    range(PARTITION, Some("c-".to_owned()), Some("c.".to_owned()))
}

/// The pages that are scheduled for an instant after this one, the next first.
pub fn scheduled_after(now: Instant) -> RowRange {
    range(PARTITION, Some(format!("s-{:019}", now.ticks().saturating_add(1))), Some("s.".to_owned()))
}

/// A cursor of the list of scheduled pages.
pub fn scheduled_cursor(at: Instant, id: &PostId) -> String {
    cursor::encode(scheduled_list(), scheduled(at, id).row())
}

/// The row of a cursor of the list of scheduled pages.
///
/// # Errors
/// If the text is not a cursor of this list.
pub fn row_of_scheduled_cursor(text: &str) -> Result<String, BadCursor> {
    let row: String = cursor::decode(scheduled_list(), text)?;
    match Key::new(PARTITION, row.clone()).map(|key| parse(&key)) {
        Ok(Some(PageRow::Scheduled(..))) => Ok(row),
        _ => Err(BadCursor),
    }
}

fn scheduled_list() -> ListTag {
    ListTag::of("scheduled pages")
}

/// The pages with an end of publication, the next first.
pub fn ends() -> RowRange {
    range(PARTITION, Some("u-".to_owned()), Some("u.".to_owned()))
}

/// The instant for which the page of this row was scheduled.
pub fn publication_of(row: &str) -> Option<Instant> {
    instant_of(row.strip_prefix("s-")?)
}

/// Parses the rest of a row after its first letter.
fn instant_of(rest: &str) -> Option<Instant> {
    Instant::from_ticks(rest.split_once('-')?.0.parse().ok()?)
}

/// The first text that sorts after all texts with this prefix, which ends with `:`.
fn end_of(prefix: &str) -> String {
    format!("{};", prefix.trim_end_matches(':'))
}

/// The kinds of rows in the partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRow {
    Tree,
    Whole(PostId),
    Path(PagePath),
    Child { parent: Option<PostId>, are_drafts: bool, at: ChildKey },
    Scheduled(Instant, PostId),
    End(Instant, PostId),
    Translation(TranslationGroup, Option<Slug>),
}

pub fn tree() -> Key {
    key(PARTITION, "!tree")
}

pub fn whole(id: &PostId) -> Key {
    key(PARTITION, format!("i-{id}"))
}

pub fn path(path: &PagePath) -> Key {
    key(PARTITION, format!("p-{}", path.to_string().replace('/', ":")))
}

pub fn scheduled(at: Instant, id: &PostId) -> Key {
    key(PARTITION, format!("s-{:019}-{id}", at.ticks()))
}

/// The row of a page with an end of publication.
pub fn end(at: Instant, id: &PostId) -> Key {
    key(PARTITION, format!("u-{:019}-{id}", at.ticks()))
}

/// The row of a page in its group of translations.
pub fn by_translation(page: &Post) -> Option<Key> {
    translation::row_of(page).map(|row| key(PARTITION, row))
}

/// The pages of a group.
pub fn translations(group: &TranslationGroup) -> RowRange {
    let (from, to) = translation::bounds(group);
    range(PARTITION, Some(from), Some(to))
}

/// Whether the row maps a path to its page.
pub fn is_path_row(row: &str) -> bool {
    row.starts_with("p-")
}

/// `None` if the row does not belong to this table.
pub fn parse(found: &Key) -> Option<PageRow> {
    if *found == tree() {
        return Some(PageRow::Tree);
    }
    let (kind, rest) = found.row().split_once('-')?;
    let row = match kind {
        "i" => PageRow::Whole(rest.parse().ok()?),
        "p" => PageRow::Path(rest.replace(':', "/").parse().ok()?),
        "c" | "d" => {
            let (parent, at) = rest.split_once(':')?;
            let parent = if parent == TOP { None } else { Some(parent.parse().ok()?) };
            PageRow::Child { parent, are_drafts: kind == "d", at: ChildKey::parse(at)? }
        }
        "s" => PageRow::Scheduled(publication_of(found.row())?, rest.split_once('-')?.1.parse().ok()?),
        "u" => PageRow::End(instant_of(rest)?, rest.split_once('-')?.1.parse().ok()?),
        "t" => {
            let (group, language) = translation::parse(found.row())?;
            PageRow::Translation(group, language)
        }
        _ => return None,
    };
    (key_of(&row) == *found).then_some(row)
}

fn key_of(row: &PageRow) -> Key {
    match row {
        PageRow::Tree => tree(),
        PageRow::Whole(id) => whole(id),
        PageRow::Path(of) => path(of),
        PageRow::Child { parent, are_drafts, at } => {
            Children { parent: parent.as_ref(), are_drafts: *are_drafts }.row(at)
        }
        PageRow::Scheduled(at, id) => scheduled(*at, id),
        PageRow::End(at, id) => end(*at, id),
        PageRow::Translation(group, language) => key(PARTITION, translation::row(group, language.as_ref())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slug(text: &str) -> Slug {
        text.parse().expect("a slug")
    }

    #[test]
    fn a_row_parses_as_it_was_formatted_and_others_are_refused() {
        let id = PostId::from_bits(7);
        let at = ChildKey::new(Some(-3), &slug("a-b"));
        for row in [
            PageRow::Tree,
            PageRow::Whole(id.clone()),
            PageRow::Path("a/b-c".parse().expect("a path")),
            PageRow::Child { parent: None, are_drafts: true, at: at.clone() },
            PageRow::Child { parent: Some(id.clone()), are_drafts: false, at },
            PageRow::Scheduled(Instant::MAX, id.clone()),
            PageRow::End(Instant::MAX, id.clone()),
            PageRow::Translation(id.clone(), None),
            PageRow::Translation(id, Some(slug("pt-br"))),
        ] {
            assert_eq!(parse(&key_of(&row)), Some(row));
        }
        for row in ["!count", "i-x", "p-", "p-a/", "c-top:1-a", "c-x:0000000000-a", "x-a", "c-top:0000000000-", "s-1-x"]
        {
            let Ok(key) = Key::new(PARTITION, row) else { continue };
            assert_eq!(parse(&key), None, "{row}");
        }
        assert_eq!(parse(&key("x", "!tree")), None);
    }

    #[test]
    fn children_sort_by_their_position_then_by_slug_and_those_without_one_are_last() {
        let keys =
            [(Some(i32::MIN), "z"), (Some(-1), "a"), (Some(0), "a"), (Some(0), "a-b"), (Some(2), "a"), (None, "a")];
        let list = Children { parent: None, are_drafts: false };
        let rows: Vec<String> =
            keys.iter().map(|(order, name)| list.row(&ChildKey::new(*order, &slug(name))).row().to_owned()).collect();
        assert!(rows.is_sorted(), "{rows:?}");
        for (order, name) in keys {
            let at = ChildKey::new(order, &slug(name));
            assert_eq!((at.order(), at.slug().as_str()), (order, name));
            assert_eq!(ChildKey::of_cursor(list, &at.cursor(list)), Ok(at.clone()));
            let other = Children { parent: Some(&PostId::from_bits(1)), are_drafts: false };
            assert_eq!(ChildKey::of_cursor(other, &at.cursor(list)), Err(BadCursor));
        }
    }

    #[test]
    fn a_range_ends_before_or_with_a_child_and_begins_after_it_or_with_it() {
        let list = Children { parent: None, are_drafts: false };
        let at = |name: &str| ChildKey::new(None, &slug(name));
        let (after, up_to) = (list.between(Some(&at("a")), None), list.up_to(&at("a")));
        let (before, from) = (list.between(None, Some(&at("a-b"))), list.from(&at("a-b")));
        let contains = |range: &RowRange, name: &str| {
            let row = list.row(&at(name));
            range.from().is_none_or(|from| row.row() >= from) && range.to().is_none_or(|to| row.row() < to)
        };
        assert_eq!(["a", "a-b", "a.b", "b"].map(|name| contains(&after, name)), [false, true, true, true]);
        assert_eq!(["a", "a-b", "b"].map(|name| contains(&up_to, name)), [true, false, false]);
        assert_eq!(["a", "a-b", "a-b0", "b"].map(|name| contains(&before, name)), [true, false, false, false]);
        assert_eq!(["a", "a-b", "a-b0", "b"].map(|name| contains(&from, name)), [false, true, true, true]);
        let other = Children { parent: Some(&PostId::from_bits(u64::MAX)), are_drafts: false };
        assert!(
            !list
                .between(None, None)
                .to()
                .is_some_and(|to| *other.row(&at("a")).row() < *to && other.row(&at("a")).row() >= "c-top:")
        );
    }
}
