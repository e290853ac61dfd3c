//! Reads from the configurations of generators whether visitors see a file, and which values it gets. The rule: a file that the generator does not build is a
//! draft, and a note names the reason; only literals are read, and a pattern that cannot be read gets a note.

use std::collections::{BTreeMap, HashMap, HashSet};

use regex::Regex;

use crate::found::FoundContent;
use crate::words::has_word;

use super::fields::truth;
use super::front_matter::parse_file;
use super::marks;
use super::name::{folder_of, is_section, with_slash};
use super::value::{Value, is_key, is_one_of, is_word};

/// The names of folders of drafts, in any case. The folder of an `index.md` does not count, because it is part of the address.
const OF_DRAFTS: &str = "draft drafts _draft unpublished unlisted private wip trash";
/// Names with a `_` that are public, and `_drafts`, which is not, but has no note.
const SHOWN: &[&str] = &["_posts", "_drafts", "_pages"];
/// At least one of these keys is in each configuration of Hugo or Zola.
const KEYS: &str = "baseURL contentDir languageCode ignoreFiles ignored_content";
/// The folder of Hugo's configuration in several files.
const PARTS: &str = "config/_default";
const CONTENT: &str = "content";
/// The folder from which Astro builds pages, and in which it declares collections.
const SRC: &str = "src";
const COLLECTIONS: &[&str] = &["src/content.config", "src/content/config"];
/// The fields of a post that a default of Jekyll can set; the rest is for templates.
const DEFAULTS: &str = "author authors category categories tags lang language locale series";

/// The code before a path in a JavaScript configuration, such as `dir: { input: "src" }` of Eleventy, `glob({ base: "content/blog" })` of Astro.
const INPUT: &str = r"\binput\s*:\s*|\bsetInputDirectory\(\s*";
const IGNORES: &str = r"\bignores\.add\(\s*";
const SRC_DIR: &str = r"\bsrcDir\s*:\s*";
const BASE: &str = r"\bbase\s*:\s*";

/// The texts in quotes, without values in them, that follow one of these beginnings.
fn texts_after(before: &str, text: &str) -> Vec<String> {
    let literal = Regex::new(&format!("(?:{before})[\"'`]([^\"'`$\n]*)[\"'`]")).expect("a valid expression");
    literal.captures_iter(text).map(|found| below(&found[1])).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Hexo's configuration has the same name.
    Jekyll,
    /// Eleventy's list of files that it does not build.
    Ignored,
    Hugo,
    /// A name that Hugo and Zola use, and other programs, too.
    Shared,
    Eleventy,
    Astro,
    Collections,
}

impl Kind {
    /// The folder of the site with a slash at its end, empty for the root, and the kind of a file that can be its configuration.
    pub(super) fn of(path: &str) -> Option<(String, Self)> {
        let folder = with_slash(folder_of(path));
        let (_, ending) = path[folder.len()..].rsplit_once('.')?;
        let stem = path[..path.len() - ending.len()].trim_end_matches('.');
        let site_of = |path: &str, name: &str| {
            Some(path.strip_suffix(name)?.to_owned()).filter(|site| site.is_empty() || site.ends_with('/'))
        };
        let is_script = has_word("js mjs cjs ts mts", ending);
        let of_name = match &path[folder.len()..] {
            "_config.yml" | "_config.yaml" => Some(Self::Jekyll),
            ".eleventyignore" => Some(Self::Ignored),
            "hugo.toml" | "hugo.yaml" | "hugo.yml" | "hugo.json" => Some(Self::Hugo),
            "config.toml" | "config.yaml" | "config.yml" | "config.json" => Some(Self::Shared),
            _ => None,
        };
        let of_stem = match &stem[folder.len()..] {
            ".eleventy" | "eleventy.config" if is_script => Some(Self::Eleventy),
            "astro.config" if is_script => Some(Self::Astro),
            _ => None,
        };
        if let Some(kind) = of_name.or(of_stem) {
            return Some((folder, kind));
        }
        if has_word("toml yaml yml json", ending) {
            return Some((site_of(folder_of(path), PARTS)?, Self::Hugo));
        }
        let site = COLLECTIONS.iter().filter(|_| is_script).find_map(|name| site_of(stem, name))?;
        Some((site, Self::Collections))
    }
}

#[derive(Debug, Default)]
pub(super) struct Configs {
    /// The names with a `_` that are public on this site.
    shown: HashSet<String>,
    /// Files that a generator does not build, by their path after a slash, with the reason.
    excluded: Vec<(Regex, String)>,
    /// The configuration and the folders of the content, by the folder of the site, all with a slash at the end.
    contents: BTreeMap<String, (String, Vec<String>)>,
    defaults: Vec<Scope>,
    pub has_jekyll: bool,
    /// Whether the configuration of Eleventy is in the imported folder itself.
    pub is_of_eleventy: bool,
}

