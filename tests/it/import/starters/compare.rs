//! Compares a folder of a site generator with what the API returns after its import. The rule: each key, picture and link of the source is a field, an asset or an
//! address of the site, or is in the report; everything else is a difference.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::source::{self, SourceFile};
use crate::support::folder::exported;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

/// What the API returns for each file, and the report of the import.
pub struct Imported {
    pub report: Value,
    /// The posts and pages by the paths of their files.
    pub nodes: BTreeMap<String, Value>,
    pub assets: Vec<Value>,
}

/// How much was compared, and what is not where it belongs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Compared {
    pub keys: usize,
    pub pictures: usize,
    pub links: usize,
    pub differences: Vec<String>,
}

const OF_BOTH: &str = "__typename title excerpt slug createdAt updatedAt status language metadata cover { url alt } body { markdown html }";

impl Imported {
    pub async fn read(site: &Site, report: Value) -> Self {
        let mut nodes = BTreeMap::new();
        for line in exported(site).await.lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            let (Some(kind), Some(origin)) = (record["type"].as_str(), record["origin"].as_str()) else { continue };
            let query = format!(
                "{{ node(id: \"{kind}-{}\") {{ ... on Post {{ {OF_BOTH} publishedAt featured authors {{ name slug }} categories {{ name slug }} tags {{ name slug }} series {{ series {{ name slug }} number }} }} \
                 ... on Page {{ {OF_BOTH} path order }} }} }}",
                record["id"].as_str().expect("an id")
            );
            let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
            assert!(answer["data"]["node"].is_object(), "{query}: {answer}");
            nodes.insert(origin.to_owned(), answer["data"]["node"].clone());
        }
        Self { report, nodes, assets: assets(site).await }
    }

    /// Compares every file of Markdown below the folder.
    pub async fn compare(&self, site: &Site, root: &Path) -> Compared {
        let mut compared = Compared::default();
        for origin in source::origins(root) {
            let Some(node) = self.nodes.get(&origin) else {
                if !self.is_in_report(&["skipped"], &origin, "") && !self.is_in_unread_folder(&origin) {
                    compared.differences.push(format!("{origin}: is neither imported nor skipped"));
                }
                continue;
            };
            let file = source::read(root, origin);
            for (key, value) in file.front.iter().flatten() {
                compared.keys += 1;
                if !is_kept(key, value, node) {
                    compared.differences.push(format!("{}: the key {key} with {value}: {node}", file.origin));
                }
            }
            self.compare_pictures(root, &file, node, &mut compared);
            self.compare_links(site, &file, node, &mut compared).await;
        }
        compared
    }

    fn is_in_report(&self, lists: &[&str], origin: &str, part: &str) -> bool {
        let of_list = |list: &&str| self.report[list].as_array().expect("a list").clone();
        lists.iter().flat_map(of_list).any(|item| {
            let text = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
            text("origin").starts_with(origin) && (text("text").contains(part) || text("origin").ends_with(part))
        })
    }

    fn is_in_unread_folder(&self, origin: &str) -> bool {
        let is_above = |folder: &str| origin.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        let notes = self.report["notes"].as_array().expect("a list").iter();
        notes
            .filter(|note| note["text"].as_str().is_some_and(|text| text.starts_with("is not read")))
            .any(|note| note["origin"].as_str().is_some_and(is_above))
    }

    fn compare_pictures(&self, root: &Path, file: &SourceFile, node: &Value, compared: &mut Compared) {
        let body = node["body"]["markdown"].as_str().expect("a body");
        let covers = file
            .front
            .iter()
            .flat_map(covers)
            .map(|address| (address, node["cover"]["url"].as_str().unwrap_or_default()));
        let in_body = file.pictures.iter().map(|address| (address.clone(), body));
        for (address, place) in covers.take(1).chain(in_body) {
            if is_elsewhere(&address) || address.contains("{{") {
                continue;
            }
            compared.pictures += 1;
            // Files in several folders can have the same name.
            let is_there = located(root, &file.origin, &address).is_some_and(|name| {
                let named = self.assets.iter().filter(|asset| asset["originalName"] == json!(name));
                named.filter_map(|asset| asset["url"].as_str()).any(|url| place.contains(url))
            });
            if !is_there && !self.is_in_report(&["notes"], &file.origin, &format!("picture {address}")) {
                compared.differences.push(format!("{}: the picture {address}: {place}", file.origin));
            }
        }
    }

    async fn compare_links(&self, site: &Site, file: &SourceFile, node: &Value, compared: &mut Compared) {
        let html = node["body"]["html"].as_str().expect("HTML");
        let mut anchors: Vec<(String, String)> =
            anchors(html).into_iter().filter(|(href, _)| !is_elsewhere(href) || href.is_empty()).collect();
        for (label, address) in file.links.iter().filter(|(_, address)| !is_elsewhere(address)) {
            compared.links += 1;
            let label = plain(label);
            let found = anchors.iter().position(|(_, text)| plain(text) == label);
            let Some((href, _)) = found.map(|at| anchors.remove(at)) else {
                let end = ["}}", "%}"].iter().filter_map(|end| address.find(end)).min();
                let template = end.map_or(address.as_str(), |end| &address[..end + 2]);
                if !self.is_in_report(&["notes"], &file.origin, template) {
                    compared.differences.push(format!("{}: the link {label} to {address}: {html}", file.origin));
                }
                continue;
            };
            let is_known = self.resolves(site, &href, node).await || self.is_reported(&href, node);
            if !is_known && node["status"] != "DRAFT" {
                compared.differences.push(format!("{}: the link {label} to {address}, now {href}", file.origin));
            }
        }
    }

    fn is_reported(&self, href: &str, node: &Value) -> bool {
        let name = node.get("path").unwrap_or(&node["slug"]);
        let href = href.replace("&amp;", "&");
        let links = self.report["brokenLinks"].as_array().expect("a list");
        links.iter().any(|link| link["name"] == *name && link["link"] == json!(href))
    }

    /// Whether a reader finds something at an address in the body of a post or page.
    async fn resolves(&self, site: &Site, href: &str, node: &Value) -> bool {
        if let Some(id) = href.strip_prefix('#') {
            let id = percent_encoding::percent_decode_str(id).decode_utf8_lossy();
            let html = node["body"]["html"].as_str().expect("HTML");
            return id.is_empty() || html.contains(&format!("id=\"{id}\""));
        }
        let own = match node.get("path") {
            Some(path) => format!("/{}", path.as_str().expect("a path")),
            None => format!("/posts/{}", node["slug"].as_str().expect("a slug")),
        };
        let page = format!("http://site.example{own}");
        let url = page.parse::<url::Url>().and_then(|page| page.join(href)).expect("a URL");
        let path = url.path().trim_matches('/').to_owned();
        if path.is_empty() {
            return true;
        }
        if path.starts_with("assets/") {
            return self.assets.iter().any(|asset| asset["url"] == json!(format!("/{path}")));
        }
        let variables = json!({ "path": path, "slug": path.rsplit('/').next() });
        let query = match path.split_once('/') {
            Some(("posts", _)) => "query($slug: String!) { found: post(slug: $slug) { id } }",
            Some(("tags", _)) => "query($slug: String!) { found: tag(slug: $slug) { id } }",
            Some(("categories", _)) => "query($slug: String!) { found: category(slug: $slug) { id } }",
            _ => "",
        };
        for query in [query, "query($path: String!) { found: page(path: $path) { id } }"] {
            if !query.is_empty() && site.query_with(query, variables.clone()).await["found"].is_object() {
                return true;
            }
        }
        false
    }
}

