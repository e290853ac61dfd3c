//! Reads the fields of front matter under all names that site generators use. The rule: existing fields are interpreted generously; a missing field
//! stays missing, and the caller decides what that means.

use crate::paths;
use tidings_model::{Language, TimeZone};

use super::publication::{self, CREATIONS, DATES, OF_PUBLICATION};
use super::tables::places;
use super::value::Value;
use super::{marks, position, series};

/// The fields of a post in its front matter, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PostFields {
    pub title: Option<String>,
    pub excerpt: Option<String>,
    /// From `slug`, else the last part of `path`, else the last part of a `permalink` or `url` that is a path.
    pub slug: Option<String>,
    pub path: Option<String>,
    /// The first of `permalink`, `url` and `path`, as written.
    pub address: Option<String>,
    /// `slug` as written.
    pub given_slug: Option<String>,
    /// The position among its siblings, for a page.
    pub order: Option<i32>,
    /// The publication date as written, even if it is malformed.
    pub date: Option<String>,
    pub created: Option<String>,
    pub updated: Option<String>,
    pub is_draft: bool,
    pub language: Option<Language>,
    /// `None` without such a key.
    pub is_featured: Option<bool>,
    pub authors: Vec<String>,
    pub categories: Vec<String>,
    /// Pairs of categories: the parent and its child.
    pub category_parents: Vec<(String, String)>,
    pub tags: Vec<String>,
    /// At most one.
    pub series: Vec<String>,
    /// Only for a post in a series.
    pub series_position: Option<i32>,
    pub aliases: Vec<String>,
    /// The target, if the file is only a redirect.
    pub redirect: Option<String>,
    /// The zone of dates without one, which does not come from the file.
    pub time_zone: TimeZone,
}

pub(super) const TITLES: &[&str] = &["title"];
pub(super) const EXCERPTS: &[&str] = &["excerpt", "summary", "description"];
pub(super) const SLUGS: &[&str] = &["slug"];
const ADDRESSES: &[&str] = &["permalink", "url", "path"];
const ALIASES: &[&str] = &["aliases", "redirect_from", "redirect"];
pub(super) const LANGUAGES: &[&str] = &["lang", "language", "locale"];
pub(super) const FEATURED: &[&str] = &["featured", "pinned", "pin", "sticky", "top"];
/// Hexo's keys, whose value can be a number by which posts are sorted.
const RANKS: &[&str] = &["sticky", "top"];
const REDIRECTS: &[&str] = &["redirect", "redirect_to"];
pub(super) const AUTHORS: &[&str] = &["authors", "author", "by"];
pub(super) const CATEGORIES: &[&str] = &["categories", "category"];
pub(super) const TAGS: &[&str] = &["tags", "tag", "keywords"];
impl PostFields {
    /// `is_in_drafts`: whether the file is in a folder of drafts.
    pub(super) fn read(front: &Value, is_in_drafts: bool) -> Self {
        let text = |names| first_text(front, names);
        let in_series = places(front).find_map(series::name);
        Self {
            title: text(TITLES),
            excerpt: text(EXCERPTS),
            slug: slug(front),
            path: text(&["path"]),
            address: text(ADDRESSES),
            given_slug: text(SLUGS),
            order: position::order(front),
            date: publication::first(front, DATES, OF_PUBLICATION),
            created: publication::first(front, CREATIONS, &[]),
            updated: publication::update(front),
            is_draft: marks::is_plain_draft(front) || is_in_drafts,
            language: language(front),
            is_featured: FEATURED.iter().find_map(|key| featured(key, front.get(key)?)),
            authors: names(front, AUTHORS, split_persons),
            categories: names(front, CATEGORIES, split_at_commas),
            category_parents: category_parents(front, false),
            tags: names(front, TAGS, split_at_commas),
            series_position: in_series.as_ref().and_then(|_| places(front).find_map(series::position)),
            series: in_series.into_iter().collect(),
            aliases: all_texts(front, ALIASES),
            redirect: text(REDIRECTS),
            time_zone: TimeZone::default(),
        }
    }

    pub(super) fn in_zone(self, zone: &TimeZone) -> Self {
        Self { time_zone: zone.clone(), ..self }
    }

    /// Removes the fields that a page does not have.
    pub(super) fn of_page(self) -> Self {
        let (authors, categories, tags, series) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let category_parents = Vec::new();
        let of_page = Self { date: None, is_featured: None, series_position: None, ..self };
        Self { authors, categories, category_parents, tags, series, ..of_page }
    }
}

fn first_text(front: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| front.get(name)?.text()).map(str::to_owned)
}

fn slug(front: &Value) -> Option<String> {
    // A permalink can be a pattern for many files: `/:year/:title/`, `/blog/{{ page.fileSlug }}/`.
    let is_path = |text: &String| text.starts_with('/') && !text.contains([':', '{', '}', '*']);
    first_text(front, &["slug"])
        .or_else(|| paths::last_part(&first_text(front, &["path"])?))
        .or_else(|| paths::last_part(&first_text(front, &["permalink", "url"]).filter(is_path)?))
}

