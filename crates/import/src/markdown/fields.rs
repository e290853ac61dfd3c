//! Reads the fields of front matter under all names that site generators use. The rule: existing fields are interpreted generously; a missing field
//! stays missing, and the caller decides what that means. A key at the top level wins over the same key in a table of Zola or Hugo.

use crate::paths;
use crate::words::has_word;
use tidings_model::rules::SUBTITLE_CHARS_MAX;
use tidings_model::{Language, TimeZone};

use super::marks;
use super::publication::{self, CREATIONS, DATES, OF_PUBLICATION};
use super::value::{Value, places};

/// The values of these keys in each of the places.
pub(super) fn values<'f>(front: &'f Value, keys: &'static str) -> impl Iterator<Item = &'f Value> {
    places(front).flat_map(move |place| place.each(keys))
}

/// The fields of a post in its front matter, as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PostFields {
    pub title: Option<String>,
    pub subtitle: Option<String>,
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
    /// The position in the series, if the post is in one.
    pub series_position: Option<i32>,
    pub aliases: Vec<String>,
    /// The target, if the file is only a redirect.
    pub redirect: Option<String>,
    /// The zone of dates without one, which does not come from the file.
    pub time_zone: TimeZone,
}

pub(super) const TITLES: &str = "title";
pub(super) const SUBTITLES: &str = "subtitle";
pub(super) const EXCERPTS: &str = "excerpt summary description";
pub(super) const SLUGS: &str = "slug";
const ADDRESSES: &str = "permalink url path";
const ALIASES: &str = "aliases redirect_from redirect";
pub(super) const LANGUAGES: &str = "lang language locale";
pub(super) const FEATURED: &str = "featured pinned pin sticky top";
/// Hexo's keys, whose value can be a number by which posts are sorted.
const RANKS: &str = "sticky top";
const REDIRECTS: &str = "redirect redirect_to";
pub(super) const AUTHORS: &str = "authors author by";
pub(super) const CATEGORIES: &str = "categories category";
pub(super) const TAGS: &str = "tags tag keywords";
/// The key of a name, a list of names, or a table with a name and a position.
pub(super) const SERIES: &str = "series";
/// The key of the position in the series in an export.
pub const SERIES_ORDER: &str = "series_order";
const SERIES_POSITIONS: &str = "series_order series_weight series_index series_part";
const IN_SERIES: &str = "order part index weight position";
const ORDERS: &str = "order nav_order sidebar_position menu_order";
/// Tables that contain a position.
const ORDER_TABLES: &str = "eleventyNavigation sidebar navigation menu menus";

impl PostFields {
    /// `is_in_drafts`: whether the file is in a folder of drafts.
    pub(super) fn read(front: &Value, is_in_drafts: bool) -> Self {
        let text = |keys| front.first_text(keys).map(str::to_owned);
        let in_series = places(front).find_map(name_of_series);
        Self {
            title: text(TITLES),
            subtitle: text(SUBTITLES).filter(|text| text.chars().count() <= SUBTITLE_CHARS_MAX),
            excerpt: text(EXCERPTS),
            slug: slug(front),
            path: text("path"),
            address: text(ADDRESSES),
            given_slug: text(SLUGS),
            order: order(front),
            date: publication::first(front, DATES, OF_PUBLICATION),
            created: publication::first(front, CREATIONS, ""),
            updated: publication::update(front),
            is_draft: marks::is_plain_draft(front) || is_in_drafts,
            language: language(front),
            is_featured: FEATURED.split_whitespace().find_map(|key| featured(key, front.get(key)?)),
            authors: names(front, AUTHORS, split_persons),
            categories: names(front, CATEGORIES, split_at_commas),
            category_parents: category_parents(front, false),
            tags: names(front, TAGS, split_at_commas),
            series_position: in_series.as_ref().and_then(|_| places(front).find_map(position_in_series)),
            series: in_series.into_iter().collect(),
            aliases: front.each(ALIASES).flat_map(Value::items).filter_map(Value::text).map(str::to_owned).collect(),
            redirect: text(REDIRECTS),
            time_zone: TimeZone::default(),
        }
    }

