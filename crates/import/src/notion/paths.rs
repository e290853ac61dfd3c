//! The paths of the pages of an export, which follow from their folders, named after the parent pages. The rule: two pages get no equal path, because
//! the next import finds pages by their paths.

use std::collections::{HashMap, HashSet};

use crate::paths::joined;
use tidings_model::{PagePath, Slug};

use super::name;

/// The slug of a page whose title contains no character that a slug can have.
const UNNAMED: &str = "page";

#[derive(Debug, Default)]
pub(super) struct PagePaths {
    /// The folders around all pages, which an archive adds.
    around: String,
    /// The paths of pages, by the folders of their children.
    of_folders: HashMap<String, Vec<Slug>>,
    taken: HashSet<PagePath>,
}

impl PagePaths {
    /// `files`: the paths of the files of all pages.
    pub(super) fn of<'f>(files: impl Iterator<Item = &'f str>) -> Self {
        let folders = files.map(|file| file.rsplit_once('/').map_or("", |(folder, _)| folder));
        let around = folders.reduce(common).unwrap_or_default().to_owned();
        Self { around, ..Self::default() }
    }

    /// The path of a page, whose slug may be given. Its parent page must be added before.
    ///
    /// # Errors
    /// If no page can have the path.
    pub(super) fn add(&mut self, file: &str, given: Option<&str>) -> Result<PagePath, String> {
        let (folder, _) = file.rsplit_once('/').unwrap_or(("", file));
        let (title, _) = name::of_page(file).unwrap_or(("", 0));
        let own = given.and_then(Slug::from_name).or_else(|| Slug::from_name(title));
        let own = own.or_else(|| Slug::from_name(UNNAMED)).ok_or("has no name")?;
        let above = self.of_folder(folder);
        let mut number = 1;
        let path = loop {
            let parts = above.iter().cloned().chain([own.numbered(number)]).collect();
            let path = PagePath::of(parts).map_err(|bad| format!("its path: {bad}"))?;
            if self.taken.insert(path.clone()) {
                break path;
            }
            number += 1;
        };
        let below = file.strip_suffix(".md").unwrap_or(file);
        self.of_folders.insert(below.to_owned(), path.parts().to_vec());
        // Newer exports have folder names without ids.
        self.of_folders.entry(joined(folder, title)).or_insert_with(|| path.parts().to_vec());
        Ok(path)
    }

    fn of_folder(&self, folder: &str) -> Vec<Slug> {
        if folder == self.around || folder.is_empty() {
            return Vec::new();
        }
        if let Some(path) = self.of_folders.get(folder) {
            return path.clone();
        }
        let (above, last) = folder.rsplit_once('/').unwrap_or(("", folder));
        let title = name::split(last).map_or(last, |(title, _)| title);
        let mut parts = self.of_folder(above);
        parts.extend(Slug::from_name(title));
        parts
    }
}

/// The common parent folder of two paths.
fn common<'f>(one: &'f str, other: &'f str) -> &'f str {
    let parts = one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other);
    let length = parts.map(|(part, _)| part.len() + 1).sum::<usize>();
    &one[..length.saturating_sub(1).min(one.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: char) -> String {
        digit.to_string().repeat(32)
    }

    #[test]
    fn the_path_is_that_of_the_titles_above() {
        let files = [
            (format!("Export/Team/Home {}.md", id('1')), None, "home"),
            (format!("Export/Team/Home/Über uns {}.md", id('2')), None, "home/uber-uns"),
            (format!("Export/Team/Home {}/Old {}.md", id('1'), id('3')), Some("older/x"), "home/older-x"),
            (format!("Export/Team/Home {}/Old {}/A {}.md", id('1'), id('3'), id('4')), None, "home/older-x/a"),
            (format!("Export/Team/Home/Blog {}/A {}.md", id('5'), id('6')), None, "home/blog/a"),
            (format!("Export/Team/Home {}.md", id('7')), None, "home-2"),
            (format!("Export/Team/{}.md", id('8')), None, "page"),
            (format!("Export/Team/!!/A {}.md", id('9')), None, "a"),
        ];
        let mut paths = PagePaths::of(files.iter().map(|(file, ..)| file.as_str()));
        for (file, slug, expected) in &files {
            assert_eq!(paths.add(file, *slug).expect("a path").to_string(), *expected, "{file}");
        }
        let deep = format!("Export/Team/{}A {}.md", "a/".repeat(10), id('a'));
        assert!(paths.add(&deep, None).expect_err("too deep").starts_with("its path: "));
    }

    #[test]
    fn folders_around_all_pages_are_no_part_of_a_path() {
        for (one, other, expected) in
            [("a/b", "a/b/c", "a/b"), ("a/b", "a/bc", "a"), ("", "a", ""), ("ä/b", "ä", "ä"), ("x", "y", "")]
        {
            assert_eq!(common(one, other), expected);
        }
    }
}
