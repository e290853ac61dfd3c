//! Decides which files with a date are posts. The rule: a file in a folder of posts, or with the day in its name, is a post; then its front matter decides,
//! then whether it is in a folder of documentation, or outside the folders of posts that the site has.

use std::collections::HashMap;

use super::page::below_content;
use super::value::{Value, is_word};

/// Folders of posts, in any case.
const POSTS: &str = "\
    _posts _drafts posts post blog blogs weblog news articles article notes essays journal diary stories writing \
    til announcements";
/// Folders of documentation, in any case.
const DOCS: &str = "docs doc documentation manual handbook reference wiki";
/// Keys whose value can name the kind of a file.
const TYPES: &str = "type layout";
const POST_TYPES: &str = "post posts blog blogpost article news";
const PAGE_TYPES: &str = "page pages docs doc about";
/// The maximum number of files in a small section, such as an about page and an imprint.
const LARGE: usize = 10;

#[derive(Debug, Default)]
pub(super) struct Sections {
    /// Whether the imported folder itself is a folder of posts.
    is_of_posts: bool,
    /// Whether the imported folder is the `_posts` of Jekyll or Hexo.
    is_underscored: bool,
    /// The number of files in folders of posts.
    posts: usize,
    /// The number of other files, by the first folder below the content.
    others: HashMap<String, usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// It is in a folder of posts, or its front matter says that it is a post.
    Posts,
    /// It is undecided: a file with a date is a post.
    Any,
    /// It is documentation: a file with a date is a page, too.
    Pages,
}

impl Sections {
    /// `own_name`: the name of the imported folder. `files`: the Markdown files.
    pub(super) fn find(own_name: Option<&str>, files: &[String]) -> Self {
        let is_of_posts = own_name.is_some_and(|name| is_word(name, POSTS));
        let mut found = Self { is_of_posts, is_underscored: own_name == Some("_posts"), ..Self::default() };
        for file in files {
            match innermost(file) {
                Some(Section::Posts) => found.posts += 1,
                Some(_) => {}
                None => *found.others.entry(section(file).to_owned()).or_default() += 1,
            }
        }
        found
    }

    /// Whether a file is a post or draft of Jekyll. Hexo's files are below a folder `source`, and seldom have a day in their name.
    pub(super) fn is_of_jekyll(&self, origin: &str, has_day: bool) -> bool {
        let has = |folders: &str| origin.starts_with(folders) || origin.contains(&format!("/{folders}"));
        let is_below = |folder| has(&format!("{folder}/")) && !is_below_source(origin, folder);
        is_below("_posts") || is_below("_drafts") || (self.is_underscored && has_day)
    }

    pub(super) fn is_underscored(&self, origin: &str) -> bool {
        self.is_underscored || origin.split('/').any(|folder| matches!(folder, "_posts" | "_drafts"))
    }

    /// Whether a file with a date is a post or a page. `has_day`: whether its name or path contains a day.
    pub(super) fn of(&self, origin: &str, front: &Value, has_day: bool) -> Section {
        match innermost(origin) {
            Some(Section::Posts) => return Section::Posts,
            _ if has_day => return Section::Any,
            _ => {}
        }
        if let Some(section) = front.each(TYPES).find_map(|value| of_type(value.text()?)) {
            return section;
        }
        match innermost(origin) {
            Some(section) => section,
            None if self.is_of_posts => Section::Posts,
            // A section with more files than all folders of posts contains posts under another name.
            None if self.others.get(section(origin)).is_some_and(|files| *files > self.posts.max(LARGE)) => {
                Section::Any
            }
            None if self.posts > 0 => Section::Pages,
            None => Section::Any,
        }
    }
}

/// The section of the innermost folder of posts or documentation.
fn innermost(origin: &str) -> Option<Section> {
    origin.rsplit('/').skip(1).find_map(|folder| match folder {
        folder if is_word(folder, POSTS) => Some(Section::Posts),
        folder if is_word(folder, DOCS) => Some(Section::Pages),
        _ => None,
    })
}

pub(super) fn is_of_hexo(origin: &str) -> bool {
    is_below_source(origin, "_posts") || is_below_source(origin, "_drafts")
}

fn is_below_source(origin: &str, folder: &str) -> bool {
    let folders = format!("source/{folder}/");
    origin.starts_with(&folders) || origin.contains(&format!("/{folders}"))
}

/// The first folder below the content; empty for a file directly in it.
fn section(origin: &str) -> &str {
    below_content(origin).split_once('/').map_or("", |(folder, _)| folder)
}

/// `layout` can be the path of a template: `layouts/post.njk`.
fn of_type(text: &str) -> Option<Section> {
    let name = text.rsplit('/').next().unwrap_or(text);
    let name = name.split('.').next().unwrap_or(name);
    match name {
        name if is_word(name, POST_TYPES) => Some(Section::Posts),
        name if is_word(name, PAGE_TYPES) => Some(Section::Pages),
        _ => None,
    }
}
