//! Folders that a generator does not build: packages, templates, themes with example posts, and generated files. The rule: a name that content can
//! have counts only next to the files of a site, so `docs/themes` and `content/docs/themes` are read.

use std::collections::HashSet;
use std::path::Path;

use super::value::is_exactly;

pub(super) const NOTE: &str =
    "is not read, because generators do not publish what is in it; to import it, give this folder";

/// Names that are never content.
const ALWAYS: &str = "\
    node_modules bower_components exampleSite _includes _layouts _partials _templates _site _vendor _book";
/// Names of a generator's folders, if they are next to its other files.
const OF_SITES: &str = "themes archetypes layouts scaffolds templates vendor";
/// Folders that generators write to, if they contain a home page.
const WRITTEN: &str = "public dist build out";
const HOME_PAGE: &str = "index.html";

/// The names of folders, and the first characters of file names, in the root of a site.
const FOLDERS_OF_SITES: &str = "content _posts source src static _layouts _includes";
const FILES_OF_SITES: &str = "\
    hugo. config.toml config.yaml config.yml _config. zola.toml theme.toml package.json Gemfile eleventy.config. \
    .eleventy.js astro.config. docusaurus.config.";

/// The folders of a site's content, below which folder names have no special meaning.
const CONTENT: &str = "content source";

/// Whether a folder is not read because of its name. `origin`: its path below the imported folder. `beside`: all names in its parent folder.
pub(super) fn is_unread(path: &Path, origin: &str, beside: &HashSet<String>) -> bool {
    let name = origin.rsplit('/').next().unwrap_or(origin);
    let is_of_site = || {
        let starts = |file: &String| FILES_OF_SITES.split_whitespace().any(|start| file.starts_with(start));
        let has_folder = || FOLDERS_OF_SITES.split_whitespace().any(|folder| beside.contains(folder));
        let is_content = || origin.split('/').any(|part| is_exactly(part, CONTENT));
        beside.iter().any(starts) || (has_folder() && !is_content())
    };
    is_exactly(name, ALWAYS)
        || (is_exactly(name, OF_SITES) && is_of_site())
        || (is_exactly(name, WRITTEN) && path.join(HOME_PAGE).is_file())
}
