//! The menu of a site. The rule: a menu has at most two levels, and each address is a web address or a path of the site, so a front end can show it
//! unchanged.

use std::str::FromStr;

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::rules::{URL_CHARS_MAX, is_web_address};

/// A menu with more items is too long for readers.
pub const ITEMS_MAX: usize = 20;
const LABEL_CHARS_MAX: usize = 100;

/// The top items of a menu, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Navigation(Vec<NavigationItem>);

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NavigationItem {
    pub label: String,
    /// A web address, or a path of the site with a slash at its start.
    pub url: String,
    /// The items below it; empty for an item that is below another.
    #[serde(default)]
    pub children: Vec<NavigationItem>,
}

impl Navigation {
    pub fn items(&self) -> &[NavigationItem] {
        &self.0
    }
}

/// Parses JSON: a list of items.
impl FromStr for Navigation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let items: Vec<Value> = serde_json::from_str(text).map_err(|error| {
            format!("not a list of items in JSON, such as [{{\"label\": \"About\", \"url\": \"/about\"}}]: {error}")
        })?;
        let items = items
            .into_iter()
            .enumerate()
            .map(|(at, item)| serde_json::from_value(item).map_err(|error| format!("item {}: {error}", at + 1)));
        let mut items = items.collect::<Result<Vec<NavigationItem>, String>>()?;
        check_list(&mut items, "")?;
        Ok(Self(items))
    }
}

/// `within`: the name of the item that the list is below, followed by a comma.
fn check_list(items: &mut [NavigationItem], within: &str) -> Result<(), String> {
    if items.len() > ITEMS_MAX {
        return Err(format!("{within}{} items in one list; there can be at most {ITEMS_MAX}", items.len()));
    }
    for (at, item) in items.iter_mut().enumerate() {
        let name = format!("{within}item {}", at + 1);
        item.label = item.label.trim().to_owned();
        check_label(&item.label).and_then(|()| check_url(&item.url)).map_err(|bad| format!("{name}: {bad}"))?;
        if !within.is_empty() && !item.children.is_empty() {
            return Err(format!("{name}: it has children, which an item below another cannot have"));
        }
        check_list(&mut item.children, &format!("{name}, "))?;
    }
    Ok(())
}

fn check_label(label: &str) -> Result<(), String> {
    match label.chars().count() {
        0 => Err("its label is empty".to_owned()),
        _ if label.chars().any(char::is_control) => Err(format!("its label {label:?} contains a control character")),
        1..=LABEL_CHARS_MAX => Ok(()),
        count => Err(format!("its label has {count} characters; it can have at most {LABEL_CHARS_MAX}")),
    }
}

fn check_url(url: &str) -> Result<(), String> {
    // An address that begins with two slashes is on another host.
    let is_path = url.starts_with('/') && !url.starts_with("//");
    let is_plain = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c);
    let count = url.chars().count();
    if count > URL_CHARS_MAX {
        return Err(format!("its url has {count} characters; it can have at most {URL_CHARS_MAX}"));
    }
    if is_path {
        return match url.chars().find(|c| !is_plain(*c)) {
            Some(c) => Err(format!("its url {url:?} contains {c:?}, which a URL has only in percent-encoding")),
            None => Ok(()),
        };
    }
    match is_web_address(url) && Url::parse(url).is_ok_and(|parsed| parsed.has_host()) {
        true => Ok(()),
        false => Err(format!(
            "its url {url:?} is neither a path of the site, such as /about, nor an address with http:// or https://"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(label: &str, url: &str, children: Vec<NavigationItem>) -> NavigationItem {
        NavigationItem { label: label.to_owned(), url: url.to_owned(), children }
    }

    #[test]
    fn a_menu_has_two_levels_with_paths_and_web_addresses() {
        let text = r#"[{"label": " Topics ", "url": "/tags?all#top", "children": [{"label": "Moon", "url": "/tags/moon"}]},
            {"label": "Elsewhere", "url": "https://example.org", "children": []}]"#;
        let expected = [
            item("Topics", "/tags?all#top", vec![item("Moon", "/tags/moon", Vec::new())]),
            item("Elsewhere", "https://example.org", Vec::new()),
        ];
        assert_eq!(text.parse::<Navigation>().map(|menu| menu.items().to_vec()), Ok(expected.to_vec()));
        assert_eq!("[]".parse(), Ok(Navigation::default()));
    }

    #[test]
    fn the_error_of_an_invalid_menu_names_the_item_and_what_is_wrong() {
        let many = format!("[{}]", vec![r#"{"label": "A", "url": "/"}"#; ITEMS_MAX + 1].join(", "));
        let below = |children: &str| format!(r#"[{{"label": "A", "url": "/", "children": [{children}]}}]"#);
        let with_url = |url: &str| format!(r#"[{{"label": "A", "url": {url:?}}}]"#);
        let long = format!(r#"[{{"label": "{}", "url": "/"}}]"#, "a".repeat(LABEL_CHARS_MAX + 1));
        for (text, expected) in [
            ("About /about".to_owned(), "not a list of items in JSON, such as ["),
            ("{}".to_owned(), "not a list of items in JSON, such as ["),
            (r#"[{"label": "A"}]"#.to_owned(), "item 1: missing field `url`"),
            (r#"[{"label": "A", "link": "/"}]"#.to_owned(), "item 1: unknown field `link`"),
            (r#"[{"label": " ", "url": "/"}]"#.to_owned(), "item 1: its label is empty"),
            (
                r#"[{"label": "a\nb", "url": "/"}]"#.to_owned(),
                "item 1: its label \"a\\nb\" contains a control character",
            ),
            (long, "item 1: its label has 101 characters"),
            (many, "21 items in one list; there can be at most 20"),
            (with_url("about"), "item 1: its url \"about\" is neither a path of the site"),
            (with_url("//evil.example"), "item 1: its url \"//evil.example\" is neither a path of the site"),
            (with_url("javascript:x()"), "item 1: its url \"javascript:x()\" is neither a path of the site"),
            (with_url("https://"), "item 1: its url \"https://\" is neither a path of the site"),
            (with_url("/a b"), "item 1: its url \"/a b\" contains ' '"),
            (with_url("/\u{e4}"), "item 1: its url \"/\u{e4}\" contains '\u{e4}'"),
            (below(r#"{"label": "B", "url": "b"}"#), "item 1, item 1: its url \"b\" is neither"),
            (
                below(r#"{"label": "B", "url": "/b", "children": [{"label": "C", "url": "/c"}]}"#),
                "item 1, item 1: it has children, which an item below another cannot have",
            ),
        ] {
            let refused = text.parse::<Navigation>().expect_err(&text);
            assert!(refused.starts_with(expected), "{text}: {refused}");
        }
    }
}