/// The first key that contains a language: `language` can also be a programming language.
fn language(front: &Value) -> Option<Language> {
    LANGUAGES.iter().find_map(|name| Language::of_locale(front.get(name)?.text()?))
}

/// Whether the value features the post; `None` if it says neither. A rank above 0 features it.
fn featured(key: &str, value: &Value) -> Option<bool> {
    let text = value.text()?;
    let rank = || text.parse::<f64>().ok().filter(|rank| rank.is_finite() && RANKS.contains(&key));
    truth(text).or_else(|| rank().map(|rank| rank > 0.0))
}

/// Parses a YAML boolean.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

/// The names under the first of these keys that exists, at the top level or in the tables of Zola and Hugo.
fn names(front: &Value, keys: &[&str], part: fn(&str) -> Vec<String>) -> Vec<String> {
    let found = places(front).flat_map(|place| keys.iter().filter_map(|key| place.get(key)));
    found.map(|value| names_of(value, part)).find(|names| !names.is_empty()).unwrap_or_default()
}

/// The parents of categories in lists of lists, each from the highest to the lowest. In Hexo (`is_of_hexo`), a plain list of names is such a list.
pub(super) fn category_parents(front: &Value, is_of_hexo: bool) -> Vec<(String, String)> {
    let mut found = places(front).flat_map(|place| CATEGORIES.iter().filter_map(|key| place.get(key)));
    let Some(Value::List(items)) = found.find(|value| !value.is_empty()) else { return Vec::new() };
    let lists = items.iter().filter(|item| matches!(item, Value::List(_)));
    let mut paths: Vec<Vec<String>> = lists.map(|list| names_of(list, whole)).collect();
    if paths.is_empty() && is_of_hexo {
        paths.push(items.iter().flat_map(|item| names_of(item, whole)).collect());
    }
    let pairs = paths.iter().flat_map(|path| path.windows(2));
    pairs.filter_map(|pair| Some((pair.first()?.clone(), pair.last()?.clone()))).collect()
}

/// Each item of a list is a whole name; only a single text is split. Hexo has lists of categories in a list, each from the highest to the lowest.
pub(super) fn names_of(value: &Value, part: fn(&str) -> Vec<String>) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().flat_map(|item| names_of(item, whole)).collect(),
        Value::Text(text) | Value::Plain(text) => part(text),
        one => name_of(one).into_iter().collect(),
    }
}

/// A name, or the name in a table for a person: `{ name: …, url: … }`.
fn name_of(value: &Value) -> Option<String> {
    let name = value.text().or_else(|| value.get("name")?.text())?;
    Some(name.to_owned())
}

/// "Russ Cox, for the Go team" is one author.
pub(super) fn whole(text: &str) -> Vec<String> {
    Some(text.trim()).filter(|name| !name.is_empty()).map(str::to_owned).into_iter().collect()
}

/// `tags: a, b` are two tags.
pub(super) fn split_at_commas(text: &str) -> Vec<String> {
    text.split(',').flat_map(whole).collect()
}

/// `author: Ada Byron, Grace Hopper` are two authors. "Russ Cox, for the Go team" is one, and so is "Sammy Davis, Jr.".
pub(super) fn split_persons(text: &str) -> Vec<String> {
    let parts = split_at_commas(text);
    if parts.iter().all(|part| is_name_of_person(part)) { parts } else { whole(text) }
}

/// The single text that is split into several authors, if there is one.
pub(super) fn divided_authors(front: &Value) -> Option<&str> {
    let mut found = places(front).flat_map(|place| AUTHORS.iter().filter_map(|key| place.get(key)));
    let text = found.find(|value| !names_of(value, split_persons).is_empty())?.text()?;
    (split_persons(text).len() > 1).then_some(text)
}

/// Suffixes of a name after a comma.
const SUFFIXES: &[&str] = &["Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV", "MD", "M.D.", "PhD", "Ph.D.", "Esq."];
/// Words within names that begin with a lower-case letter.
const PARTICLES: &[&str] = &[
    "al", "bin", "da", "das", "de", "del", "della", "den", "der", "di", "dos", "du", "el", "ibn", "la", "le", "ten",
    "ter", "van", "von", "y", "zu",
];

/// Whether all words except particles begin with a capital letter, or with a letter of a script without case.
fn is_name_of_person(text: &str) -> bool {
    let is_capital = |word: &str| word.starts_with(|c: char| c.is_alphabetic() && !c.is_lowercase());
    !SUFFIXES.contains(&text) && text.split_whitespace().all(|word| is_capital(word) || PARTICLES.contains(&word))
}

