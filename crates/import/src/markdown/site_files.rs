//! The values that a generator's other files add to a Markdown file. The rule: the file itself wins, then the nearest source.

use std::collections::{HashMap, HashSet};

use crate::Term;
use crate::paths::joined;
use tidings_model::{Instant, Language, TermKind, TimeZone};

use super::configs::Configs;
use super::docusaurus::Docusaurus;
use super::fields::PostFields;
use super::folder_data;
use super::languages::Translation;
use super::name::{folder_of, folders_above, is_section};
use super::page::Place;
use super::sections::Sections;
use super::value::{Value, is_key};

/// The key in the front matter that is the same for all translations (gohugo.io, "Multilingual mode").
const TRANSLATION_KEY: &str = "translationKey";

/// The values that files of folders give to the files below, by the path of the folder, and by language if the file name contains one.
pub(super) type Cascades = HashMap<(String, Option<Language>), Vec<(String, Value)>>;

#[derive(Debug, Default)]
pub(crate) struct SiteFiles {
    /// The described terms by key, for each kind and folder to which they apply.
    pub(super) described: HashMap<(TermKind, String), HashMap<String, Term>>,
    /// The data of folders, and of single files without their extension.
    pub(super) data: HashMap<String, Value>,
    pub(super) cascades: Cascades,
    pub(super) sections: Sections,
    pub(super) configs: Configs,
    pub(super) translations: HashMap<String, Translation>,
    /// The folders that are languages.
    pub(super) languages: HashMap<String, Language>,
    /// The paths without languages that several files have.
    pub(super) translated: HashSet<String>,
    /// `None` for a site of another generator.
    pub(super) docusaurus: Option<Docusaurus>,
    /// The time of the import; see [`ReadOptions`](crate::ReadOptions).
    pub(super) now: Option<Instant>,
    /// The zone of dates without one.
    pub(super) time_zone: TimeZone,
}

impl SiteFiles {
    /// Whether the generator has data for this file only.
    pub(super) fn has_data(&self, origin: &str) -> bool {
        origin.rsplit_once('.').is_some_and(|(stem, _)| self.data.contains_key(stem))
    }

    /// Adds the data of a file and its folders to the front matter, which wins.
    pub(super) fn with_data(&self, origin: &str, front: Value) -> Value {
        let stem = origin.rsplit_once('.').map_or(origin, |(stem, _)| stem);
        let places = folders_above(origin).into_iter().rev().chain([stem]);
        let data = places.filter_map(|place| self.data.get(place).cloned());
        data.chain([front]).fold(Value::Nothing, folder_data::merged)
    }

    /// Adds the missing keys that a folder above the file gives, the nearest first, and then those of the configuration.
    pub(super) fn with_cascade(&self, origin: &str, front: Value) -> Value {
        let Value::Table(mut pairs) = front else { return front };
        if !self.cascades.is_empty() {
            let own = is_section(origin).then(|| folder_of(origin));
            let translated = self.translation(origin).map(|translation| Some(translation.language.clone()));
            let languages: Vec<Option<Language>> = translated.into_iter().chain([None]).collect();
            for folder in folders_above(origin).into_iter().filter(|folder| Some(*folder) != own) {
                let given = languages.iter().filter_map(|of| self.cascades.get(&(folder.to_owned(), of.clone())));
                add_missing(&mut pairs, given.flatten());
            }
        }
        add_missing(&mut pairs, self.configs.defaults(origin));
        Value::Table(pairs)
    }

    /// The terms for these names, from the nearest file that describes them.
    pub(super) fn terms(&self, origin: &str, kind: TermKind, named: Vec<Term>) -> Vec<Term> {
        if self.described.is_empty() {
            return named;
        }
        let of_folder = |folder: &str| self.described.get(&(kind, folder.to_owned()));
        let known: Vec<_> = folders_above(origin).into_iter().filter_map(of_folder).collect();
        let term = |term: Term| known.iter().find_map(|terms| terms.get(&term.name).cloned()).unwrap_or(term);
        named.into_iter().map(term).collect()
    }

