//! The values in front matter that restrict who can see a file. The rule: a file that a generator, theme or plugin does not show to everyone is a draft, and a
//! note names the mark; a mark with an unreadable value hides the file, too.

use crate::dates;
use tidings_model::{Instant, TimeZone};

use super::value::{Value, is_key, is_one_of, is_word, places};

/// Any value except a word for "no" hides.
const DRAFTS: &str = "draft isDraft";
/// A word for "yes" hides.
const HIDDEN: &str = "\
    unlisted isUnlisted private isPrivate hidden isHidden hide secret unpublished headless protected isProtected \
    passwordProtected encrypt encrypted isEncrypted members membersOnly subscribersOnly premium isPremium paid paywall \
    gated locked wip workInProgress eleventyExcludeFromCollections";
/// The keys of [`HIDDEN`] whose list names the allowed readers.
const MEMBERS: &str = "members membersOnly subscribersOnly premium isPremium paid paywall gated";
/// A word for "no" hides.
const SHOWN: &str = "\
    published isPublished publish dgPublish public isPublic listed isListed visible isVisible render routable enabled";
/// Only false hides a file: `none` is a style of Jekyll, and any other word is an address.
const PERMALINK: &str = "permalink";
/// Other words in these hide, too, unless they are a date.
const PUBLISHED: &str = "published isPublished publish";
const STATUSES: &str = "status postStatus publishStatus state";
const HIDDEN_STATUSES: &str = "draft private hidden pending unlisted unpublished password protected trash";
/// Any value except one of these words hides.
const VISIBILITIES: &str = "visibility access";
const PUBLIC: &str = "public published everyone all visible open free true yes on";
const PASSWORDS: &str = "password passwords passwd passphrase";
const EXPIRIES: &str = "expiryDate expireDate expirationDate expires expiresAt unpublishDate unpublishAt";
/// The table that controls what Hugo builds, and its values that exclude a page.
const BUILD: &str = "build";
const NOT_BUILT: &str = "never link false no off";
/// The values that Hugo passes from the file of a folder to the files below, and the key that restricts it.
pub(super) const CASCADE: &str = "cascade";
pub(super) const TARGET: &str = "target";

const YES: &str = "true yes on 1";
const NO: &str = "false no off 0 never none";
const FALSE: &str = "false no off 0";

/// Whether the front matter marks the post as a draft in the usual words.
pub(super) fn is_plain_draft(front: &Value) -> bool {
    let status = front.get("status").and_then(Value::text);
    status.is_some_and(|text| is_word(text, "draft private hidden pending"))
        || places(front).flat_map(Value::pairs).any(|(key, value)| says_draft(key, value))
}

/// The key that hides a file, and its value as written; `None` if nothing hides it, or if it is only marked as a draft. `now`: the time of the
/// import; without it, every expiry date has passed.
pub(super) fn hidden_by(front: &Value, zone: &TimeZone, now: Option<Instant>) -> Option<String> {
    let pairs = || places(front).flat_map(Value::pairs);
    if pairs().any(|(key, value)| says_draft(key, value)) {
        return None;
    }
    // The report must not contain the password itself.
    let password = password_in(front).map(str::to_owned);
    password.or_else(|| {
        pairs().find_map(|(key, value)| match value.text() {
            Some(text) if is_one_of(key, EXPIRIES) => is_over(text, zone, now).then(|| format!("{key}: {text}")),
            Some(text) if is_mark(key, value) => Some(format!("{key}: {text}")),
            None if is_mark(key, value) => Some(key.clone()),
            _ => None,
        })
    })
}

/// The mark in values for other files that hides these, whenever it is read.
pub(super) fn hides(values: &Value) -> Option<String> {
    let says_draft = || is_plain_draft(values).then(|| "draft: true".to_owned());
    hidden_by(values, &TimeZone::default(), None).or_else(says_draft)
}

/// The key of a password, at any depth.
fn password_in(value: &Value) -> Option<&str> {
    match value {
        Value::Table(pairs) => pairs.iter().find_map(|(key, value)| match is_password(key) {
            true => (!is_no(value)).then_some(key.as_str()),
            false => password_in(value),
        }),
        Value::List(items) => items.iter().find_map(password_in),
        _ => None,
    }
}