    pub(super) fn in_zone(self, zone: &TimeZone) -> Self {
        Self { time_zone: zone.clone(), ..self }
    }

    /// Removes the fields that a page does not have.
    pub(super) fn of_page(mut self) -> Self {
        for terms in [&mut self.authors, &mut self.categories, &mut self.tags, &mut self.series] {
            terms.clear();
        }
        Self { date: None, is_featured: None, category_parents: Vec::new(), series_position: None, ..self }
    }
}

fn slug(front: &Value) -> Option<String> {
    // A permalink can be a pattern for many files: `/:year/:title/`, `/blog/{{ page.fileSlug }}/`.
    let is_path = |text: &&str| text.starts_with('/') && !text.contains([':', '{', '}', '*']);
    let slug = front.first_text(SLUGS).map(str::to_owned);
    slug.or_else(|| paths::last_part(front.first_text("path")?))
        .or_else(|| paths::last_part(front.first_text("permalink url").filter(is_path)?))
}

/// The first key that contains a language: `language` can also be a programming language.
fn language(front: &Value) -> Option<Language> {
    front.each(LANGUAGES).find_map(|value| Language::of_locale(value.text()?))
}

/// The first series that a table of the front matter names.
fn name_of_series(table: &Value) -> Option<String> {
    let value = table.get(SERIES)?.items().first()?;
    let name = value.text().or_else(|| value.first_text("name title"))?;
    Some(name.to_owned())
}

/// The position of the post in a table of the front matter.
fn position_in_series(table: &Value) -> Option<i32> {
    let own = table.each(SERIES_POSITIONS).find_map(position);
    own.or_else(|| table.get(SERIES)?.items().first()?.each(IN_SERIES).find_map(position))
}

/// The position of a page among its siblings. Hugo's weight 0 means that there is none.
fn order(front: &Value) -> Option<i32> {
    let own = |value: &Value| {
        let weight = value.get("weight").and_then(position).filter(|weight| *weight != 0);
        weight.or_else(|| value.each(ORDERS).find_map(position))
    };
    // Each menu of Hugo has a table.
    let in_table = |table: &Value| own(table).or_else(|| table.each("main docs footer").find_map(own));
    own(front).or_else(|| front.each(ORDER_TABLES).find_map(in_table))
}

/// A number, rounded down; a value that is not a number is not a position.
pub(super) fn position(value: &Value) -> Option<i32> {
    value.text()?.parse::<f64>().ok().filter(|number| number.abs() < 1e9).map(|number| number.floor() as i32)
}

/// Whether the value features the post; `None` if it says neither. A rank above 0 features it.
fn featured(key: &str, value: &Value) -> Option<bool> {
    let text = value.text()?;
    let rank = || text.parse::<f64>().ok().filter(|rank| rank.is_finite() && has_word(RANKS, key));
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
fn names(front: &Value, keys: &'static str, part: fn(&str) -> Vec<String>) -> Vec<String> {
    let mut found = values(front, keys).map(|value| names_of(value, part));
    found.find(|names| !names.is_empty()).unwrap_or_default()
}

/// The parents of categories in lists of lists, each from the highest to the lowest. In Hexo (`is_of_hexo`), a plain list of names is such a list.
pub(super) fn category_parents(front: &Value, is_of_hexo: bool) -> Vec<(String, String)> {
    let mut found = values(front, CATEGORIES);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::{front_matter::parse_toml, yaml};

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
        let zola = PostFields::read(&parse_toml(zola).expect("TOML"), false);
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

    #[test]
    fn every_generators_position_is_read() {
        let order = |text: &str| order(&yaml::parse(text).expect("YAML"));
        for (text, expected) in [
            ("weight: 10", Some(10)),
            ("weight: 0", None),
            ("order: -1", Some(-1)),
            ("nav_order: 2", Some(2)),
            ("sidebar_position: 1.5", Some(1)),
            ("eleventyNavigation: {key: A, order: 3}", Some(3)),
            ("sidebar: {order: 4}", Some(4)),
            ("menu: {main: {weight: 5}}", Some(5)),
            ("menu: main", None),
            ("order: first", None),
            ("title: A", None),
        ] {
            assert_eq!(order(text), expected, "{text}");
        }
    }
}