/// A part of the `defaults` of Jekyll.
#[derive(Debug)]
struct Scope {
    path: Regex,
    /// A longer path counts first, then one with a type.
    rank: (usize, bool),
    /// `posts`, `drafts`, `pages` or the name of a collection; empty for all.
    kind: String,
    values: Vec<(String, Value)>,
}

impl Configs {
    /// `files`: the Markdown files. `configs`: the paths and texts of the configurations.
    pub(super) fn find<'d>(
        files: &[String],
        configs: impl Iterator<Item = (&'d str, &'d str)>,
        found: &mut FoundContent,
    ) -> Self {
        let mut read = Self { shown: SHOWN.iter().map(|name| (*name).to_owned()).collect(), ..Self::default() };
        for (path, text) in configs {
            let Some((site, kind)) = Kind::of(path) else { continue };
            match kind {
                Kind::Jekyll => match parse_file(path, text) {
                    Ok(config) => read.take_jekyll(path, &site, &config, found),
                    Err(reason) => found.note(path, format!("is not read: {reason}")),
                },
                Kind::Ignored => {
                    // Eleventy ignores negated lines.
                    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '!'])) {
                        read.exclude(path, (&[&site], ""), Some(line), &format!("`{line}`"), found);
                    }
                }
                Kind::Hugo | Kind::Shared => read.take_data(path, site, kind, text, found),
                Kind::Eleventy | Kind::Astro | Kind::Collections => read.take_script(path, site, kind, text, found),
            }
        }
        // If two have the same rank, the later one counts.
        read.defaults.reverse();
        read.defaults.sort_by_key(|scope| std::cmp::Reverse(scope.rank));
        read.contents.retain(|site, (_, content)| {
            content.iter().any(|content| files.iter().any(|file| file.starts_with(&format!("{site}{content}"))))
        });
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for file in files {
            let names: HashSet<_> = folder_of(file).split('/').filter(|name| name.starts_with('_')).collect();
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        let main = counts.into_iter().filter(|(_, below)| *below > files.len() / 2);
        read.shown.extend(main.map(|(name, _)| name.to_owned()));
        read
    }

    fn take_jekyll(&mut self, path: &str, folder: &str, config: &Value, found: &mut FoundContent) {
        self.has_jekyll = true;
        let texts = |key| config.items_of(key).iter().filter_map(Value::text).map(|text| text.trim_matches('/'));
        let site = folder.to_owned() + &with_slash(&below(config.get("source").and_then(Value::text).unwrap_or("")));
        let included: Vec<_> = texts("include").collect();
        let has_pages = |value: &Value| value.get("output").and_then(Value::text).and_then(truth) == Some(true);
        let public = config.pairs_of("collections").iter().filter(|(_, value)| has_pages(value));
        self.shown.extend(public.map(|(name, _)| format!("_{name}")));
        self.shown.extend(included.iter().map(|name| (*name).to_owned()));
        for pattern in texts("exclude").filter(|pattern| !included.contains(pattern)) {
            self.exclude(path, (&[&site], ""), Some(pattern), &format!("`exclude: {pattern}`"), found);
        }
        for default in config.items_of("defaults") {
            let of_scope = |key| default.get("scope")?.get(key)?.text().map(|text| text.trim_matches('/').to_owned());
            let values = default.pairs_of("values").iter();
            let values: Vec<_> =
                values.filter(|(key, _)| marks::is_mark_key(key) || is_one_of(key, DEFAULTS)).cloned().collect();
            let (below, kind) = (of_scope("path").unwrap_or_default(), of_scope("type").unwrap_or_default());
            match expression(&[&site], &below, "").filter(|_| !values.is_empty()) {
                Some(path) => self.defaults.push(Scope { path, rank: (below.len(), !kind.is_empty()), kind, values }),
                None if values.is_empty() => {}
                None => found.note(path, format!("the scope {below:?} of `defaults` is not read")),
            }
        }
    }

    /// Reads the configuration of Hugo or Zola.
    fn take_data(&mut self, path: &str, site: String, kind: Kind, text: &str, found: &mut FoundContent) {
        let config = match parse_file(path, text) {
            Ok(config) if kind == Kind::Hugo || config.pairs().iter().any(|(key, _)| is_one_of(key, KEYS)) => config,
            Err(reason) if kind == Kind::Hugo => return found.note(path, format!("is not read: {reason}")),
            _ => return found.ignore(path),
        };
        let mut content = vec![CONTENT];
        add_content(&config, &mut content);
        self.add_content(path, &site, content.into_iter().map(below));
        let content: Vec<_> = self.contents[&site].1.iter().map(|content| format!("{site}{content}")).collect();
        let content: Vec<&str> = content.iter().map(String::as_str).collect();
        for text in config.items_of("ignoreFiles").iter().filter_map(Value::text) {
            self.add_excluded(path, Regex::new(text).ok(), &format!("`ignoreFiles: {text}`"), found);
        }
        for pattern in config.items_of("ignored_content").iter().filter_map(Value::text) {
            self.exclude(path, (&content, ""), Some(pattern), &format!("`ignored_content: {pattern}`"), found);
        }
        for item in config.items_of(marks::CASCADE) {
            let target = item.get(marks::TARGET);
            let pattern = target.map_or(Some("**"), |target| target.get("path").and_then(Value::text));
            if let Some(mark) = marks::hides(item) {
                // The path of a page of Hugo has no extension.
                let what = format!("`{mark}` in `{}`", marks::CASCADE);
                self.exclude(path, (&content, r"(?:\.[^/]*)?"), pattern, &what, found);
            }
        }
    }

    fn take_script(&mut self, path: &str, site: String, kind: Kind, text: &str, found: &mut FoundContent) {
        let lines = text.lines().filter(|line| !line.trim_start().starts_with(['/', '*']));
        let text = lines.collect::<Vec<_>>().join("\n");
        let texts = |before| texts_after(before, &text);
        if kind == Kind::Eleventy {
            self.is_of_eleventy |= site.is_empty();
            for pattern in texts(IGNORES) {
                self.exclude(path, (&[&site], ""), Some(&pattern), &format!("`ignores.add(\"{pattern}\")`"), found);
            }
            return self.add_content(path, &site, texts(INPUT));
        }
        let bases = texts(BASE);
        // If the configuration computes a folder, every file can be content.
        let computed = (kind == Kind::Collections && text.matches("glob(").count() != bases.len()).then(String::new);
        let others = if kind == Kind::Collections { bases } else { texts(SRC_DIR) };
        self.add_content(path, &site, others.into_iter().chain(computed).chain([SRC.to_owned()]));
    }

    fn add_content(&mut self, path: &str, site: &str, folders: impl IntoIterator<Item = String>) {
        for folder in folders.into_iter().map(|folder| with_slash(&folder)) {
            let (_, content) = self.contents.entry(site.to_owned()).or_insert((path.to_owned(), Vec::new()));
            if !content.iter().any(|known| folder.starts_with(known)) {
                content.push(folder);
            }
        }
    }

    /// `ending`: the allowed text after the pattern. `pattern`: `None` if the configuration names the files in another way. `what`: describes the exclusion in
    /// the note. Adds the files of a pattern below these folders.
    fn exclude(
        &mut self,
        path: &str,
        (folders, ending): (&[&str], &str),
        pattern: Option<&str>,
        what: &str,
        found: &mut FoundContent,
    ) {
        let pattern = pattern.map(|pattern| pattern.trim_start_matches("./").trim_matches('/'));
        if pattern != Some("") {
            let expression = pattern.and_then(|pattern| expression(folders, pattern, ending));
            self.add_excluded(path, expression, what, found);
        }
    }

    fn add_excluded(&mut self, path: &str, expression: Option<Regex>, what: &str, found: &mut FoundContent) {
        match expression {
            Some(expression) => self.excluded.push((expression, format!("of {what} in {path}"))),
            None => found.note(path, format!("{what} is not read, so the files that it hides are public")),
        }
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
        let folders = folders.into_iter().filter(|name| !self.shown.contains(*name));
        // Generators do not omit the file that describes a folder.
        let mut names = folders.chain(Some(name).filter(|_| !is_section(origin)));
        if let Some(name) = names.find(|name| name.starts_with('_')) {
            return Some(format!("the name `{name}` begins with `_`"));
        }
        let path = format!("/{origin}");
        if let Some((_, reason)) = self.excluded.iter().find(|(expression, _)| expression.is_match(&path)) {
            return Some(reason.clone());
        }
        let (site, (config, content)) = self.contents.iter().rfind(|(site, _)| origin.starts_with(site.as_str()))?;
        let is_outside = !content.iter().any(|content| origin[site.len()..].starts_with(content));
        is_outside.then(|| {
            let content: Vec<_> = content.iter().map(|folder| format!("`{}`", folder.trim_end_matches('/'))).collect();
            format!("it is outside of {}, the content of the site of {config}", content.join(", "))
        })
    }

    /// The values that Jekyll gives to a file, the nearest first.
    pub(super) fn defaults(&self, origin: &str) -> impl Iterator<Item = &(String, Value)> {
        let path = format!("/{origin}");
        let scopes = self.defaults.iter().filter(move |scope| scope.path.is_match(&path) && scope.is_of_kind(&path));
        scopes.flat_map(|scope| &scope.values)
    }
}

