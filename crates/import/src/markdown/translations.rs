//! Translations by file name, as in Hugo and Zola: `post.de.md` and `post.md`. The rule: the last part of a name is a language only if a file in the
//! same folder has the name without it, or with another language; so `node.js.md` alone is about Node.js.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tidings_model::Language;

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
pub(super) fn find(files: &[String]) -> HashMap<String, Translation> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_language_only_beside_another_file_with_the_same_name() {
        let found = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            let mut found: Vec<_> = find(&files)
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
}