/// The first instant at which a generator stops showing the file, if that is after the import.
pub(super) fn expiry(front: &Value, zone: &TimeZone, now: Option<Instant>) -> Option<Instant> {
    let expiries = places(front).flat_map(Value::pairs).filter(|(key, _)| is_one_of(key, EXPIRIES));
    let instants = expiries.filter_map(|(_, value)| dates::parse_in(value.text()?, zone));
    instants.filter(|at| now.is_some_and(|now| *at > now)).min()
}

/// Whether the value of a key is a password, which is never stored.
pub(super) fn is_password(key: &str) -> bool {
    is_one_of(key, PASSWORDS)
}

/// Whether a key is a mark, whatever its value.
pub(super) fn is_mark_key(key: &str) -> bool {
    [DRAFTS, HIDDEN, SHOWN, PERMALINK, STATUSES, VISIBILITIES, PASSWORDS, EXPIRIES]
        .iter()
        .any(|keys| is_one_of(key, keys))
}

/// The values that the file of a folder gives to the files below: Hugo's `cascade`, and `draft`, which in Zola applies to the whole folder.
pub(super) fn cascade(front: &Value) -> Vec<(String, Value)> {
    let mut found: Vec<(String, Value)> = Vec::new();
    for item in front.items_of(CASCADE) {
        // A part for some files only can hide files, but gives them no other values.
        let has_target = item.get(TARGET).is_some();
        let counts = |key: &str| !is_key(key, TARGET) && (!has_target || is_mark_key(key) || is_key(key, BUILD));
        found.extend(item.pairs().iter().filter(|(key, _)| counts(key)).cloned());
    }
    if front.pairs().iter().any(|(key, value)| says_draft(key, value)) {
        found.push(("draft".to_owned(), Value::Plain("true".to_owned())));
    }
    found
}

/// Whether a key only marks the file as a draft, which needs no note.
fn says_draft(key: &str, value: &Value) -> bool {
    let is = |name, words| is_key(key, name) && value.text().is_some_and(|text| is_word(text, words));
    is("draft", YES) || is("published", NO) || is("status", "draft")
}

/// Whether a key with this value hides a file, except for passwords and expiry dates.
fn is_mark(key: &str, value: &Value) -> bool {
    if is_key(key, BUILD) {
        let is_off = |part| value.get(part).and_then(Value::text).is_some_and(|text| is_word(text, NOT_BUILT));
        return is_off("render") || is_off("list");
    }
    let Some(text) = value.text() else {
        // Eleventy's value can name collections that exclude the file. A list such as `hide: [toc]` is about parts of a page.
        let of_any_value = || {
            [DRAFTS, MEMBERS].iter().any(|keys| is_one_of(key, keys)) || is_key(key, "eleventyExcludeFromCollections")
        };
        let is_hiding = |item: &Value| is_mark(key, item) || says_draft(key, item);
        let of_items = || matches!(value, Value::List(items) if items.iter().any(is_hiding));
        let marks = [VISIBILITIES, HIDDEN, STATUSES, PUBLISHED];
        let of_table = || {
            let is_table = matches!(value, Value::Table(_)) && !is_key(key, "hide");
            is_table && marks.iter().any(|keys| is_one_of(key, keys))
        };
        return !value.is_empty() && (of_any_value() || of_items() || of_table());
    };
    let is_doubtful = || !is_word(text, YES) && !text.contains(|c: char| c.is_ascii_digit());
    (is_one_of(key, DRAFTS) && !is_word(text, NO))
        || (is_one_of(key, HIDDEN) && is_word(text, YES))
        || (is_one_of(key, SHOWN) && is_word(text, NO))
        || (is_key(key, PERMALINK) && is_word(text, FALSE))
        || (is_one_of(key, PUBLISHED) && is_doubtful())
        || (is_one_of(key, STATUSES) && is_word(text, HIDDEN_STATUSES))
        || (is_one_of(key, VISIBILITIES) && !is_word(text, PUBLIC))
}

fn is_no(value: &Value) -> bool {
    value.is_empty() || value.text().is_some_and(|text| is_word(text, NO))
}

fn is_over(text: &str, zone: &TimeZone, now: Option<Instant>) -> bool {
    match (dates::parse_in(text, zone), now) {
        (Some(at), Some(now)) => at <= now,
        _ => !is_word(text, NO),
    }
}