impl Scope {
    fn is_of_kind(&self, path: &str) -> bool {
        let mut collections = path.split('/').filter_map(|part| part.strip_prefix('_'));
        match self.kind.as_str() {
            "" => true,
            "page" | "pages" => collections.next().is_none(),
            // Jekyll before version 3 uses the singular.
            "post" => collections.any(|name| name == "posts"),
            "draft" => collections.any(|name| name == "drafts"),
            kind => collections.any(|name| name == kind),
        }
    }
}

/// The files that a pattern below these folders names, and those below a folder that it names: `*` is any text, `**/` also no folder, and `{a,b}` one of
/// several. An empty pattern names all files. `ending`: the allowed text after the pattern.
fn expression(folders: &[&str], pattern: &str, ending: &str) -> Option<Regex> {
    let written = regex::escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", ".*").replace(r"\?", "[^/]");
    let written = written.replace(r"\[!", "[^").replace(r"\[", "[").replace(r"\]", "]");
    let written = match pattern.contains('{') {
        true => written
            .replace(r"\{", "(?:")
            .replace(r"\}", ")")
            .replace(',', "|")
            .replace("(?:/", "(?:")
            .replace("|/", "|"),
        false => written,
    };
    let folders: Vec<_> = folders.iter().map(|folder| regex::escape(folder)).collect();
    let end = if pattern.is_empty() { "" } else { "(?:/|$)" };
    let expression = format!("^/(?:{})(?:{written}){ending}{end}", folders.join("|"));
    Regex::new(&expression).ok().filter(|_| !pattern.contains("!("))
}

