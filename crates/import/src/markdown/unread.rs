//! Folders that a generator does not build: packages, templates, themes with posts of somebody else, and what the generator has written. The rule: a name that can be
//! one of content counts only beside the files of a site, so that `docs/themes` and `content/docs/themes` are read.

use std::collections::HashSet;
use std::path::Path;

/// What the report says about such a folder.
pub(super) const NOTE: &str =
    "is not read, because generators do not publish what is in it; to import it, give this folder";

/// Names that are none of content anywhere.
const ALWAYS: &[&str] = &[
    "node_modules",
    "bower_components",
    "exampleSite",
    "_includes",
    "_layouts",
    "_partials",
    "_templates",
    "_site",
    "_vendor",
    "_book",
];
/// Names of folders of a generator, beside its other files.
const OF_SITES: &[&str] = &["themes", "archetypes", "layouts", "scaffolds", "templates", "vendor"];
/// Folders that generators write to, if they have a home page.
const WRITTEN: &[&str] = &["public", "dist", "build", "out"];
const HOME_PAGE: &str = "index.html";

/// Names of folders and the starts of the names of files that a site has at its top.
const FOLDERS_OF_SITES: &[&str] = &["content", "_posts", "source", "src", "static", "_layouts", "_includes"];
const FILES_OF_SITES: &[&str] = &[
    "hugo.",
    "config.toml",
    "config.yaml",
    "config.yml",
    "_config.",
    "zola.toml",
    "theme.toml",
    "package.json",
    "Gemfile",
    "eleventy.config.",
    ".eleventy.js",
    "astro.config.",
    "docusaurus.config.",
];

/// The folders of the content of a site, below which the names of folders are its own.
const CONTENT: &[&str] = &["content", "source"];

/// Whether a folder has a name of those that are not read. `origin`: its path below the imported folder. `beside`: all names in the folder that it is in.
pub(super) fn is_unread(path: &Path, origin: &str, beside: &HashSet<String>) -> bool {
    let name = origin.rsplit('/').next().unwrap_or(origin);
    let is_of_site = || {
        let starts = |file: &String| FILES_OF_SITES.iter().any(|start| file.starts_with(start));
        let has_folder = || FOLDERS_OF_SITES.iter().any(|folder| beside.contains(*folder));
        let is_content = || origin.split('/').any(|part| CONTENT.contains(&part));
        beside.iter().any(starts) || (has_folder() && !is_content())
    };
    ALWAYS.contains(&name)
        || (OF_SITES.contains(&name) && is_of_site())
        || (WRITTEN.contains(&name) && path.join(HOME_PAGE).is_file())
}
