//! The metadata of a Markdown file: the front matter without the values that the API returns in fields of the post. The rule: a value is omitted only if a
//! field returns an equal value, so nothing in the front matter is lost, except for passwords, because everyone may read the metadata.

use crate::dates;
use tidings_model::{JsonValue, Language, Slug};

use super::fields::{
    self, AUTHORS, CATEGORIES, EXCERPTS, LANGUAGES, PostFields, SERIES, SLUGS, SUBTITLES, TAGS, TITLES, names_of,
    split_at_commas, split_persons,
};
use super::marks::is_password;
use super::publication::{CREATIONS, DATES, UPDATES};
use super::value::{TABLES, Value, is_one_of, is_word};

/// The words that the status of a post expresses. Another word, such as `private`, has more information.
const STATUSES: &str = "draft published publish";
const BOOLEANS: &str = "true false yes no on off 1 0";

const MARKS: &str = "draft published";

/// `fields`: the fields that were read from the front matter.
pub(super) fn of(front: &Value, fields: &PostFields) -> JsonValue {
    let mut rest = Vec::new();
    let front = without_passwords(front);
    for (name, value) in front.pairs() {
        match value {
            Value::Table(pairs) if is_one_of(name, TABLES) => {
                let inside = pairs.iter().filter(|(name, value)| !are_terms(name, value, fields).unwrap_or(false));
                let inside: Vec<_> = inside.map(|(name, value)| (name.clone(), value.to_json())).collect();
                if !inside.is_empty() || pairs.is_empty() {
                    rest.push((name.clone(), JsonValue::object(inside)));
                }
            }
            _ if is_returned(name, value, fields) => {}
            _ => rest.push((name.clone(), value.to_json())),
        }
    }
    JsonValue::object(rest)
}

/// Whether a field of the API returns the value of a top-level key. Addresses (`aliases`, `path`, `permalink`) are used and remain in the metadata,
/// because no field returns them.
fn is_returned(name: &str, value: &Value, fields: &PostFields) -> bool {
    let text = value.text();
    let is = |field: &Option<String>| text.is_none_or(|text| field.as_deref() == Some(text)) && is_scalar(value);
    let is_date = |field: &Option<String>| is(field) && text.is_none_or(|text| dates::parse(text).is_some());
    let is_one_of_words = |words| text.is_none_or(|text| is_word(text, words));
    let is_key = |keys| is_one_of(name, keys);
    // A draft has no publication time: its date becomes the time of its creation, unless it also has that.
    let is_only_creation = || !(fields.is_draft && has_date(&fields.created) && text.is_some());
    match () {
        () if is_key(TITLES) => is(&fields.title),
        () if is_key(SUBTITLES) => is(&fields.subtitle),
        () if is_key(EXCERPTS) => is(&fields.excerpt),
        () if is_key(SLUGS) => is(&fields.slug) && text.is_none_or(|text| text.parse::<Slug>().is_ok()),
        () if is_key(DATES) && is_date(&fields.date) => is_only_creation(),
        () if is_key(MARKS) => is_scalar(value) && is_one_of_words(BOOLEANS),
        () if is_key(CREATIONS) => is_date(&fields.created),
        () if is_key(UPDATES) => is_date(&fields.updated),
        () if is_key(LANGUAGES) => {
            let is_read = |text| Language::of_locale(text).is_some_and(|read| fields.language == Some(read));
            is_scalar(value) && text.is_none_or(is_read)
        }
        () if is_key("status") => is_scalar(value) && is_one_of_words(STATUSES),
        // A rank has more information than whether the post is featured.
        () if is_key(fields::FEATURED) => {
            is_scalar(value) && text.and_then(fields::truth).is_some_and(|is| fields.is_featured == Some(is))
        }
        () => are_terms(name, value, fields).unwrap_or(false),
    }
}

fn without_passwords(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(without_passwords).collect()),
        Value::Table(pairs) => {
            let kept = pairs.iter().filter(|(key, _)| !is_password(key));
            Value::Table(kept.map(|(key, value)| (key.clone(), without_passwords(value))).collect())
        }
        value => value.clone(),
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Nothing | Value::Text(_) | Value::Plain(_))
}

fn has_date(field: &Option<String>) -> bool {
    field.as_deref().and_then(dates::parse).is_some()
}

