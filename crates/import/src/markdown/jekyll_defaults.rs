//! The `defaults` in `_config.yml`, which Jekyll adds to the front matter of all files in a place. The rule: the front matter of a file wins, then
//! the longest place; only terms, authors, language and values that hide a file count, because the rest is for templates.

use super::hidden_folders::{names, source_folder};
use super::marks;
use super::value::{Value, is_one_of};

const TAKEN: &str = "author authors category categories tags lang language locale series";

#[derive(Debug, Default)]
pub(super) struct Defaults(Vec<Scope>);

#[derive(Debug)]
struct Scope {
    /// The folder of the site with a slash at its end; empty for the root.
    site: String,
    /// A place below it; empty for all files.
    path: String,
    /// `posts`, `drafts`, `pages` or the name of a collection; empty for all.
    kind: String,
    values: Vec<(String, Value)>,
}

impl Defaults {
    /// `configs`: the paths and values of Jekyll's configurations.
    pub(super) fn find(configs: &[(&str, Value)]) -> Self {
        let mut scopes = Vec::new();
        for (path, config) in configs {
            let site = source_folder(path, config);
            for default in config.items_of("defaults") {
                let of_scope =
                    |key| default.get("scope")?.get(key)?.text().map(|text| text.trim_matches('/').to_owned());
                let values = default.pairs_of("values").iter();
                let values: Vec<_> =
                    values.filter(|(key, _)| marks::is_mark_key(key) || is_one_of(key, TAKEN)).cloned().collect();
                if !values.is_empty() {
                    let (path, kind) = (of_scope("path").unwrap_or_default(), of_scope("type").unwrap_or_default());
                    scopes.push(Scope { site: site.clone(), path, kind, values });
                }
            }
        }
        // Of two with paths of the same length, the one with a type counts, then the later one.
        scopes.reverse();
        scopes.sort_by_key(|scope| std::cmp::Reverse((scope.path.len(), !scope.kind.is_empty())));
        Self(scopes)
    }

    /// The values for a file, the nearest first.
    pub(super) fn of(&self, origin: &str) -> impl Iterator<Item = &(String, Value)> {
        self.0.iter().filter(move |scope| scope.is_for(origin)).flat_map(|scope| &scope.values)
    }
}

impl Scope {
    fn is_for(&self, origin: &str) -> bool {
        let Some(below) = origin.strip_prefix(self.site.as_str()) else { return false };
        let mut collections = below.split('/').filter_map(|part| part.strip_prefix('_'));
        let is_of_kind = match self.kind.as_str() {
            "" => true,
            "page" | "pages" => collections.next().is_none(),
            // Jekyll before version 3 uses the singular.
            "post" => collections.any(|name| name == "posts"),
            "draft" => collections.any(|name| name == "drafts"),
            kind => collections.any(|name| name == kind),
        };
        is_of_kind && (self.path.is_empty() || names(&self.path, below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::yaml;

    #[test]
    fn the_longest_place_that_a_file_is_in_counts_first() {
        let config = "source: src\ndefaults:\n\
            - {scope: {path: '', type: posts}, values: {layout: post, author: ann, published: true}}\n\
            - {scope: {path: ''}, values: {published: false}}\n\
            - {scope: {path: _posts/secret}, values: {published: false}}\n\
            - {scope: {path: '_posts/*/notes'}, values: {tags: [note]}}\n\
            - {scope: {type: pages}, values: {lang: de}}\n";
        let defaults = Defaults::find(&[("_config.yml", yaml::parse(config).expect("YAML"))]);
        let of = |origin: &str| {
            let values = defaults.of(origin).map(|(key, value)| format!("{key}: {}", value.to_json().to_json()));
            values.collect::<Vec<_>>().join(", ")
        };
        for (origin, expected) in [
            ("src/_posts/a.md", "author: \"ann\", published: true, published: false"),
            ("src/_posts/secret/a.md", "published: false, author: \"ann\", published: true, published: false"),
            ("src/_posts/x/notes/a.md", "tags: [\"note\"], author: \"ann\", published: true, published: false"),
            ("src/about.md", "lang: \"de\", published: false"),
            ("other/_posts/a.md", ""),
        ] {
            assert_eq!(of(origin), expected, "{origin}");
        }
    }
}
