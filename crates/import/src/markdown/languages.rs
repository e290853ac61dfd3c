//! Languages by the names of files, as in Hugo and Zola (`post.de.md` next to `post.md`), and of folders (`content/de/a.md` next to `content/en/a.md`). The
//! rule: a part of a path is a language only if other files say so: the last part of a name, if a file in the same folder has the name without it, or with
//! another language, so `node.js.md` alone is about Node.js; a folder, if a file has the same path in the folder of another language or next to the folder, or
//! if the root of the content contains only folders of languages, so `notes/it` is about computers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::paths::joined;
use tidings_model::Language;

use super::page;

/// The languages with two letters (ISO 639-1).
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa \
     ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li \
     ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn \
     so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// The language in a part of a name: a tag that begins with a two-letter language.
pub(super) fn language(tag: &str) -> Option<Language> {
    let primary = tag.split(['-', '_']).next()?.to_ascii_lowercase();
    LANGUAGES.split_whitespace().any(|known| known == primary).then(|| Language::of_locale(tag))?
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Translation {
    /// The path without the language, which is that of the file in the main language. That file need not exist.
    pub original: String,
    pub language: Language,
}

/// The translations among these files, by path.
pub(super) fn of_names(files: &[String]) -> HashMap<String, Translation> {
    let plain: BTreeSet<&str> = files.iter().filter_map(|file| Some(file.rsplit_once('.')?.0)).collect();
    let mut by_stem: BTreeMap<&str, Vec<(&String, Translation)>> = BTreeMap::new();
    for file in files {
        if let Some((stem, translation)) = translation(file) {
            by_stem.entry(stem).or_default().push((file, translation));
        }
    }
    let several = by_stem.into_iter().filter(|(stem, files)| files.len() > 1 || plain.contains(stem));
    several.flat_map(|(_, files)| files).map(|(file, translation)| (file.clone(), translation)).collect()
}

/// The path without extension and language, and the translation that the file may be.
fn translation(file: &str) -> Option<(&str, Translation)> {
    let (stem, ending) = file.rsplit_once('.')?;
    let (stem, tag) = stem.rsplit_once('.')?;
    if stem.is_empty() || stem.ends_with('/') {
        return None;
    }
    Some((stem, Translation { original: format!("{stem}.{ending}"), language: language(tag)? }))
}

/// The folder in which Hugo has a folder for each language ("Translation by content directory").
const CONTENT: &str = "content";

/// The folders of these files that are languages.
pub(super) fn of_folders(files: &[String]) -> HashMap<String, Language> {
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
    let of_content = |folder: &&str| Some(((*folder).to_owned(), language(folder.rsplit('/').next()?)?));
    let languages: Vec<_> = below_content.iter().map_while(of_content).collect();
    if languages.len() > 1 && languages.len() == below_content.len() {
        found.extend(languages);
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
    fn a_name_has_a_language_only_beside_another_file_with_the_same_name() {
        let found = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let mut found: Vec<_> = of_names(&files)
                .into_iter()
                .map(|(file, translation)| format!("{file} = {} in {}", translation.original, translation.language))
                .collect();
            found.sort();
            found
        };
        assert_eq!(found(&["a/x.md", "a/x.de.md"]), ["a/x.de.md = a/x.md in de"]);
        assert_eq!(found(&["x.pt-br.md", "x.en.md"]), ["x.en.md = x.md in en", "x.pt-br.md = x.md in pt-BR"]);
        assert_eq!(found(&["_index.md", "_index.fr.md"]), ["_index.fr.md = _index.md in fr"]);
        assert_eq!(
            found(&["a/x.md", "x.de.md", "node.js.md", "node.md", "v1.0.md", "v1.md", "y.no.md", ".de.md"]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_folder_is_a_language_only_if_other_files_say_so() {
        let found = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let mut found: Vec<_> =
                of_folders(&files).into_iter().map(|(folder, language)| format!("{folder}: {language}")).collect();
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