/// Whether the post has exactly these terms; `None` if the key does not name terms. An author with more than a name, such as an address, is more than
/// a term.
fn are_terms(name: &str, value: &Value, fields: &PostFields) -> Option<bool> {
    let (names, read) = match name {
        name if is_one_of(name, AUTHORS) => (names_of(value, split_persons), &fields.authors),
        name if is_one_of(name, CATEGORIES) => (names_of(value, split_at_commas), &fields.categories),
        name if is_one_of(name, TAGS) => (names_of(value, split_at_commas), &fields.tags),
        name if is_one_of(name, SERIES) => {
            (value.items().iter().filter_map(Value::text).map(str::to_owned).collect(), &fields.series)
        }
        _ => return None,
    };
    Some(value.is_empty() || names == *read && value.items().iter().all(|item| item.text().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{front_matter::parse_toml, yaml};

    fn of_front(front: &Value) -> String {
        of(front, &PostFields::read(front, false)).to_json()
    }

    fn of_yaml(text: &str) -> String {
        of_front(&yaml::parse(text).expect("YAML"))
    }

    #[test]
    fn what_a_field_returns_is_not_in_the_metadata() {
        for text in [
            "title: A\ndate: 2025-01-02 03:04:05 +0100\nlastmod: 2025-02-01\nauthor: B\ntags: a, b\nslug: c-d",
            "title: 1.10\nsummary: A text.\ndescription: A text.\ncategories: [a, 1.10]\ndraft: No",
            "title:\ntags: []\nauthor: ~\ndate: ''\ncreated: 2025-01-01\nstatus: Draft",
            "taxonomies: {tags: [a]}\nextra: {author: B}",
            "series: A b, c",
            "taxonomies: {series: [A]}",
            "draft: true\ndate: 2025-01-02",
            "lang: pt-br\nlocale: pt_BR\nlanguage:",
        ] {
            assert_eq!(of_yaml(text), "{}", "{text}");
        }
    }

    #[test]
    fn every_other_value_is_kept_with_its_type() {
        for (text, expected) in [
            (
                "layout: post\nweight: 3\ntoc: true\nx: ~\ncover: {image: a.png, alt: 'B'}\ntitle: A\nratio: 1.50",
                r#"{"layout":"post","weight":3,"toc":true,"x":null,"cover":{"image":"a.png","alt":"B"},"ratio":1.5}"#,
            ),
            ("lang: de\nlocale: fr\nlanguage: python", r#"{"locale":"fr","language":"python"}"#),
            ("tags: [a]\nkeywords: b, c", r#"{"keywords":"b, c"}"#),
            ("excerpt: A\ndescription: B", r#"{"description":"B"}"#),
            ("date: 2025-01-01\npubDate: 2025-01-02", r#"{"pubDate":"2025-01-02"}"#),
            ("date: soon\nupdated: later", r#"{"date":"soon","updated":"later"}"#),
            ("draft: true\ndate: 2025-01-02\ncreated: 2025-01-01", r#"{"date":"2025-01-02"}"#),
            ("status: private\npublished: maybe", r#"{"status":"private","published":"maybe"}"#),
            ("author: {name: A, url: x}", r#"{"author":{"name":"A","url":"x"}}"#),
            ("authors: [A, {name: B}]", r#"{"authors":["A",{"name":"B"}]}"#),
            ("title: [a]\nslug: Not a slug", r#"{"title":["a"],"slug":"Not a slug"}"#),
            (
                "path: a/b\npermalink: /c/\nurl: /d\naliases: [/e/f/]\nredirect_from: /g",
                r#"{"path":"a/b","permalink":"/c/","url":"/d","aliases":["/e/f/"],"redirect_from":"/g"}"#,
            ),
            (
                "extra: {tags: [a], color: red}\nparams: text\ntaxonomies: {}",
                r#"{"extra":{"color":"red"},"params":"text","taxonomies":{}}"#,
            ),
            ("series: [A]\nseries_order: 2", r#"{"series_order":2}"#),
            ("series: [A, B]", r#"{"series":["A","B"]}"#),
            ("series: {name: A, order: 2}", r#"{"series":{"name":"A","order":2}}"#),
            ("series: {id: 3}", r#"{"series":{"id":3}}"#),
            ("a: 1\nb: 2\na: 3", r#"{"a":3,"b":2}"#),
        ] {
            assert_eq!(of_yaml(text), expected, "{text}");
        }
        let toml = "title = 'A'\n[extra]\nteam = 'B'\nsince = 1979-05-27\n[[extra.see_also]]\ntext = 'c'";
        assert_eq!(
            of_front(&parse_toml(toml).expect("TOML")),
            r#"{"extra":{"team":"B","since":"1979-05-27","see_also":[{"text":"c"}]}}"#
        );
    }
}