async fn assets(site: &Site) -> Vec<Value> {
    let (mut found, mut after) = (Vec::new(), String::new());
    loop {
        let query = format!(
            "{{ assets(first: 100{after}) {{ nodes {{ url originalName }} pageInfo {{ hasNextPage endCursor }} }} }}"
        );
        let answer = site.ask_as(Some(EDITOR_TOKEN), &query).await;
        let page = &answer["data"]["assets"];
        found.extend(page["nodes"].as_array().unwrap_or_else(|| panic!("{answer}")).iter().cloned());
        if page["pageInfo"]["hasNextPage"] != true {
            return found;
        }
        after = format!(", after: {}", page["pageInfo"]["endCursor"]);
    }
}

/// The keys with which the tables of generators have fields of their own.
const TABLES: &[&str] = &["taxonomies", "extra", "params"];

/// Whether a key is in the metadata or in a field, with an equal value.
fn is_kept(key: &str, value: &Value, node: &Value) -> bool {
    if let (true, Some(inside)) = (TABLES.contains(&key), value.as_object()) {
        let table = &node["metadata"][key];
        return inside.iter().all(|(key, value)| contains(&table[key], value) || is_in_field(key, value, node));
    }
    contains(&node["metadata"][key], value) || is_in_field(key, value, node)
}

