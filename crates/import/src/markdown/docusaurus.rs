//! The file names of a Docusaurus site. The rule: they mean the same as in Docusaurus (docusaurus.io, "Docs", "i18n", "Versioning"):
//! `01-basics/02-install.md` is `basics/install`, the second of its folder; `id` is the last part of the address; an address that begins with a slash
//! is below that of the documentation; `.md` is read as MDX.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use crate::found::FoundContent;
use crate::{ImportedPage, Note, export_files};
use tidings_model::{Language, PagePath};

use super::fields::PostFields;
use super::languages::{self, Translation};
use super::name::folders_above;
use super::page::{self, Place};
use super::value::Value;

const CONFIGS: &[&str] =
    &["docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs", "docusaurus.config.cjs"];
/// The configuration files of other generators, which have their own rules.
const OTHERS: &str = "\
    _config.yml astro.config.mjs astro.config.ts book.toml config.toml eleventy.config.js hugo.toml hugo.yaml \
    mkdocs.yml .eleventy.js .vitepress";
/// Keys that only Docusaurus has.
const KEYS: &[&str] =
    &["id:", "sidebar_label:", "sidebar_position:", "pagination_label:", "hide_table_of_contents:", "custom_edit_url:"];
/// How many documentation files are searched for these keys, and how much of each.
const FILES_MAX: usize = 100;
const HEAD_BYTES_MAX: u64 = 4 << 10;
const CONFIG_BYTES_MAX: u64 = 1 << 20;

const DOCS: &str = "docs";
/// Folders in which numbers before names do not count.
const UNNUMBERED: &[&str] = &["blog", "src"];

#[derive(Debug)]
pub(super) struct Docusaurus {
    /// The folder of the site with a slash at its end; empty for the root.
    folder: String,
    /// Whether `.md` is read as Markdown, as `format: 'detect'` in the configuration requires.
    detects_format: bool,
}

struct SiteFile {
    /// The path that determines its address.
    path: String,
    /// The documentation folder in this path.
    docs: String,
    language: Option<Language>,
    order: Option<i32>,
}

/// The Docusaurus site in a folder, with a note if it was not certain. `category`: the path of a file that describes one of its folders.
pub(super) fn find(root: &Path, files: &[String], category: Option<&str>) -> Option<(Docusaurus, Option<Note>)> {
    let mut folders = vec![""];
    folders.extend(files.iter().filter_map(|file| file.split_once('/')).map(|(folder, _)| folder));
    folders.dedup();
    for folder in folders {
        let configs = CONFIGS.iter().map(|name| root.join(folder).join(name));
        if let Some(config) = configs.into_iter().find(|path| path.is_file()) {
            let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let text = head(&config, CONFIG_BYTES_MAX);
            let format = text.split("format:").skip(1).map(str::trim_start);
            let detects_format =
                format.into_iter().any(|value| value.starts_with(['\'', '"']) && value[1..].starts_with("detect"));
            return Some((Docusaurus { folder, detects_format }, None));
        }
    }
    if OTHERS.split_whitespace().any(|name| root.join(name).exists()) {
        return None;
    }
    let sign = category.or_else(|| {
        let docs = files.iter().filter(|file| file.split('/').any(|part| part == DOCS));
        docs.map(String::as_str).take(FILES_MAX).find(|file| has_key(&head(&root.join(file), HEAD_BYTES_MAX)))
    })?;
    let text =
        "is a file of Docusaurus, so the folder is read as a site of it: .md as MDX, numbers before names as positions";
    let note = Note { origin: sign.to_owned(), text: text.to_owned() };
    Some((Docusaurus { folder: String::new(), detects_format: false }, Some(note)))
}

fn head(path: &Path, bytes: u64) -> String {
    // A file that cannot be read is reported when it is imported.
    export_files::opening(path, bytes).unwrap_or_default()
}

/// Whether the front matter at the start of the text has a key of Docusaurus.
fn has_key(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.trim_end() == "---")
        && lines.take_while(|line| line.trim_end() != "---").any(|line| KEYS.iter().any(|key| line.starts_with(key)))
}

