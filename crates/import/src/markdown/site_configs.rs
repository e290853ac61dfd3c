//! What the configurations of Hugo, Zola, Astro and Eleventy do not build: files outside of the folders of the content, and files that they ignore.
//! The rule: such a file is a draft, and a note names the reason; a configuration whose folders are not written out hides nothing.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::found::FoundContent;

use super::name::{folder_of, with_slash};
use super::value::{Value, is_exactly, is_key, is_one_of};
use super::{front_matter, marks, yaml};

const HUGO: &str = "hugo.toml hugo.yaml hugo.yml hugo.json";
/// Names that Hugo and Zola use, and other programs, too.
const SHARED: &str = "config.toml config.yaml config.yml config.json";
/// Keys of which Hugo or Zola has at least one.
const KEYS: &str = "baseURL contentDir languageCode ignoreFiles ignored_content";
/// The folder of Hugo's configuration in several files.
const PARTS: &str = "config/_default";
const CONTENT: &str = "content";
const CONTENT_DIR: &str = "contentDir";
const MOUNTS: &str = "mounts";
/// Regular expressions that match anywhere in the path of a file.
const IGNORE_FILES: &str = "ignoreFiles";
/// Patterns of Zola.
const IGNORED_CONTENT: &str = "ignored_content";
const ENDINGS_OF_SCRIPTS: &str = "js mjs cjs ts mts";
/// Where Astro builds pages from, and where it declares the folders of collections.
const SRC: &str = "src";
const COLLECTIONS: &[&str] = &["src/content.config", "src/content/config"];
/// The longest regular expression, as a program in memory, and the most of them.
const EXPRESSION_BYTES_MAX: usize = 1 << 20;
const EXPRESSIONS_MAX: usize = 100;
/// More folders, and longer and more patterns than any site has.
const FOLDERS_MAX: usize = 1_000;
const PATTERN_BYTES_MAX: usize = 1_000;
const EXCLUDED_MAX: usize = 10_000;

/// `dir: { input: "src" }` or `setInputDirectory("src")` of Eleventy.
static INPUT: LazyLock<Regex> = LazyLock::new(|| literal(r"\binput\s*:\s*|\bsetInputDirectory\(\s*"));
/// `ignores.add("src/notes")` of Eleventy.
static IGNORES: LazyLock<Regex> = LazyLock::new(|| literal(r"\bignores\.add\(\s*"));
/// `srcDir: "site"` of Astro.
static SRC_DIR: LazyLock<Regex> = LazyLock::new(|| literal(r"\bsrcDir\s*:\s*"));
/// `glob({ base: "content/blog" })` of Astro.
static BASE: LazyLock<Regex> = LazyLock::new(|| literal(r"\bbase\s*:\s*"));

/// A text in quotes, without values in it, after one of these beginnings.
fn literal(before: &str) -> Regex {
    Regex::new(&format!("(?:{before})[\"'`]([^\"'`$\n]*)[\"'`]")).expect("a valid expression")
}

#[derive(Debug, Default)]
pub(super) struct SiteConfigs {
    /// By the folder of the site, with a slash at its end; empty for the root.
    sites: BTreeMap<String, Site>,
    /// What Eleventy ignores, and what Hugo's configuration hides.
    pub excluded: Vec<Excluded>,
}

/// The files that a generator does not build.
#[derive(Debug)]
pub(super) struct Excluded {
    /// The folder of the site with a slash at its end; empty for the root.
    pub site: String,
    pub pattern: String,
    /// For the note.
    pub reason: String,
}

#[derive(Debug, Default)]
struct Site {
    /// The name of the configuration, for the notes.
    config: String,
    /// Below the site, with a slash at the end; empty if every file can be content.
    content: Vec<String>,
    ignored: Vec<Regex>,
}

/// Whether a file can be one of these configurations.
pub(super) fn is_config(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    is_exactly(name, HUGO) || is_exactly(name, SHARED) || part_of(path).is_some() || script_of(path).is_some()
}

/// Whether a file is the configuration of Eleventy in the imported folder itself.
pub(super) fn is_of_eleventy(path: &str) -> bool {
    script_of(path).is_some_and(|(site, script)| site.is_empty() && script == Script::Eleventy)
}

/// The folder of the site to which a part of Hugo's configuration belongs.
fn part_of(path: &str) -> Option<&str> {
    let is_data = ["toml", "yaml", "yml", "json"].iter().any(|ending| path.ends_with(&format!(".{ending}")));
    let folder = folder_of(path).strip_suffix(PARTS).filter(|_| is_data)?;
    (folder.is_empty() || folder.ends_with('/')).then_some(folder)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Eleventy,
    Astro,
    Collections,
}

