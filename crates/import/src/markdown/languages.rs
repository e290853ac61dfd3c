//! Languages by folder: `content/de/post/a.md` and `content/en/post/a.md`. The rule: the name of a folder is a language only if a file has the same
//! path in the folder of another language or next to the folder, or if the root of the content contains only folders of languages; so `notes/it` is
//! about computers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::paths::joined;
use tidings_model::Language;

use super::page;
use super::translations::language;

/// The folder in which Hugo has a folder for each language ("Translation by content directory").
const CONTENT: &str = "content";

/// The folders of these files that are languages.
pub(super) fn find(files: &[String]) -> HashMap<String, Language> {
    let stems: HashSet<&str> = files.iter().map(|file| without_ending(file)).collect();
    // The names of possible language folders, by the path around and the path below them.
    let mut same: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    let mut below_content: BTreeSet<&str> = BTreeSet::new();
    for file in files {
        for (around, name, below) in divided(without_ending(file)) {
            let is_root = around == CONTENT || around.ends_with("/content");
            if is_root && around.matches('/').count() < 2 {
                below_content.insert(&file[..around.len() + 1 + name.len()]);
            }
            if language(name).is_some() && !below.rsplit('/').next().is_some_and(page::is_index) {
                same.entry((around, below)).or_default().insert(name);
            }
        }
    }
    let mut found = HashMap::new();
    for ((around, below), names) in same {
        if names.len() > 1 || stems.contains(joined(around, below).as_str()) {
            found.extend(names.into_iter().filter_map(|name| Some((joined(around, name), language(name)?))));
        }
    }
    let languages: Vec<_> = below_content.iter().map(|folder| language(folder.rsplit('/').next()?)).collect();
    if languages.len() > 1 && languages.iter().all(Option::is_some) {
        found.extend(
            below_content
                .into_iter()
                .zip(languages)
                .filter_map(|(folder, language)| Some((folder.to_owned(), language?))),
        );
    }
    found
}

/// For each folder of a path: the path around it, its name, and the path below it.
fn divided(path: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    path.match_indices('/').map(|(at, _)| {
        let (around, name) = path[..at].rsplit_once('/').unwrap_or(("", &path[..at]));
        (around, name, &path[at + 1..])
    })
}

fn without_ending(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_a_language_only_if_other_files_say_so() {
        let found = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let mut found: Vec<_> =
                find(&files).into_iter().map(|(folder, language)| format!("{folder}: {language}")).collect();
            found.sort();
            found
        };
        assert_eq!(found(&["content/de/post/a.md", "content/en/post/a.mdx"]), ["content/de: de", "content/en: en"]);
        assert_eq!(
            found(&["content/de/erstes.md", "content/pt-br/primeiro.md"]),
            ["content/de: de", "content/pt-br: pt-BR"]
        );
        assert_eq!(found(&["zh_tw/news/a.md", "ko/news/a.md", "css/a.md"]), ["ko: ko", "zh_tw: zh-TW"]);
        assert_eq!(found(&["docs/guide/a.md", "docs/fr/guide/a.md"]), ["docs/fr: fr"]);
        for none in [
            &["notes/it/index.md", "notes/index.md", "notes/hr/index.md"][..],
            &["content/de/a.md", "content/posts/a.md"],
            &["content/is/a.md"],
            &["is/a.md", "it/b.md"],
            &["js/a.md", "css/a.md"],
        ] {
            assert_eq!(found(none), Vec::<String>::new(), "{none:?}");
        }
    }
}