impl Docusaurus {
    /// Whether a file is read as MDX, whatever its name.
    pub(super) fn is_mdx(&self, origin: &str, front: &Value) -> bool {
        match front.get("format").and_then(Value::text) {
            Some("md" | "detect") => false,
            Some("mdx") => true,
            _ => !self.detects_format && origin.starts_with(&self.folder),
        }
    }

    /// The files that are translations because of their folder.
    pub(super) fn translations<'f>(&'f self, files: &'f [String]) -> impl Iterator<Item = (String, Translation)> + 'f {
        files.iter().filter_map(|file| {
            let SiteFile { path, language, .. } = self.file(file)?;
            Some((file.clone(), Translation { original: path, language: language? }))
        })
    }

    /// The place and the fields of a page by the rules of Docusaurus.
    pub(super) fn place(&self, origin: &str, front: &Value, fields: PostFields) -> Option<(Place, PostFields)> {
        let SiteFile { path, docs, language, order } = self.file(origin)?;
        let id = || front.get("id").and_then(Value::text).filter(|id| !id.contains('/') && !docs.is_empty());
        let above: String = language
            .iter()
            .map(|language| language.index_slug().to_string())
            .chain([docs.clone()])
            .map(|part| format!("/{part}"))
            .collect();
        let given_slug = match fields.given_slug {
            Some(slug) if slug.starts_with('/') && !docs.is_empty() => Some(format!("{above}{slug}")),
            Some(slug) => Some(slug),
            None => id().map(str::to_owned),
        };
        let fields = PostFields { given_slug, order: fields.order.or(order), ..fields };
        Some((Place { path, language }, fields))
    }

    fn file(&self, origin: &str) -> Option<SiteFile> {
        let mut parts: Vec<&str> = origin.strip_prefix(&self.folder)?.split('/').collect();
        let mut language = None;
        let (mut above, mut is_known) = (Vec::new(), false);
        if let ["i18n", tag, plugin, ..] = parts[..]
            && let Some(kind) = plugin.strip_prefix("docusaurus-plugin-content-")
        {
            language = languages::language(tag);
            parts.drain(..3);
            match kind.split_once('-').unwrap_or((kind, "")) {
                ("docs", "") => above.push(DOCS),
                ("blog", "") => above.push("blog"),
                ("pages", _) => {}
                (_, other) => above.push(other),
            }
            if kind.starts_with(DOCS) && parts.len() > 1 {
                above.extend(parts.remove(0).strip_prefix("version-"));
                is_known = true;
            }
        } else if parts.len() > 2
            && let Some(name) = parts[0].strip_suffix("versioned_docs")
            && let Some(version) = parts[1].strip_prefix("version-")
        {
            above.extend([if name.is_empty() { DOCS } else { name.trim_end_matches('_') }, version]);
            parts.drain(..2);
            is_known = true;
        }
        let docs = parts.iter().position(|part| *part == DOCS).filter(|_| !is_known).map(|at| parts[..=at].join("/"));
        let docs = if is_known { above.join("/") } else { docs.unwrap_or_default() };
        let first = above.iter().chain(&parts).next().copied().unwrap_or_default();
        let is_numbered = !UNNUMBERED.contains(&first);
        let (path, order) = if is_numbered { without_numbers(&parts) } else { (parts.join("/"), None) };
        let path = above.into_iter().chain([path.as_str()]).collect::<Vec<_>>().join("/");
        Some(SiteFile { path, docs, language, order })
    }

    /// Adds pages for the folders that have a number before their name and no page.
    pub(super) fn add_folders(&self, found: &mut FoundContent) {
        let known: HashSet<PagePath> = found.pages.iter().map(|page| page.place.path.clone()).collect();
        let origins = found.pages.iter().map(|page| page.origin.as_str());
        let folders: BTreeSet<&str> = origins.flat_map(folders_above).collect();
        let pages = folders.into_iter().filter(|folder| numbered(last_part(folder)).is_some());
        let pages = pages.filter_map(|folder| self.folder_page(folder));
        let is_new = |page: &ImportedPage| page.place.order.is_some() && !known.contains(&page.place.path);
        let pages: Vec<_> = pages.filter(is_new).collect();
        pages.into_iter().for_each(|page| found.take_page(page));
    }