/// The folder of the site of a configuration that is a program.
fn script_of(path: &str) -> Option<(String, Script)> {
    let (stem, _) = path.rsplit_once('.').filter(|(_, ending)| is_exactly(ending, ENDINGS_OF_SCRIPTS))?;
    let folder = with_slash(folder_of(path));
    match &stem[folder.len()..] {
        ".eleventy" | "eleventy.config" => return Some((folder, Script::Eleventy)),
        "astro.config" => return Some((folder, Script::Astro)),
        _ => {}
    }
    let site = COLLECTIONS.iter().find_map(|name| stem.strip_suffix(name))?;
    (site.is_empty() || site.ends_with('/')).then(|| (site.to_owned(), Script::Collections))
}

impl Site {
    fn add(&mut self, folder: &str) {
        let folder = with_slash(folder);
        if !self.content.iter().any(|known| folder.starts_with(known)) {
            self.content.push(folder);
        }
    }
}

impl SiteConfigs {
    /// `files`: the Markdown files. `configs`: the paths and texts of the configurations.
    pub(super) fn find<'d>(
        files: &[String],
        configs: impl Iterator<Item = (&'d str, &'d str)>,
        found: &mut FoundContent,
    ) -> Self {
        let mut read = Self::default();
        let mut scripts: BTreeMap<String, Vec<(&str, Script, String)>> = BTreeMap::new();
        for (path, text) in configs {
            match script_of(path) {
                Some((site, script)) => scripts.entry(site).or_default().push((path, script, without_comments(text))),
                None => read.take_data(path, text, found),
            }
        }
        for (site, scripts) in scripts {
            read.take_scripts(site, &scripts);
        }
        for (folder, site) in &mut read.sites {
            let has_files = |content: &String| files.iter().any(|file| file.starts_with(&format!("{folder}{content}")));
            if !site.content.iter().any(has_files) {
                site.content.clear();
            }
        }
        read
    }

    fn take_data(&mut self, path: &str, text: &str, found: &mut FoundContent) {
        let name = &path[with_slash(folder_of(path)).len()..];
        let part = part_of(path);
        let is_certain = is_exactly(name, HUGO) || part.is_some();
        let config = match parse(path, text) {
            Ok(config) if is_certain || config.pairs().iter().any(|(key, _)| is_one_of(key, KEYS)) => config,
            Err(reason) if is_certain => return found.note(path, format!("is not read: {reason}")),
            _ => return found.ignore(path),
        };
        let folder = part.map_or_else(|| with_slash(folder_of(path)), str::to_owned);
        let config_name = if part.is_some() { PARTS } else { name }.to_owned();
        let site = self.sites.entry(folder.clone()).or_insert_with(|| Site { config: config_name, ..Site::default() });
        let mut content = vec![CONTENT];
        add_content(&config, &mut content);
        content.into_iter().take(FOLDERS_MAX).for_each(|folder| site.add(&below(folder)));
        let content: Vec<_> = site.content.iter().map(|content| format!("{folder}{content}")).collect();
        for text in config.items_of(IGNORE_FILES).iter().filter_map(Value::text) {
            match regex::RegexBuilder::new(text).size_limit(EXPRESSION_BYTES_MAX).build() {
                Ok(expression) if site.ignored.len() < EXPRESSIONS_MAX => site.ignored.push(expression),
                _ => found
                    .note(path, format!("`{IGNORE_FILES}: {text}` is not read, so the files that it names are public")),
            }
        }
        for pattern in config.items_of(IGNORED_CONTENT).iter().filter_map(Value::text) {
            self.exclude(path, Some(pattern), &format!("`{IGNORED_CONTENT}: {pattern}`"), &content, found);
        }
        for item in config.items_of(marks::CASCADE) {
            let path_of = |target: &'_ Value| target.get("path").and_then(Value::text).map(str::to_owned);
            let pattern = item.get(marks::TARGET).map_or(Some("**".to_owned()), path_of);
            if let Some(mark) = marks::hides(item) {
                let what = format!("`{mark}` in `{}`", marks::CASCADE);
                self.exclude(path, pattern.as_deref(), &what, &content, found);
            }
        }
    }

    /// Adds the files of a pattern in a configuration. `pattern`: `None` if the configuration names the files in another way. `what`: for the
    /// note. `content`: the folders of content.
    fn exclude(&mut self, path: &str, pattern: Option<&str>, what: &str, content: &[String], found: &mut FoundContent) {
        let is_read = |pattern: &&str| pattern.len() <= PATTERN_BYTES_MAX && !pattern.contains(['{', '[', '?', '!']);
        let has_room = self.excluded.len() < EXCLUDED_MAX;
        let Some(any) = pattern.map(any_of).filter(is_read).filter(|_| has_room) else {
            return found.note(path, format!("{what} is not read, so the files that it hides are public"));
        };
        for pattern in any.split(',').map(|pattern| pattern.trim().trim_matches('/')) {
            // The path of a page of Hugo has no extension.
            for (site, ending) in content.iter().flat_map(|site| [(site, ""), (site, ".*")]) {
                let (pattern, reason) = (format!("{pattern}{ending}"), format!("of {what} in {path}"));
                self.excluded.push(Excluded { site: site.clone(), pattern, reason });
            }
        }
    }

    fn take_scripts(&mut self, folder: String, scripts: &[(&str, Script, String)]) {
        let (mut content, mut are_known, mut config) = (Vec::new(), true, None);
        for (path, script, text) in scripts {
            let texts = |literal: &Regex| literal.captures_iter(text).map(|found| below(&found[1])).collect::<Vec<_>>();
            match script {
                Script::Eleventy => {
                    content.extend(texts(&INPUT));
                    self.excluded.extend(texts(&IGNORES).into_iter().map(|pattern| Excluded {
                        site: folder.clone(),
                        reason: format!("of `ignores.add(\"{pattern}\")` in {path}"),
                        pattern,
                    }));
                }
                Script::Astro => content.extend(texts(&SRC_DIR).into_iter().chain([SRC.to_owned()])),
                Script::Collections => {
                    let bases = texts(&BASE);
                    are_known &= text.matches("glob(").count() == bases.len();
                    content.extend(bases);
                }
            }
            if *script != Script::Collections {
                config = Some(path[folder.len()..].to_owned());
            }
        }
        // An empty folder is that of the site.
        if let Some(config) = config.filter(|_| are_known && !content.contains(&String::new())) {
            let site = self.sites.entry(folder).or_insert_with(|| Site { config, ..Site::default() });
            content.iter().take(FOLDERS_MAX).for_each(|folder| site.add(folder));
        }
    }

    /// The reason why the generator does not build a file.
    pub(super) fn why(&self, origin: &str) -> Option<String> {
        let (folder, site) = self.sites.iter().rfind(|(folder, _)| origin.starts_with(folder.as_str()))?;
        let path = format!("/{origin}");
        if let Some(expression) = site.ignored.iter().find(|expression| expression.is_match(&path)) {
            return Some(format!("of `{IGNORE_FILES}: {expression}` in {}", site.config));
        }
        let below = &origin[folder.len()..];
        let is_outside = !site.content.is_empty() && !site.content.iter().any(|content| below.starts_with(content));
        is_outside.then(|| {
            let content: Vec<_> =
                site.content.iter().map(|folder| format!("`{}`", folder.trim_end_matches('/'))).collect();
            format!("it is outside of {}, the content of the site of {}", content.join(", "), site.config)
        })
    }
}

