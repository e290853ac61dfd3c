//! Eleventy's data for a folder or a file: `posts/posts.11tydata.json`, `posts/posts.json`, `posts/one.yml`. The rule: front matter wins over it,
//! tables and lists are joined, and a JavaScript file is read only if it is an object of literals.

use crate::paths;

use super::file_links;
use super::value::{Value, is_key, is_one_of};

/// The extensions that only files of Eleventy have.
const ENDINGS: &[&str] =
    &[".11tydata.json", ".11tydata.js", ".11tydata.cjs", ".11tydata.mjs", ".11tydata.yml", ".11tydata.yaml"];
/// The extensions of data that other programs have, too.
const SHARED: &[&str] = &[".json", ".yml", ".yaml"];
/// Keys of Eleventy. A JSON file without any of them is not its data.
const KEYS: &str = "layout permalink tags eleventyComputed eleventyNavigation eleventyExcludeFromCollections";

/// The name of the folder or file that a data file is for.
pub(super) fn stem_of(name: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))
}

/// Like [`stem_of`], for names that files of other programs can have, too.
pub(super) fn shared_stem_of(name: &str) -> Option<&str> {
    SHARED.iter().find_map(|ending| name.strip_suffix(ending))
}

/// The path of the folder, or of the file without its extension. `own_name`: the name of the imported folder. `files`: the Markdown files.
pub(super) fn key_of(path: &str, own_name: Option<&str>, files: &[String], is_certain: bool) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = stem_of(name).or_else(|| shared_stem_of(name))?;
    let name_of_folder = if folder.is_empty() { own_name } else { folder.rsplit('/').next() };
    if name_of_folder == Some(stem) {
        return Some(folder.to_owned());
    }
    let key = paths::joined(folder, stem);
    let has_file = || file_links::ENDINGS.iter().any(|ending| files.binary_search(&format!("{key}{ending}")).is_ok());
    (is_certain || has_file()).then_some(key)
}

/// Eleventy reads YAML only if its configuration says so.
pub(super) fn is_yaml(path: &str) -> bool {
    path.ends_with(".yml") || path.ends_with(".yaml")
}

pub(super) fn is_of_eleventy(value: &Value) -> bool {
    value.pairs().iter().any(|(key, _)| is_one_of(key, KEYS))
}

/// Merges two values; `above` wins. Lists are joined, and so are tags, which can be a text.
pub(super) fn merged(below: Value, above: Value) -> Value {
    match (below, above) {
        (Value::Table(mut pairs), Value::Table(above)) => {
            for (name, value) in above {
                match pairs.iter().position(|(known, _)| is_key(known, &name)) {
                    None => pairs.push((name, value)),
                    Some(at) => {
                        let known = std::mem::replace(&mut pairs[at].1, Value::Nothing);
                        let are_tags = is_key(&name, "tags");
                        pairs[at].1 = if are_tags { joined(&known, &value) } else { merged(known, value) };
                        pairs[at].0 = name;
                    }
                }
            }
            Value::Table(pairs)
        }
        (below @ Value::List(_), above @ Value::List(_)) => joined(&below, &above),
        (_, above) => above,
    }
}

fn joined(below: &Value, above: &Value) -> Value {
    let added = above.items().iter().filter(|item| !below.items().contains(item));
    Value::List(below.items().iter().chain(added).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::front_matter::parse_file as parse;

    #[test]
    fn data_is_for_a_folder_or_a_file() {
        let files = ["blog/one.md".to_owned()];
        let key = |path: &str, is_certain| key_of(path, Some("site"), &files, is_certain);
        for (path, is_certain, expected) in [
            ("blog/blog.11tydata.json", true, Some("blog")),
            ("blog/blog.json", false, Some("blog")),
            ("blog/one.json", false, Some("blog/one")),
            ("blog/one.11tydata.js", true, Some("blog/one")),
            ("site.json", false, Some("")),
            ("blog/one.yml", false, Some("blog/one")),
            ("blog/package.json", false, None),
            ("package.json", false, None),
        ] {
            assert_eq!(key(path, is_certain).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn what_is_written_out_is_read_and_a_function_is_not() {
        let json = |text: &str| parse("a.json", text).map(|value| value.to_json().to_json());
        let expected = Ok("{\"tags\":[\"posts\"],\"layout\":\"post.njk\"}".to_owned());
        assert_eq!(json("export default {\n\ttags: [\"posts\"],\n\t\"layout\": \"post.njk\",\n};\n"), expected);
        assert_eq!(json("module.exports = { tags: [\"posts\"], layout: \"post.njk\" }"), expected);
        for text in ["export default { a: now() }", "const a = 1;\nexport default a;", "[1]", "export default () => {}"]
        {
            assert!(parse("a.js", text).is_err(), "{text}");
        }
        assert!(is_of_eleventy(&parse("a.json", "{\"layout\": \"a\"}").expect("an object")));
        assert!(!is_of_eleventy(&parse("a.yml", "name: a").expect("an object")));
    }

    #[test]
    fn the_front_matter_wins_and_lists_are_joined() {
        let both = merged(
            parse("a.js", "{a: 1, tags: [\"x\"], t: {b: 1, c: 2}, l: [1]}").expect("an object"),
            parse("a.yml", "{a: 2, tags: \"y\", t: {c: 3}, l: [1, 2], d: 4}").expect("an object"),
        );
        assert_eq!(
            both.to_json().to_json(),
            "{\"a\":2,\"tags\":[\"x\",\"y\"],\"t\":{\"b\":1,\"c\":3},\"l\":[1,2],\"d\":4}"
        );
    }
}