    pub(super) fn translation(&self, origin: &str) -> Option<&Translation> {
        self.translations.get(origin)
    }

    /// The language in the name of a file or of a folder around it.
    pub(super) fn language(&self, origin: &str) -> Option<&Language> {
        if let Some(translation) = self.translation(origin) {
            return Some(&translation.language);
        }
        folders_above(origin).into_iter().find_map(|folder| self.languages.get(folder))
    }

    /// The paths without languages that several files have, at least one of them in a language.
    pub(super) fn find_translated(&mut self, files: &[String]) {
        let mut paths: HashMap<String, usize> = HashMap::new();
        for file in files.iter().filter(|file| self.language(file).is_some()) {
            *paths.entry(self.without_language(file)).or_default() += 1;
        }
        for file in files.iter().filter(|file| self.language(file).is_none()) {
            paths.entry(self.without_language(file)).and_modify(|count| *count += 1);
        }
        self.translated = paths.into_iter().filter(|(_, count)| *count > 1).map(|(path, _)| path).collect();
    }

    /// The path of a file without its language and extension.
    fn without_language(&self, origin: &str) -> String {
        let folder = || folders_above(origin).into_iter().find(|folder| self.languages.contains_key(*folder));
        let path = match (self.translation(origin), folder()) {
            (Some(translation), _) => translation.original.clone(),
            (None, Some(folder)) => joined(folder_of(folder), &origin[folder.len() + 1..]),
            (None, None) => origin.to_owned(),
        };
        let stem = path.rsplit_once('.').map_or(&*path, |(stem, _)| stem);
        stem.strip_suffix("/index").unwrap_or(stem).to_owned()
    }

    /// The common key of a file and its translations: Hugo's key in the front matter, which wins, or the path without a language. The space in it distinguishes
    /// it from the group of an export.
    pub(super) fn translations_of(&self, origin: &str, front: &Value) -> Option<String> {
        let site = || origin.find("content/").filter(|at| *at == 0 || origin[..*at].ends_with('/')).unwrap_or(0);
        let named = front.get(TRANSLATION_KEY).and_then(Value::text);
        let named = named.map(|key| format!("{TRANSLATION_KEY} {}{key}", &origin[..site()]));
        named.or_else(|| {
            let path = self.without_language(origin);
            self.translated.contains(&path).then(|| format!("path {path}"))
        })
    }

    /// The place and fields of a page, as the generator reads them.
    pub(super) fn place(&self, origin: &str, front: &Value, fields: PostFields) -> (Place, PostFields) {
        let docusaurus = self.docusaurus.as_ref();
        if let Some((place, fields)) = docusaurus.and_then(|site| site.place(origin, front, fields.clone())) {
            return (place, fields);
        }
        let (path, language) = match self.translation(origin) {
            Some(translation) => (translation.original.clone(), Some(translation.language.clone())),
            None => (origin.to_owned(), None),
        };
        (Place { path, language }, fields)
    }

    /// Whether a generator reads the tags of Liquid or Nunjucks in a file.
    pub(super) fn has_liquid(&self, origin: &str) -> bool {
        self.configs.is_of_eleventy || self.configs.has_jekyll || self.sections.is_underscored(origin)
    }

    /// Whether a file is read as MDX, whatever its name.
    pub(super) fn is_mdx(&self, origin: &str, front: &Value) -> bool {
        self.docusaurus.as_ref().is_some_and(|site| site.is_mdx(origin, front))
    }
}

fn add_missing<'v>(pairs: &mut Vec<(String, Value)>, given: impl Iterator<Item = &'v (String, Value)>) {
    for (key, value) in given {
        if !pairs.iter().any(|(known, _)| is_key(known, key)) {
            pairs.push((key.clone(), value.clone()));
        }
    }
}