    /// The page of a folder, from its name only.
    fn folder_page(&self, folder: &str) -> Option<ImportedPage> {
        let none = Value::Table(Vec::new());
        let (place, fields) = self.place(&format!("{folder}/index.md"), &none, PostFields::default())?;
        let ImportedPage { post, place } = page::page("", &place, fields, "", None).ok()?;
        Some(ImportedPage::of_folder(place.path, post.title, place.order))
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path of a file without numbers, and the position from the last number: for the index file of a folder, that of the folder. A file named like
/// its folder is its index file.
fn without_numbers(parts: &[&str]) -> (String, Option<i32>) {
    let Some((file, folders)) = parts.split_last() else { return (String::new(), None) };
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let named = |name| numbered(name).map_or((None, name), |(number, name)| (Some(number), name));
    let (number, stem) = named(stem);
    let folders: Vec<(Option<i32>, &str)> = folders.iter().map(|folder| named(folder)).collect();
    let (stem, order) = match folders.last() {
        Some((number, name)) if page::is_index(stem) || name.eq_ignore_ascii_case(stem) => ("index", *number),
        _ => (stem, number),
    };
    let file = format!("{stem}.{ending}");
    let path: Vec<&str> = folders.iter().map(|(_, name)| *name).chain([file.as_str()]).collect();
    (path.join("/"), order)
}

/// Splits the number from a name: `01-intro`, `1. Intro`. A date (`2024-01-02-a`) or a version (`1.0`) does not count.
fn numbered(name: &str) -> Option<(i32, &str)> {
    let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = name[..digits].parse().ok()?;
    let rest = name[digits..].trim_start();
    let suffix = rest.trim_start_matches(['-', '_', '.']);
    let separators = rest.len() - suffix.len();
    let suffix = suffix.trim_start();
    let is_date_or_version =
        separators == 1 && name[digits..].len() == rest.len() && suffix.starts_with(|c: char| c.is_ascii_digit());
    (separators > 0 && !suffix.is_empty() && !suffix.starts_with(['-', '_', '.']) && !is_date_or_version)
        .then_some((number, suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_before_names_are_positions() {
        for (name, expected) in [
            ("01-intro", Some((1, "intro"))),
            ("2. Install", Some((2, "Install"))),
            ("003 _ a", Some((3, "a"))),
            ("2024-01-02-a", None),
            ("1.0", None),
            ("10-2-a", None),
            ("404", None),
            ("a-1", None),
            ("-a", None),
            ("01-", None),
            ("99999999999-a", None),
        ] {
            assert_eq!(numbered(name), expected, "{name}");
        }
    }

    #[test]
    fn a_path_of_the_site_is_that_of_the_address() {
        let site = Docusaurus { folder: "website/".to_owned(), detects_format: false };
        let path =
            |origin: &str| site.file(origin).map(|file| (file.path, file.language.map(|l| l.to_string()), file.order));
        let found =
            |path: &str, language: Option<&str>, order| Some((path.to_owned(), language.map(str::to_owned), order));
        for (origin, expected) in [
            ("website/docs/01-basics/02-install.md", found("docs/basics/install.md", None, Some(2))),
            ("website/docs/01-basics/README.md", found("docs/basics/index.md", None, Some(1))),
            ("website/docs/03-guide/guide.mdx", found("docs/guide/index.mdx", None, Some(3))),
            ("website/blog/01-a.md", found("blog/01-a.md", None, None)),
            ("website/versioned_docs/version-1.0/01-a.md", found("docs/1.0/a.md", None, Some(1))),
            (
                "website/i18n/pt-BR/docusaurus-plugin-content-docs/current/01-a.md",
                found("docs/a.md", Some("pt-BR"), Some(1)),
            ),
            (
                "website/i18n/fr/docusaurus-plugin-content-docs/version-1.0/a.md",
                found("docs/1.0/a.md", Some("fr"), None),
            ),
            (
                "website/i18n/fr/docusaurus-plugin-content-blog/2020-01-02-a.md",
                found("blog/2020-01-02-a.md", Some("fr"), None),
            ),
            ("website/i18n/fr/docusaurus-plugin-content-pages/about.md", found("about.md", Some("fr"), None)),
            ("other/a.md", None),
        ] {
            assert_eq!(path(origin), expected, "{origin}");
        }
    }
}
