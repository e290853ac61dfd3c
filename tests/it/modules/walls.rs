//! The walls inside `content`: a file outside of one of its modules names what the module's `mod.rs` offers, and nothing deeper. The modules that a
//! `mod.rs` offers as a whole are listed in [`OPEN`], each with the reason.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenTree};

use super::files::source_files;
use super::reading::{after_path_sign, follows_path_sign, is_module_body, is_sign, is_word, tokens, trees};
use super::{assert_none, module_path_of};

/// The folders of `content`; each has a wall.
const WALLED: &[&str] = &["access", "editor", "maintenance", "read", "tables", "write"];

/// A module behind a wall that others may name, and the reason.
const OPEN: &[(&str, &str)] = &[
    ("access::permission", "its functions are named for the module, as in `permission::require`"),
    ("access::secret", "its functions are named for the module, as in `secret::hash`"),
    ("read::pages", "lists of posts and of terms have functions of the same names, each in a module"),
    ("tables::moves", "its functions are named for the module, as in `moves::follow`"),
    ("tables::rows", "each kind of row has a module, with functions of the same names"),
    ("write::intent", "its functions are named for the module, as in `intent::read`"),
    ("write::listing", "a fix in `check` names its type `Partition`"),
    ("write::plan", "repair writes the rows of a post by `plan::put_rows`, as a change does"),
];

/// A path from the root of the crate, such as `content`, `write`, `Writer`.
pub(super) struct UsedPath {
    line: usize,
    pub parts: Vec<String>,
    /// The name that the path has in the file.
    pub name: String,
}

/// The paths of a file that start with `crate`, `tidings`, `super`, `self` or one of its `children`, whose module path is `module`.
pub(super) fn paths(module: &[&str], children: &BTreeSet<&str>, text: &str) -> Vec<UsedPath> {
    let mut found = Vec::new();
    let here: Vec<String> = module.iter().map(|part| (*part).to_owned()).collect();
    read_paths(&trees(tokens(text)), children, &here, &mut found);
    found
}

fn read_paths(trees: &[TokenTree], children: &BTreeSet<&str>, here: &[String], found: &mut Vec<UsedPath>) {
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let mut inner = here.to_vec();
                if is_module_body(trees, at) {
                    inner.push(trees[at - 1].to_string());
                }
                read_paths(&super::reading::trees(group.stream()), children, &inner, found);
            }
            TokenTree::Ident(word) if !follows_path_sign(trees, at) => {
                let (mut base, mut next) = match word.to_string().as_str() {
                    "crate" | "tidings" => (Vec::new(), after_path_sign(trees, at)),
                    "self" => (here.to_vec(), after_path_sign(trees, at)),
                    "super" => (here.to_vec(), Some(at)),
                    word if children.contains(word) && after_path_sign(trees, at).is_some() => {
                        (here.to_vec(), Some(at))
                    }
                    _ => continue,
                };
                while let Some(position) = next.filter(|position| is_word_at(trees, *position, "super")) {
                    base.pop();
                    next = after_path_sign(trees, position);
                }
                if let Some(rest) = next.and_then(|next| trees.get(next..)) {
                    read_rest(rest, &base, found);
                }
            }
            _ => {}
        }
    }
}

fn is_word_at(trees: &[TokenTree], at: usize, word: &str) -> bool {
    trees.get(at).is_some_and(|tree| is_word(tree, word))
}

