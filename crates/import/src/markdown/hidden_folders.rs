//! Folders whose files no visitor sees: folders of drafts, folders with a `_` before their name, and those that a generator is configured not to
//! build. The rule: a file in one is a draft, and a note names the folder; the main folder of an import and the collections of Jekyll are public.

use std::collections::{HashMap, HashSet};

use super::fields::truth;
use super::name::{folder_of, with_slash};
use super::site_configs::{Excluded, SiteConfigs};
use super::value::{Value, is_word};

/// In any case. The folder of an `index.md` does not count, because it is an address.
const OF_DRAFTS: &str = "draft drafts _draft unpublished unlisted private wip trash";
/// Names with a `_` that are public, and `_drafts`, which is not, but has no note.
const SHOWN: &[&str] = &["_posts", "_drafts", "_pages"];
/// Keys of Jekyll's configuration.
const COLLECTIONS: &str = "collections";
/// Eleventy's list of files that it does not build.
pub(super) const IGNORED: &str = ".eleventyignore";
const OUTPUT: &str = "output";
const INCLUDE: &str = "include";
const EXCLUDE: &str = "exclude";
const SOURCE: &str = "source";

#[derive(Debug, Default)]
pub(super) struct HiddenFolders {
    /// The names with a `_` that are public on this site.
    shown: HashSet<String>,
    excluded: Vec<Excluded>,
    sites: SiteConfigs,
    /// Whether Jekyll has a configuration.
    pub has_config: bool,
}

impl HiddenFolders {
    /// `files`: the Markdown files. `configs`: the paths and values of Jekyll's configurations. `ignored`: the paths and texts of Eleventy's lists.
    pub(super) fn find<'d>(
        files: &[String],
        configs: &[(&str, Value)],
        ignored: impl Iterator<Item = (&'d str, &'d str)>,
        mut sites: SiteConfigs,
    ) -> Self {
        let shown = SHOWN.iter().map(|name| (*name).to_owned()).collect();
        let excluded = std::mem::take(&mut sites.excluded);
        let mut found = Self { shown, excluded: Vec::new(), sites, has_config: !configs.is_empty() };
        for (path, config) in configs {
            found.take(path, config);
        }
        for (path, text) in ignored {
            // Eleventy ignores negated lines.
            let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '!']));
            let patterns = lines.map(|line| line.trim_start_matches("./").trim_matches('/'));
            found.exclude(&with_slash(folder_of(path)), patterns, |line| format!("of `{line}` in {IGNORED}"));
        }
        found.excluded.extend(excluded);
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for file in files {
            let names: HashSet<_> = folder_of(file).split('/').filter(|name| name.starts_with('_')).collect();
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let main = counts.into_iter().filter(|(_, below)| *below > files.len() / 2);
        found.shown.extend(main.map(|(name, _)| name.to_owned()));
        found
    }

    fn take(&mut self, path: &str, config: &Value) {
        let texts = |key| config.items_of(key).iter().filter_map(Value::text).map(|text| text.trim_matches('/'));
        let included: Vec<_> = texts(INCLUDE).collect();
        let has_pages = |value: &Value| value.get(OUTPUT).and_then(Value::text).and_then(truth) == Some(true);
        let public = config.pairs_of(COLLECTIONS).iter().filter(|(_, value)| has_pages(value));
        self.shown.extend(public.map(|(name, _)| format!("_{name}")));
        self.shown.extend(included.iter().map(|name| (*name).to_owned()));
        let excluded = texts(EXCLUDE).filter(|pattern| !included.contains(pattern));
        let reason = |pattern: &str| format!("of `{EXCLUDE}: {pattern}` in _config.yml");
        self.exclude(&source_folder(path, config), excluded, reason);
    }

    fn exclude<'p>(&mut self, site: &str, patterns: impl Iterator<Item = &'p str>, reason: impl Fn(&str) -> String) {
        let excluded = patterns.filter(|pattern| !pattern.is_empty()).map(|pattern| Excluded {
            site: site.to_owned(),
            pattern: pattern.to_owned(),
            reason: reason(pattern),
        });
        self.excluded.extend(excluded);
    }

    /// The reason why a file may not be public.
    pub(super) fn why(&self, origin: &str) -> Option<String> {
        let (folders, name) = origin.rsplit_once('/').unwrap_or(("", origin));
        let mut folders: Vec<&str> = folders.split('/').collect();
        if name.starts_with("index.") {
            folders.pop();
        }
        if let Some(name) = folders.iter().find(|name| is_word(name, OF_DRAFTS)) {
            return Some(format!("it is in a folder `{name}`"));
        }
        if let Some(name) = folders.iter().find(|name| name.starts_with('_') && !self.shown.contains(**name)) {
            return Some(format!("the name `{name}` begins with `_`"));
        }
        let excludes = |excluded: &&Excluded| {
            origin.strip_prefix(excluded.site.as_str()).is_some_and(|below| names(&excluded.pattern, below))
        };
        let excluded = self.excluded.iter().find(excludes).map(|excluded| excluded.reason.clone());
        excluded.or_else(|| self.sites.why(origin))
    }
}

/// The folder of a Jekyll site, with a slash at its end; empty for the root. `path`: the path of its configuration.
pub(super) fn source_folder(path: &str, config: &Value) -> String {
    let source = config.get(SOURCE).and_then(Value::text).unwrap_or_default();
    let parts = source.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.fold(with_slash(folder_of(path)), |folder, part| folder + part + "/")
}

/// Whether a pattern names this path or one of its folders. `**/` at its start also means no folder.
pub(super) fn names(pattern: &str, path: &str) -> bool {
    let mut paths = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
    let anywhere = pattern.strip_prefix("**/");
    paths.any(|path| matches(pattern, path) || anywhere.is_some_and(|pattern| matches(pattern, path)))
}

/// Whether a pattern, in which `*` is any text, matches a path.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == path };
    let (middle, end) = rest.rsplit_once('*').map_or((None, rest), |(middle, end)| (Some(middle), end));
    let inner = path.strip_prefix(start).and_then(|path| path.strip_suffix(end));
    inner.is_some_and(|inner| {
        let mut left = inner;
        let mut parts = middle.into_iter().flat_map(|middle| middle.split('*'));
        parts.all(|part| left.find(part).map(|at| left = &left[at + part.len()..]).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_in_a_pattern_is_any_text() {
        for (pattern, path) in [("a", "a"), ("a*", "abc"), ("*.md", "x/y.md"), ("a*c*e", "abcde"), ("**/a", "b/a")] {
            assert!(matches(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [("a", "ab"), ("*.md", "x.mdx"), ("a*c*e", "abde"), ("ab*ba", "aba"), ("*b*c", "c")] {
            assert!(!matches(pattern, path), "{pattern} {path}");
        }
    }
}