/// Whether the metadata has the value, and possibly more that data of the folder adds.
fn contains(found: &Value, value: &Value) -> bool {
    match (found, value) {
        (Value::Object(found), Value::Object(value)) => {
            value.iter().all(|(key, value)| found.get(key).is_some_and(|found| contains(found, value)))
        }
        (Value::Array(found), Value::Array(value)) => {
            value.iter().all(|item| found.iter().any(|found| contains(found, item)))
        }
        (Value::Number(found), Value::Number(value)) => found.as_f64() == value.as_f64(),
        (Value::Null, value) => value.is_null() || value == "",
        (Value::String(found), Value::String(value)) => found.trim() == value.trim(),
        (found, value) => found == value,
    }
}

fn is_in_field(key: &str, value: &Value, node: &Value) -> bool {
    let text = value.as_str().map(str::trim);
    let is_text = |field: &str| text.is_some() && node[field].as_str().map(str::trim) == text;
    let is_number = |field: &str| value.as_f64().is_some() && node[field].as_f64() == value.as_f64().map(f64::floor);
    let is_day = |field: &str| {
        node[field].as_str().is_some_and(|at| text.and_then(day).is_some_and(|day| is_same_day(&day, at)))
    };
    let is_status = |is_draft: bool| (node["status"] == "DRAFT") == is_draft;
    match key {
        "title" => is_text("title") || node["title"] == json!(value.to_string()),
        "description" | "summary" | "excerpt" => is_text("excerpt"),
        "date" | "pubDate" | "publishDate" => {
            is_day("publishedAt") || (node["status"] == "DRAFT" && is_day("createdAt"))
        }
        "updated" | "lastmod" | "last_modified_at" | "updatedDate" | "modified_date" | "lastUpdated" => {
            is_day("updatedAt")
        }
        "draft" => value.as_bool().is_some_and(is_status),
        "published" => value.as_bool().is_some_and(|is_published| is_status(!is_published)),
        "slug" => {
            is_text("slug")
                || node["path"]
                    .as_str()
                    .is_some_and(|path| text.is_some_and(|text| path.ends_with(text.trim_matches('/'))))
        }
        "tags" | "categories" | "authors" => has_terms(value, &node[key]),
        "keywords" | "tag" => has_terms(value, &node["tags"]),
        "category" => has_terms(value, &node["categories"]),
        "author" => has_terms(value, &node["authors"]),
        "series" => has_terms(value, &json!([node["series"]["series"]])),
        "lang" | "language" | "locale" => is_text("language"),
        "weight" | "order" | "nav_order" | "sidebar_position" => is_number("order"),
        "featured" | "pinned" | "pin" | "sticky" => node["featured"] == *value,
        _ => false,
    }
}

