//! Keys of front matter that look like a field of Tidings but are not read as one. The rule: each gets a note; its value is in the metadata.

use std::collections::HashSet;

use crate::{ImportedCover, dates};

use super::addresses;
use super::fields::{PostFields, is_term, names_of, split_at_commas, split_persons, truth};
use super::marks;
use super::publication::{CREATIONS, DATES, UPDATES};
use super::value::{TABLES, Value, is_exactly, is_key, is_one_of};

/// Words in the key of a date.
const OF_DATES: &str = "\
    date dates datetime published publish posted created modified updated lastmod expires expiry expiration";
/// Words in the key of a mark, whose value is a boolean.
const OF_HIDDEN: &str =
    "draft hidden private unlisted protected encrypted secret premium paid paywall gated locked members";
const OF_SHOWN: &str = "publish published public visible listed";
/// Last words in the keys of terms.
const OF_AUTHORS: &str = "author authors coauthor coauthors writer writers byline contributors";
const OF_CATEGORIES: &str = "category categories subcategory subcategories topic topics";
const OF_TAGS: &str = "tag tags hashtags keyword keywords labels";
/// The table that contains only terms.
const TAXONOMIES: &str = "taxonomies";

/// Notes for the keys at the top level and in the tables of generators.
pub(super) fn notes(front: &Value, fields: &PostFields, cover: &ImportedCover) -> Vec<String> {
    let mut notes = Vec::new();
    for (key, value) in front.pairs() {
        if is_one_of(key, TABLES) {
            let of_table = value.pairs().iter().filter_map(|(inner, value)| {
                let what = unused(inner, value, fields, cover);
                let is_other_taxonomy = is_key(key, TAXONOMIES) && !is_term(inner) && !value.is_empty();
                let what = what.or_else(|| is_other_taxonomy.then_some("a taxonomy"));
                Some(note(&format!("{key}.{inner}"), what?))
            });
            notes.extend(of_table);
        } else if let Some(what) = unused(key, value, fields, cover) {
            notes.push(note(key, what));
        }
    }
    notes
}

fn note(key: &str, what: &str) -> String {
    format!("`{key}` looks like {what} and is not used as one; it is in the metadata")
}

/// What a key looks like, if nothing of it is used.
fn unused(key: &str, value: &Value, fields: &PostFields, cover: &ImportedCover) -> Option<&'static str> {
    if value.is_empty() {
        return None;
    }
    let words = words(key);
    let has = |of| words.iter().any(|word| is_exactly(word, of));
    let ends_as = |of| words.last().is_some_and(|word| is_exactly(word, of));
    let is_unused_term = |read: &[String], part| !is_boolean(value) && !are_read(&names_of(value, part), read);
    match () {
        () if is_unused_date(key, value, has(OF_DATES), fields) => Some("a date"),
        () if !marks::is_mark_key(key) && is_unused_mark(value, has(OF_HIDDEN), has(OF_SHOWN)) => {
            Some("a mark of what is not public")
        }
        () if ends_as(OF_AUTHORS) && is_unused_term(&fields.authors, split_persons) => Some("an author"),
        () if ends_as(OF_CATEGORIES) && is_unused_term(&fields.categories, split_at_commas) => Some("a category"),
        () if ends_as(OF_TAGS) && is_unused_term(&fields.tags, split_at_commas) => Some("a tag"),
        () if !is_term(key) && is_unused_picture(value, cover) => Some("a picture"),
        () => None,
    }
}

fn is_unused_date(key: &str, value: &Value, is_named: bool, fields: &PostFields) -> bool {
    let is_known = [DATES, CREATIONS, UPDATES].iter().any(|keys| is_one_of(key, keys));
    let texts = scalars(value);
    let is_read = |text: &&str| {
        [&fields.date, &fields.created, &fields.updated].into_iter().any(|read| read.as_deref() == Some(*text))
    };
    let looks_so = |text: &&str| match is_known {
        true => truth(text).is_none() && text.contains(|c: char| c.is_ascii_digit()),
        false => is_named && dates::parse(text).is_some(),
    };
    (is_known || !marks::is_mark_key(key)) && texts.iter().any(looks_so) && !texts.iter().any(is_read)
}

fn is_unused_mark(value: &Value, is_of_hidden: bool, is_of_shown: bool) -> bool {
    let says = value.text().and_then(truth);
    (is_of_hidden && says == Some(true)) || (is_of_shown && says == Some(false))
}

fn is_unused_picture(value: &Value, cover: &ImportedCover) -> bool {
    let texts = scalars(value);
    let is_cover = |text: &&str| matches!(cover, ImportedCover::File { address, .. } if address == text);
    texts.iter().any(|text| addresses::has_ending(text)) && !texts.iter().any(is_cover)
}

fn are_read(names: &[String], read: &[String]) -> bool {
    let read: HashSet<String> = read.iter().map(|name| name.to_lowercase()).collect();
    !names.is_empty() && names.iter().all(|name| read.contains(&name.to_lowercase()))
}

fn is_boolean(value: &Value) -> bool {
    value.text().is_some_and(|text| truth(text).is_some())
}

/// All scalar texts in a value, at any depth.
fn scalars(value: &Value) -> Vec<&str> {
    match value {
        Value::List(items) => items.iter().flat_map(scalars).collect(),
        Value::Table(pairs) => pairs.iter().flat_map(|(_, value)| scalars(value)).collect(),
        value => value.text().into_iter().collect(),
    }
}

/// The words of a key, in lower case: `modDate`, `mod_date` and `Mod-Date` are two words.
fn words(key: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in key.chars() {
        let begins = !c.is_alphanumeric() || (was_lower && c.is_uppercase());
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words
}
