//! Reads the files of a generator in addition to the posts: authors and tags (`authors.yml` and `tags.yml` of Docusaurus), data of folders
//! (`posts.11tydata.json` of Eleventy), `_category_.json` of Docusaurus, and translations by name. The rule: only literal values are read; nothing is
//! run, and values that Tidings cannot store are reported.

use std::collections::HashMap;
use std::path::Path;

use crate::found::FoundContent;
use crate::{ImportedPage, ImportedPost, PictureFile, ReadOptions, Term};
use tidings_model::metadata::METADATA_DEPTH_MAX;
use tidings_model::{JsonValue, Metadata, Slug, TermKind};

use super::configs::{self, Configs};
use super::described::{self, Described};
use super::docusaurus;
use super::fields::{PostFields, position};
use super::front_matter::parse_file;
use super::languages;
use super::name::folder_of;
use super::sections::Sections;
use super::site_files::SiteFiles;
use super::value::Value;
use super::{addresses, folder_data, page, pictures};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Described(TermKind),
    Category,
    /// The configuration of a site, or a file with its name.
    Config,
    /// Data of Eleventy; `is_certain` if only Eleventy uses such a name.
    Data {
        is_certain: bool,
    },
}

impl Kind {
    /// The kind of a file, by its path. A JSON or YAML file named like its folder or like a Markdown file in the same folder may be Eleventy's.
    pub(super) fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "authors.yml" | "authors.yaml" | "authors.json" => Some(Self::Described(TermKind::Author)),
            "tags.yml" | "tags.yaml" => Some(Self::Described(TermKind::Tag)),
            "_category_.json" | "_category_.yml" | "_category_.yaml" => Some(Self::Category),
            name if folder_data::stem_of(name).is_some() => Some(Self::Data { is_certain: true }),
            _ if configs::Kind::of(path).is_some() => Some(Self::Config),
            name if folder_data::shared_stem_of(name).is_some() => Some(Self::Data { is_certain: false }),
            _ => None,
        }
    }
}

/// `files`: the Markdown files. `data`: the paths and texts of the data files.
pub(super) fn read(
    (root, options): (&Path, &ReadOptions),
    files: &[String],
    data: &[(String, Kind, String)],
    found: &mut FoundContent,
) -> SiteFiles {
    let own_name = own_name(root);
    let mut site = SiteFiles {
        configs: Configs::find(files, of_kind(data, Kind::Config), found),
        translations: languages::of_names(files),
        sections: Sections::find(own_name.as_deref(), files),
        now: options.now,
        time_zone: options.time_zone.clone(),
        languages: languages::of_folders(files),
        ..SiteFiles::default()
    };
    let category = of_kind(data, Kind::Category).next().map(|(path, _)| path);
    if let Some((docusaurus, note)) = docusaurus::find(root, files, category) {
        found.notes.extend(note);
        site.translations.extend(docusaurus.translations(files));
        site.docusaurus = Some(docusaurus);
    }
    site.find_translated(files);
    for (path, kind, text) in data {
        match kind {
            Kind::Described(kind) => {
                if let Some(value) = parsed(path, text, found) {
                    take_described(&mut site, (root, path), (*kind, &value), found);
                }
            }
            // Categories are taken after the pages are read, the others before.
            Kind::Category | Kind::Config => {}
            Kind::Data { is_certain } => {
                let key = folder_data::key_of(path, own_name.as_deref(), files, *is_certain);
                let is_data = |value: &Value| match folder_data::is_yaml(path) {
                    _ if *is_certain => true,
                    true => site.configs.is_of_eleventy,
                    false => folder_data::is_of_eleventy(value),
                };
                match key.map(|key| (key, parse_file(path, text))) {
                    Some((key, Ok(value @ Value::Table(_)))) if is_data(&value) => {
                        let other = site.data.remove(&key);
                        site.data.insert(key, folder_data::merged(other.unwrap_or(Value::Nothing), value));
                    }
                    Some((_, Ok(_))) if *is_certain => found.note(path, "is not read: it is not an object"),
                    Some((_, Err(reason))) if *is_certain => found.note(path, format!("is not read: {reason}")),
                    _ => found.ignore(path),
                }
            }
        }
    }
    site
}

/// The paths and texts of the files of this kind.
fn of_kind(data: &[(String, Kind, String)], wanted: Kind) -> impl Iterator<Item = (&str, &str)> {
    data.iter().filter(move |(_, kind, _)| *kind == wanted).map(|(path, _, text)| (path.as_str(), text.as_str()))
}

/// The value of a file, with a note if it cannot be read.
fn parsed(path: &str, text: &str, found: &mut FoundContent) -> Option<Value> {
    parse_file(path, text).map_err(|reason| found.note(path, format!("is not read: {reason}"))).ok()
}

fn take_described(
    site: &mut SiteFiles,
    (root, path): (&Path, &str),
    (kind, value): (TermKind, &Value),
    found: &mut FoundContent,
) {
    let terms = described::read(kind, value);
    if terms.is_empty() {
        return found.ignore(path);
    }
    let folder = folder_of(path);
    // Data of Jekyll and Hexo applies to the whole site.
    let folder = ["_data", "data"].iter().find_map(|data| folder.strip_suffix(data)).unwrap_or(folder);
    let mut by_key = HashMap::new();
    for Described { key, term, avatar, notes } in terms {
        notes.into_iter().for_each(|note| found.note(path, note));
        let slug = term.slug.clone();
        by_key.insert(key, Term { name: term.name.clone(), slug: slug.clone() });
        found.describe(term);
        if let Some((address, slug)) = avatar.zip(slug) {
            found.name_avatar(root, path, &address, slug);
        }
    }
    site.described.insert((kind, folder.trim_end_matches('/').to_owned()), by_key);
}