/// Whether each name is the name of one of the terms, or the slug of one that another file describes.
fn has_terms(value: &Value, terms: &Value) -> bool {
    let names: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => text.split(',').map(str::trim).collect(),
        _ => return value.is_null(),
    };
    let count = value.as_array().map_or(names.len(), Vec::len);
    let is_one = |name: &&str| {
        terms.as_array().is_some_and(|terms| {
            terms.iter().any(|term| {
                [&term["name"], &term["slug"]]
                    .iter()
                    .any(|text| text.as_str().is_some_and(|text| text.eq_ignore_ascii_case(name)))
            })
        })
    };
    names.len() == count && names.iter().all(is_one)
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The day of a date, in any of the forms of the starters.
fn day(text: &str) -> Option<chrono::NaiveDate> {
    let parts: Vec<&str> = text.split(['-', '/', ' ', ',', 'T']).filter(|part| !part.is_empty()).collect();
    let number = |at: usize| parts.get(at)?.parse::<u32>().ok();
    match MONTHS.iter().position(|month| text.to_ascii_lowercase().starts_with(month)) {
        Some(month) => chrono::NaiveDate::from_ymd_opt(number(2)? as i32, month as u32 + 1, number(1)?),
        None => chrono::NaiveDate::from_ymd_opt(number(0)? as i32, number(1)?, number(2)?),
    }
}

/// A day of another zone may be the one before or after.
fn is_same_day(day: &chrono::NaiveDate, at: &str) -> bool {
    let at: chrono::NaiveDate = at[..10].parse().expect("a day");
    (at - *day).num_days().abs() <= 1
}

fn is_elsewhere(address: &str) -> bool {
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    address.is_empty()
        || address.starts_with("//")
        || address.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(is_of_scheme))
        || address.starts_with("{{ site.repository")
}

const COVERS: &[&str] =
    &["cover", "image", "featured_image", "featuredImage", "heroImage", "hero", "coverImage", "thumbnail"];

/// The addresses of the covers in front matter.
fn covers(front: &Map<String, Value>) -> Vec<String> {
    let of = |value: &Value| {
        let nested = [
            value.clone(),
            value["src"].clone(),
            value["image"].clone(),
            value["path"].clone(),
            value["image"]["file"].clone(),
        ];
        nested.iter().find_map(Value::as_str).map(str::to_owned)
    };
    COVERS.iter().filter_map(|key| of(front.get(*key)?)).collect()
}

/// The name of the file of a picture, if Tidings can have it.
fn located(root: &Path, origin: &str, address: &str) -> Option<String> {
    let address = address.split(['?', '#']).next().unwrap_or_default().replace("%20", " ");
    let folder = root.join(origin).parent()?.to_owned();
    let places = match (address.strip_prefix('/'), address.strip_prefix("@/").or_else(|| address.strip_prefix("~/"))) {
        (Some(path), _) => ["", "static", "public", "assets", "src"].map(|base| root.join(base).join(path)).to_vec(),
        (None, Some(path)) => ["content", "src", ""].map(|base| root.join(base).join(path)).to_vec(),
        (None, None) => vec![folder.join(&address)],
    };
    let file = places.into_iter().find(|file| file.is_file())?;
    let name = file.file_name()?.to_str()?.to_owned();
    [".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"].iter().any(|ending| name.ends_with(ending)).then_some(name)
}

/// The addresses and the texts of the links in HTML.
fn anchors(html: &str) -> Vec<(String, String)> {
    let links = html.split("<a ").skip(1).filter_map(|rest| {
        let (tag, inside) = rest.split_once('>')?;
        let href = tag.split_once("href=\"")?.1.split('"').next()?;
        Some((href.to_owned(), inside.split("</a>").next()?.to_owned()))
    });
    links.collect()
}

/// The letters and digits of a text, without tags, marks, and characters that are written by their names.
fn plain(text: &str) -> String {
    let mut is_tag = false;
    let mut parts = text.split('&');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '#');
        text.push_str(part.split_once(';').filter(|(name, _)| is_name(name)).map_or(part, |(_, rest)| rest));
    }
    let kept = text.chars().filter(|c| {
        let was_tag = is_tag;
        is_tag = (is_tag && *c != '>') || *c == '<';
        !was_tag && !is_tag && c.is_alphanumeric()
    });
    kept.collect()
}