fn all_texts(front: &Value, names: &[&str]) -> Vec<String> {
    let values = names.iter().filter_map(|name| front.get(name));
    values.flat_map(Value::items).filter_map(Value::text).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{toml_value, yaml};

    fn from_yaml(text: &str) -> PostFields {
        PostFields::read(&yaml::parse(text).expect("YAML"), false)
    }

    #[test]
    fn names_are_read_under_every_key() {
        assert_eq!(from_yaml("by:\n- Russ Cox, for the Go team\n- B").authors, ["Russ Cox, for the Go team", "B"]);
        assert_eq!(from_yaml("author: A, B").authors, ["A", "B"]);
        assert_eq!(from_yaml("author: Ludwig van Beethoven, 毛, Ö. X").authors, ["Ludwig van Beethoven", "毛", "Ö. X"]);
        for one in ["Russ Cox, for the Go team", "Sammy Davis, Jr.", "Ada, Director of Words", "A and B"] {
            assert_eq!(from_yaml(&format!("author: {one}")).authors, [one]);
        }
        assert_eq!(from_yaml("authors: ['A, B']").authors, ["A, B"]);
        assert_eq!(from_yaml("author: {name: A, url: x}").authors, ["A"]);
        assert_eq!(from_yaml("category: release").categories, ["release"]);
        assert_eq!(from_yaml("tags: a b, c,").tags, ["a b", "c"]);
        assert_eq!(from_yaml("tags: []\nkeywords: [1.10, true]").tags, ["1.10", "true"]);
        let zola = "[taxonomies]\ntags = ['a']\n[extra]\nauthors = ['B']";
        let zola = PostFields::read(&toml_value::parse(zola).expect("TOML"), false);
        assert_eq!((zola.tags, zola.authors), (vec!["a".to_owned()], vec!["B".to_owned()]));
    }

    #[test]
    fn a_slug_is_given_or_is_the_last_part_of_a_path() {
        let slug = |yaml| from_yaml(yaml).slug;
        assert_eq!(slug("slug: a\npath: b/c").as_deref(), Some("a"));
        assert_eq!(slug("path: 2015/05/15/Rust-1.0").as_deref(), Some("Rust-1.0"));
        assert_eq!(slug("permalink: /x/y/").as_deref(), Some("y"));
        assert_eq!(slug("permalink: pretty"), None);
        assert_eq!(slug("permalink: /:year/:title/"), None);
        assert_eq!(slug("permalink: '/blog/{{ page.fileSlug }}/'"), None);
    }

    #[test]
    fn the_language_is_the_first_tag_under_its_names() {
        let language = |yaml| from_yaml(yaml).language.map(|language| language.to_string());
        for (yaml, expected) in [
            ("lang: pt-br", Some("pt-BR")),
            ("locale: en_US", Some("en-US")),
            ("language: python\nlocale: no", Some("no")),
            ("lang: de\nlocale: fr", Some("de")),
            ("lang: [de]", None),
            ("lang: English", None),
            ("lang:", None),
        ] {
            assert_eq!(language(yaml).as_deref(), expected, "{yaml}");
        }
    }

    #[test]
    fn a_post_is_featured_by_the_first_of_its_keys_that_says_so() {
        for (yaml, expected) in [
            ("featured: true", Some(true)),
            ("featured: No", Some(false)),
            ("pinned: 'yes'", Some(true)),
            ("pin: on", Some(true)),
            ("sticky: true", Some(true)),
            ("sticky: 100", Some(true)),
            ("top: 0.5", Some(true)),
            ("top: 0", Some(false)),
            ("sticky: -1", Some(false)),
            ("featured: false\npin: true", Some(false)),
            ("featured: a.png\npin: true", Some(true)),
            ("featured: 1", None),
            ("pin: 1234", None),
            ("top: inf", None),
            ("sticky: [1]", None),
            ("featured:", None),
        ] {
            assert_eq!(from_yaml(yaml).is_featured, expected, "{yaml}");
        }
    }

    #[test]
    fn a_series_and_a_position_are_read_under_every_key() {
        for (yaml, name, position) in [
            ("series: A b, c\nseries_order: 2", Some("A b, c"), Some(2)),
            ("series: [A, B]\nseries_weight: 10", Some("A"), Some(10)),
            ("taxonomies: {series: [A]}\nextra: {seriesPart: 1.5}", Some("A"), Some(1)),
            ("series: {name: A, order: 3}", Some("A"), Some(3)),
            ("series: {title: A, part: two}", Some("A"), None),
            ("series: {id: 3}\nseries_order: 1", None, None),
            ("series:\nseries_order: 1", None, None),
            ("series_order: 1", None, None),
        ] {
            let fields = from_yaml(yaml);
            assert_eq!((fields.series.first().map(String::as_str), fields.series_position), (name, position), "{yaml}");
        }
    }

    #[test]
    fn old_addresses_are_a_text_or_a_list() {
        assert_eq!(from_yaml("redirect_from: /a/").aliases, ["/a/"]);
        assert_eq!(from_yaml("aliases: [a, b]\nredirect: c").aliases, ["a", "b", "c"]);
    }

    #[test]
    fn a_title_may_look_like_a_number() {
        assert_eq!(from_yaml("title: 1.10").title.as_deref(), Some("1.10"));
        assert_eq!(from_yaml("title: true").title.as_deref(), Some("true"));
        assert_eq!(from_yaml("title:").title, None);
    }
}