pub(super) fn own_name(root: &Path) -> Option<String> {
    Some(root.canonicalize().ok()?.file_name()?.to_str()?.to_owned())
}

/// Adds the pages of folders with a `_category_.json`, or its values to an existing page of the folder, and the pages of folders with a number before
/// their name.
pub(super) fn add_folders(site: &SiteFiles, data: &[(String, Kind, String)], found: &mut FoundContent) {
    let places: HashMap<_, usize> =
        found.pages.iter().enumerate().map(|(at, page)| (page.place.path.clone(), at)).collect();
    for (path, text) in of_kind(data, Kind::Category) {
        let page = parse_file(path, text).and_then(|value| category_page(site, path, &value).map(|page| (page, value)));
        match page {
            Err(reason) => found.fail(path, reason),
            Ok((page, value)) => match places.get(&page.place.path) {
                Some(at) => add_to(&mut found.pages[*at], page.place.order, &value),
                None => found.take_page(page),
            },
        }
    }
    if let Some(docusaurus) = &site.docusaurus {
        docusaurus.add_folders(found);
    }
}

/// The key under which the page of a file keeps the values of its folder's category.
const CATEGORY: &str = "_category_";

/// # Errors
/// If it is not a table, or no page can have its path or its metadata.
fn category_page(site: &SiteFiles, path: &str, category: &Value) -> Result<ImportedPage, String> {
    let Value::Table(pairs) = category else { return Err("is not a list of names and values".to_owned()) };
    let text = |key: &str| category.get(key).and_then(Value::text).map(str::to_owned);
    let of_link = |key: &str| category.get("link")?.get(key)?.text().map(str::to_owned);
    let order = category.get("position").and_then(position);
    let is_returned = |key: &str| match key {
        "label" => text("label").is_some(),
        // A fraction is rounded down for the order, so the metadata keeps it.
        "position" => text("position").is_some_and(|text| text.parse::<i32>().is_ok()),
        _ => false,
    };
    let rest = pairs.iter().filter(|(key, _)| !is_returned(key)).map(|(key, value)| (key.clone(), value.to_json()));
    let metadata = Metadata::of(&JsonValue::object(rest)).map_err(|bad| format!("what is no field of a page {bad}"))?;
    let fields = PostFields {
        title: text("label"),
        excerpt: of_link("description").or_else(|| text("description")),
        given_slug: of_link("slug"),
        order,
        ..PostFields::default()
    };
    let folder = folder_of(path);
    let (place, fields) = site.place(&format!("{folder}/index.md"), &Value::Table(Vec::new()), fields);
    let page = page::page(path, &place, fields, "", None)?;
    Ok(ImportedPage { post: ImportedPost { metadata: Some(metadata), ..page.post }, ..page })
}

/// Adds a category to the page of its folder.
fn add_to(page: &mut ImportedPage, order: Option<i32>, category: &Value) {
    page.place.order = page.place.order.or(order);
    let text = page.metadata.as_ref().map_or("{}", Metadata::text);
    if let Ok(JsonValue::Object(mut fields)) = JsonValue::parse(text, METADATA_DEPTH_MAX) {
        fields.push((CATEGORY.to_owned(), category.to_json()));
        if let Ok(metadata) = Metadata::of(&JsonValue::object(fields)) {
            page.post.metadata = Some(metadata);
        }
    }
}

impl FoundContent {
    /// Records the picture that a file names for an author. `origin`: this file.
    pub(super) fn name_avatar(&mut self, root: &Path, origin: &str, address: &str, slug: Slug) {
        if !addresses::is_local(address) {
            let text =
                format!("the picture of the author {slug} stays at {address}: it is not a file of the imported folder");
            return self.note(origin, text);
        }
        let file = pictures::resolve(root, origin, address);
        if let Ok(file) = &file {
            self.avatars.push((slug, file.clone()));
        }
        self.pictures.push(PictureFile { origin: origin.to_owned(), address: address.to_owned(), alt: None, file });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::script;

    #[test]
    fn a_category_is_the_page_of_its_folder() {
        let site = SiteFiles::default();
        let of = |text: &str| {
            category_page(&site, "docs/basics/_category_.json", &script::parse(text).expect("JSON")).expect("a page")
        };
        let found = of(
            "{\"label\": \"The basics\", \"position\": 2, \"collapsed\": true, \"link\": {\"type\": \"generated-index\", \"description\": \"D\"}}",
        );
        assert_eq!(
            (found.place.path.to_string().as_str(), found.title.as_str(), found.place.order),
            ("docs/basics", "The basics", Some(2))
        );
        assert_eq!(found.excerpt.as_deref(), Some("D"));
        let metadata = "{\"collapsed\":true,\"link\":{\"type\":\"generated-index\",\"description\":\"D\"}}";
        assert_eq!(found.post.metadata.expect("metadata").text(), metadata);
        let other = of("{\"position\": 2.5, \"link\": {\"slug\": \"/start/here\"}}");
        assert_eq!(
            (other.place.path.to_string().as_str(), other.title.as_str(), other.place.order),
            ("start/here", "Here", Some(2))
        );
        assert!(category_page(&site, "_category_.json", &Value::Nothing).is_err());
    }
}