/// The paths that the rest of a path names: `write::Writer`, `{read::Reader, write::{self, Writer}}`.
fn read_rest(rest: &[TokenTree], base: &[String], found: &mut Vec<UsedPath>) {
    match rest.first() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let inner = trees(group.stream());
            for part in inner.split(|tree| is_sign(tree, ',')) {
                read_rest(part, base, found);
            }
        }
        Some(TokenTree::Ident(word)) => {
            let mut parts = base.to_vec();
            if word != "self" {
                parts.push(word.to_string());
            }
            match after_path_sign(rest, 0).and_then(|next| rest.get(next..)) {
                Some(deeper) if matches!(deeper.first(), Some(TokenTree::Ident(_) | TokenTree::Group(_))) => {
                    read_rest(deeper, &parts, found);
                }
                _ => {
                    let is_renamed = is_word_at(rest, 1, "as");
                    let name = if is_renamed { rest.get(2).map(ToString::to_string) } else { parts.last().cloned() };
                    let line = word.span().start().line;
                    found.push(UsedPath { line, parts, name: name.unwrap_or_default() });
                }
            }
        }
        _ => {}
    }
}

/// The names of all modules behind each wall.
fn modules_behind_walls(files: &[(String, String)]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut behind: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in files.iter().map(|(path, _)| module_path_of(path)) {
        if let ["content", wall, inner @ ..] = module.as_slice() {
            behind.entry(wall).or_default().extend(inner);
        }
    }
    behind
}

/// The modules behind walls that a file names from outside: its line, and the module as in [`OPEN`].
fn modules_named_from_outside(path: &str, text: &str, behind: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<(usize, String)> {
    let module = module_path_of(path);
    let named = paths(&module, &BTreeSet::new(), text).into_iter().filter_map(|used| {
        let [content, wall, name, ..] = used.parts.as_slice() else { return None };
        let is_outside = content == "content" && !module.starts_with(&["content", wall]);
        let is_behind = behind.get(wall.as_str()).is_some_and(|names| names.contains(name.as_str()));
        (is_outside && is_behind).then(|| (used.line, format!("{wall}::{name}")))
    });
    named.collect()
}

fn is_open(named: &str) -> bool {
    OPEN.iter().any(|(open, _)| *open == named)
}

#[test]
fn modules_of_content_are_reached_through_their_facades() {
    let files = source_files();
    let behind = modules_behind_walls(&files);
    let mut used = BTreeSet::new();
    let mut bad = Vec::new();
    for (path, text) in &files {
        for (line, named) in modules_named_from_outside(path, text, &behind) {
            if !is_open(&named) {
                bad.push(format!(
                    "src/{path}:{line}: content::{named} is behind a wall; let its mod.rs offer the item"
                ));
            }
            used.insert(named);
        }
    }
    let unused = OPEN.iter().filter(|(open, _)| !used.contains(*open));
    bad.extend(unused.map(|(open, _)| format!("OPEN lists {open}, but no file outside names it")));
    assert_none(bad);
}

#[test]
fn every_module_of_content_in_a_folder_has_a_wall() {
    let files = source_files();
    let folders = files.iter().filter_map(|(path, _)| path.strip_prefix("content/")?.split_once('/'));
    let folders: BTreeSet<&str> = folders.map(|(folder, _)| folder).collect();
    assert_eq!(folders.into_iter().collect::<Vec<_>>(), WALLED);
}

#[test]
fn a_path_through_a_wall_is_found_in_every_form() {
    let files = source_files();
    let behind = modules_behind_walls(&files);
    let forms = [
        "use crate::content::write::protocol::posts::run;",
        "use crate::content::{read::Reader, write::{Writer, protocol}};",
        "use super::super::write::protocol::{self, posts};",
        "fn f() -> crate::content::write::protocol::Session { todo!() }",
        "mod tests { use super::super::super::write::protocol::Session; }",
    ];
    let missed = forms.into_iter().filter(|form| {
        let named = modules_named_from_outside("content/read/reader.rs", form, &behind);
        !named.iter().any(|(line, named)| *line == 1 && named == "write::protocol")
    });
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&str>::new());
    let inside = modules_named_from_outside("content/write/posts.rs", forms[0], &behind);
    assert!(inside.is_empty(), "{inside:?}");
    let offered =
        modules_named_from_outside("content/read/reader.rs", "use crate::content::write::{Change, Writer};", &behind);
    assert!(offered.is_empty(), "{offered:?}");
}
