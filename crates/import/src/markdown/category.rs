//! The page of a folder with a `_category_.json` of Docusaurus. The rule: a value that no field of the page returns is in its metadata.

use crate::ImportedPage;
use crate::title::in_words;
use tidings_model::{JsonValue, Metadata};

use super::fields::PostFields;
use super::page;
use super::site_files::SiteFiles;
use super::value::Value;

/// The key under which the page of a file keeps the values of its folder's category.
pub(super) const KEY: &str = "_category_";

/// # Errors
/// If it is not a table, or no page can have its path or its metadata.
pub(super) fn page(site: &SiteFiles, path: &str, category: &Value) -> Result<ImportedPage, String> {
    let Value::Table(pairs) = category else { return Err("is not a list of names and values".to_owned()) };
    let text = |key: &str| category.get(key).and_then(Value::text).map(str::to_owned);
    let of_link = |key: &str| category.get("link")?.get(key)?.text().map(str::to_owned);
    let order = text("position").and_then(|text| text.parse::<f64>().ok()).filter(|n| n.abs() < 1e9);
    let is_returned = |key: &str| match key {
        "label" => text("label").is_some(),
        // A fraction is rounded down for the order, so the metadata keeps it.
        "position" => order.is_some_and(|order| order.fract() == 0.0),
        _ => false,
    };
    let rest = pairs.iter().filter(|(key, _)| !is_returned(key)).map(|(key, value)| (key.clone(), value.to_json()));
    let metadata = Metadata::of(&JsonValue::object(rest)).map_err(|bad| format!("what is no field of a page {bad}"))?;
    let fields = PostFields {
        title: text("label"),
        excerpt: of_link("description").or_else(|| text("description")),
        given_slug: of_link("slug"),
        order: order.map(|order| order.floor() as i32),
        ..PostFields::default()
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let title = fields.title.clone();
    let (place, fields) = site.place(&format!("{folder}/index.md"), &Value::Table(Vec::new()), fields);
    let page = page::page(path, &place, fields, metadata, "")?;
    let title = title.unwrap_or_else(|| in_words(page.path.slug().as_str()));
    Ok(ImportedPage { origin: Some(path.to_owned()), title, ..page })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::script;

    #[test]
    fn a_category_is_the_page_of_its_folder() {
        let site = SiteFiles::default();
        let of = |text: &str| {
            page(&site, "docs/basics/_category_.json", &script::parse(text).expect("JSON")).expect("a page")
        };
        let found = of(
            "{\"label\": \"The basics\", \"position\": 2, \"collapsed\": true, \"link\": {\"type\": \"generated-index\", \"description\": \"D\"}}",
        );
        assert_eq!(
            (found.path.to_string().as_str(), found.title.as_str(), found.order),
            ("docs/basics", "The basics", Some(2))
        );
        assert_eq!(found.excerpt.as_deref(), Some("D"));
        let metadata = "{\"collapsed\":true,\"link\":{\"type\":\"generated-index\",\"description\":\"D\"}}";
        assert_eq!(found.metadata.expect("metadata").text(), metadata);
        let other = of("{\"position\": 2.5, \"link\": {\"slug\": \"/start/here\"}}");
        assert_eq!(
            (other.path.to_string().as_str(), other.title.as_str(), other.order),
            ("start/here", "Here", Some(2))
        );
        assert!(page(&site, "_category_.json", &Value::Nothing).is_err());
    }
}
