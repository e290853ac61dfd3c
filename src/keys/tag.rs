//! The tags of rows, for caches in front of the server. The rule: if a write of a row may change a read, the tags of the write contain the tag of the
//! read; a row of a draft has no tag, because an answer to everyone never depends on it.
//!
//! | tag | of |
//! |---|---|
//! | `p…` | a post by its id: its rows in lists, and the row that finds it by the id |
//! | `s…` | a slug of a post: the whole post, and the row that finds it |
//! | `l…` | the list of a month |
//! | `x…` | the list of a term, of a language or of a value of a field, or that of featured posts |
//! | `m…` | the list of months |
//! | `t…` | a term by a slug |
//! | `c…` | the list of a kind of term, and the tree of categories |
//! | `k…` | a bucket of `PostKeys`, read as a range |
//! | `g…` | the pages of the site, all together: they are one partition, in which each change replaces a row |
//! | `a…` | a picture or file, or the list of them |
//! | `w…` | an instant at which a scheduled post or page appears, under a key: the tag does not show the instant |
//!
//! All rows of a post are written with each change of it, so one tag is enough for each way to find it.

use std::collections::BTreeSet;

use crate::model::Instant;
use crate::store::{Key, Tag};

use super::{COUNT_ROW, Table, place, site_page, stable_hash, term, time};

/// The tag of a point read, or of a range read without `row`.
pub fn of_read(table: &str, partition: &str, row: Option<&str>) -> Option<Tag> {
    // A read of an unknown table has the tag of all posts.
    let Some(known) = table_of(table) else { return Some(Tag::POSTS) };
    match known {
        Table::Posts => Some(row.and_then(of_post_row).unwrap_or_else(|| list(partition))),
        // An answer to everyone does not depend on drafts, and an answer that depends on the log of changes is never cached.
        Table::Drafts | Table::ChangeLog => None,
        Table::PostKeys => Some(row.and_then(of_lookup).unwrap_or_else(|| tag(b'k', &[partition]))),
        Table::Months => (partition == place::months_partition(place::Collection::Posts)).then(months),
        Table::PostsBy(_) => Some(tag(b'x', &[table, partition])),
        Table::Terms(_) => Some(of_term_row(table, partition, row)),
        Table::Pages => Some(tag(b'g', &[])),
        Table::Assets => Some(match row {
            Some(row) if row.starts_with("h-") => tag(b'a', &[row]),
            _ => tag(b'a', &[]),
        }),
        Table::Revisions | Table::Changes | Table::Tokens | Table::Webhooks | Table::Idempotency | Table::Log => {
            Some(Tag::POSTS)
        }
    }
}

/// The tag of a read with access to drafts. Each change of a draft has the tag of all posts.
pub fn of_read_with_drafts(table: &str, partition: &str, row: Option<&str>) -> Option<Tag> {
    Some(of_read(table, partition, row).unwrap_or(Tag::POSTS))
}

/// The tags of a write.
pub fn of_write(table: &str, partition: &str, row: &str, into: &mut Vec<Tag>) {
    let Some(known) = table_of(table) else { return };
    let all = match known {
        Table::Posts | Table::PostKeys | Table::Months | Table::PostsBy(_) | Table::Pages | Table::Assets => Tag::POSTS,
        Table::Terms(_) => Tag::TERMS,
        Table::Drafts
        | Table::Revisions
        | Table::Changes
        | Table::ChangeLog
        | Table::Tokens
        | Table::Webhooks
        | Table::Idempotency
        | Table::Log => {
            return;
        }
    };
    let reads = [of_read(table, partition, Some(row)), of_read(table, partition, None)];
    let mut is_read = false;
    for tag in reads.into_iter().flatten() {
        into.push(tag);
        is_read = true;
    }
    if is_read {
        into.push(all);
    }
}

/// The tags of a write of all these rows.
pub fn of_writes(rows: impl IntoIterator<Item = (Table, Key)>) -> BTreeSet<Tag> {
    let mut tags = Vec::new();
    rows.into_iter().for_each(|(table, key)| of_write(table.name(), key.partition(), key.row(), &mut tags));
    tags.into_iter().collect()
}

/// The instant of the post of a list row of `Posts`, or the instant for which a page was scheduled.
pub fn publication_of(table: &str, row: &str) -> Option<Instant> {
    if table == Table::Pages.name() {
        return site_page::publication_of(row);
    }
    let key = (table == Table::Posts.name()).then(|| time::parse_time_row(row).or_else(|| time::parse_mirror_row(row)));
    Some(key??.at)
}