/// Adds the folders of content that Hugo's configuration names, also those of languages and of mounts.
fn add_content<'c>(config: &'c Value, content: &mut Vec<&'c str>) {
    for (key, value) in config.pairs() {
        match value.text() {
            Some(folder) if is_key(key, "contentDir") => content.push(folder),
            _ if is_key(key, "mounts") => {
                let is_content = |mount: &&Value| mount.first_text("target").is_some_and(|to| to.starts_with(CONTENT));
                let mounts = value.items().iter().filter(is_content);
                content.extend(mounts.filter_map(|mount| mount.first_text("source")));
            }
            _ => add_content(value, content),
        }
    }
}

/// The path of a folder below the site, such as `a/b` of `./a/b/`.
fn below(folder: &str) -> String {
    folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_files_and_folders() {
        for (pattern, path) in [("a", "a/b.md"), ("**/a", "b/a"), ("{/a/b,/c/**}", "c/d"), ("?[ab]", "xa")] {
            let expression = expression(&["s/", "t/"], pattern, "").expect("a pattern");
            assert!(expression.is_match(&format!("/t/{path}")), "{pattern} {path}");
            assert!(!expression.is_match(&format!("/u/{path}")), "{pattern} {path}");
        }
        for (pattern, path) in [("a", "ab"), ("*.md", "x.mdx"), ("a*c*e", "abde"), ("ab*ba", "aba"), ("*b*c", "c")] {
            assert!(
                !expression(&[""], pattern, "").expect("a pattern").is_match(&format!("/{path}")),
                "{pattern} {path}"
            );
        }
        assert!(expression(&[""], "a/{b", "").is_none());
    }

    #[test]
    fn the_longest_place_that_a_file_is_in_counts_first() {
        let config = "source: src\ndefaults:\n\
            - {scope: {path: '', type: posts}, values: {layout: post, author: ann, published: true}}\n\
            - {scope: {path: ''}, values: {published: false}}\n\
            - {scope: {path: _posts/secret}, values: {published: false}}\n\
            - {scope: {path: '_posts/*/notes'}, values: {tags: [note]}}\n\
            - {scope: {type: pages}, values: {lang: de}}\n";
        let configs = Configs::find(&[], [("_config.yml", config)].into_iter(), &mut FoundContent::default());
        let of = |origin: &str| {
            let values = configs.defaults(origin).map(|(key, value)| format!("{key}: {}", value.to_json().to_json()));
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
