//! The dates in front matter, under all names that generators and their themes use. The rule: the first key with a publication date counts, unless
//! another date is after the import: a post that a generator does not show yet must not become public.

use crate::dates;
use tidings_model::{Instant, TimeZone};

use super::value::Value;

pub(super) const DATES: &str = "\
    date publishDate pubDate publishedAt published publishedDate publishedOn datePublished publicationDate \
    pubDatetime publishAt publishOn publish postDate posted postedAt postedOn datetime";
pub(super) const CREATIONS: &str = "created createdAt createdOn createdDate dateCreated creationDate";
pub(super) const UPDATES: &str = "\
    updated updatedAt updatedOn lastmod lastModifiedAt lastModified updatedDate dateUpdated modified modifiedAt \
    modifiedDate dateModified modDatetime lastUpdated lastUpdate";
/// Values that Eleventy computes from the file or its repository.
const COMPUTED: &[&str] = &["last modified", "created", "git last modified", "git created"];

/// Keys with no other meaning, so a value that is not a date is a mistake.
const CERTAIN: &str = "date publishDate pubDate publishedAt";

/// The text of the first key that contains a date, or else of the first key that can contain nothing else. `inside`: the keys of a table of dates.
pub(super) fn first(front: &Value, keys: &str, inside: &str) -> Option<String> {
    let texts = |keys| front.each(keys).filter_map(move |value| text_of(value, inside));
    let certain = || if keys == DATES { texts(CERTAIN).find(|text| !is_computed(text)) } else { None };
    texts(keys).find(|text| dates::parse(text).is_some()).or_else(certain).map(str::to_owned)
}

/// The time of the last change: in its own key, or in a table of dates.
pub(super) fn update(front: &Value) -> Option<String> {
    let in_table = || front.get("date")?.get("updated")?.text().map(str::to_owned);
    first(front, UPDATES, "date").or_else(in_table)
}

/// The keys of the publication date in a table of dates, as in Material for MkDocs: `date: {created: …, updated: …}`.
pub(super) const OF_PUBLICATION: &str = "published created";

/// The latest publication date that is after the import.
pub(super) fn later_than(now: Option<Instant>, front: &Value, zone: &TimeZone) -> Option<String> {
    let texts = front.each(DATES).filter_map(|value| text_of(value, OF_PUBLICATION));
    let dates = texts.filter_map(|text| Some((dates::parse_in(text, zone)?, text)));
    let later = dates.filter(|(at, _)| now.is_none_or(|now| *at > now)).max_by_key(|(at, _)| *at);
    later.map(|(_, text)| text.to_owned())
}

/// The text of a date: of a value, of the only item of a list, or of a table of dates.
fn text_of<'v>(value: &'v Value, inside: &str) -> Option<&'v str> {
    match value {
        Value::List(items) if items.len() == 1 => items[0].text(),
        Value::Table(_) => value.first_text(inside),
        value => value.text(),
    }
}

fn is_computed(text: &str) -> bool {
    COMPUTED.iter().any(|computed| computed.eq_ignore_ascii_case(text))
}