fn parse(path: &str, text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if path.ends_with(".toml") { front_matter::parse_toml(text) } else { yaml::parse(text) }
}

/// Adds the folders of content that Hugo's configuration names, also those of languages and of mounts.
fn add_content<'c>(config: &'c Value, content: &mut Vec<&'c str>) {
    for (key, value) in config.pairs() {
        match value.text() {
            Some(folder) if is_key(key, CONTENT_DIR) => content.push(folder),
            _ if is_key(key, MOUNTS) => content.extend(value.items().iter().filter_map(mounted)),
            _ => add_content(value, content),
        }
    }
}

fn mounted(mount: &Value) -> Option<&str> {
    let is_content = mount.get("target")?.text()?.starts_with(CONTENT);
    mount.get("source")?.text().filter(|_| is_content)
}

/// The inner text of `{/news/**,/notes/**}`, which is any of these.
fn any_of(pattern: &str) -> &str {
    pattern.strip_prefix('{').and_then(|inner| inner.strip_suffix('}')).unwrap_or(pattern)
}

/// The path of a folder below the site, such as `a/b` of `./a/b/`.
fn below(folder: &str) -> String {
    folder.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/")
}

/// A program without the lines that are comments.
fn without_comments(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with(['/', '*'])).collect::<Vec<_>>().join("\n")
}