fn table_of(name: &str) -> Option<Table> {
    Table::ALL.into_iter().find(|table| table.name() == name)
}

fn of_post_row(row: &str) -> Option<Tag> {
    let by_time = || time::parse_time_row(row).or_else(|| time::parse_mirror_row(row)).map(|key| key.id);
    row.strip_prefix("s-").map(slug).or_else(|| by_time().map(|id| post(id.as_str())))
}

fn of_lookup(row: &str) -> Option<Tag> {
    row.strip_prefix("s-").map(slug).or_else(|| row.strip_prefix("i-").map(post))
}

fn of_term_row(table: &str, partition: &str, row: Option<&str>) -> Tag {
    let slug = row.filter(|row| partition != term::CATALOG_PARTITION && *row != COUNT_ROW).and_then(term::parse_row);
    match slug {
        Some((slug, _)) => tag(b't', &[table, slug.as_str()]),
        None => tag(b'c', &[table]),
    }
}

fn post(id: &str) -> Tag {
    tag(b'p', &[id])
}

fn slug(slug: &str) -> Tag {
    tag(b's', &[slug])
}

fn list(month: &str) -> Tag {
    tag(b'l', &[month])
}

fn months() -> Tag {
    tag(b'm', &[])
}

fn tag(kind: u8, parts: &[&str]) -> Tag {
    let hash = stable_hash(parts.join("\0").as_bytes());
    // The high bits of FNV-1a depend on all bytes.
    Tag::new(kind, (hash ^ (hash >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 14)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{Collection, lookup};
    use crate::model::{PostId, PostKey, TermKind};
    use crate::store::Key;

    fn read(table: Table, key: &Key) -> Option<Tag> {
        of_read(table.name(), key.partition(), Some(key.row()))
    }

    fn written(table: Table, key: &Key) -> Vec<Tag> {
        let mut tags = Vec::new();
        of_write(table.name(), key.partition(), key.row(), &mut tags);
        tags
    }

    #[test]
    fn a_write_has_the_tags_of_the_reads_that_it_changes() {
        let at: Instant = "2026-05-01T00:00:00Z".parse().expect("an instant");
        let (id, slug) = (PostId::from_bits(7), "a-post".parse().expect("a slug"));
        let post = PostKey { at, id: id.clone() };
        let summary = place::summary(&post);
        let tags = written(Table::Posts, &summary);
        assert_eq!(read(Table::PostKeys, &lookup::by_id(&id)), read(Table::Posts, &summary));
        assert!(tags.contains(&read(Table::Posts, &summary).expect("a tag")) && tags.contains(&Tag::POSTS));
        assert!(tags.contains(&of_read("Posts", "2026-05", None).expect("a tag")));
        assert!(!tags.contains(&of_read("Posts", "2026-06", None).expect("a tag")));
        let whole = place::whole(at.month(), &slug);
        assert_eq!(read(Table::Posts, &whole), read(Table::PostKeys, &lookup::by_slug(&slug)));
        assert_eq!(written(Table::Drafts, &summary), []);
        assert_eq!(read(Table::Drafts, &summary), None);
        assert_eq!(written(Table::Months, &place::month_row(Collection::Drafts, at.month())), []);
        assert_eq!(publication_of("Posts", summary.row()), Some(at));
        assert_eq!(publication_of("Posts", whole.row()), None);
        assert_eq!(publication_of("Pages", site_page::scheduled(at, &PostId::from_bits(7)).row()), Some(at));
        assert_eq!(publication_of("Pages", site_page::tree().row()), None);
        let tags = Table::Terms(TermKind::Tag);
        let term = term::term(&slug);
        assert!(written(tags, &term).contains(&read(tags, &term).expect("a tag")));
        assert!(written(tags, &term).contains(&of_read(tags.name(), "!", None).expect("a tag")));
        assert_ne!(read(tags, &term), read(Table::Terms(TermKind::Author), &term));
    }

    #[test]
    fn a_write_of_a_page_has_the_tag_of_every_read_of_pages_and_the_log_of_changes_has_none() {
        let mut tags = Vec::new();
        of_write(Table::Pages.name(), "pages", "a", &mut tags);
        for read in [of_read(Table::Pages.name(), "pages", Some("b")), of_read(Table::Pages.name(), "pages", None)] {
            assert!(tags.contains(&read.expect("a tag")));
        }
        assert!(tags.contains(&Tag::POSTS));
        assert_eq!(of_read(Table::ChangeLog.name(), "log", None), None);
        assert_eq!(written(Table::ChangeLog, &crate::keys::change_log::head()), []);
    }
}
