//! Reads the paths of a Rust file from its tokens. Comments and strings do not count; paths count everywhere, not only in `use`.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::module_path_of;

/// A path from the crate's root into a module.
#[derive(Debug, PartialEq, Eq)]
pub struct Dependency {
    pub line: usize,
    pub module: String,
}

/// A path from the root of the crate, such as `content`, `write`, `Writer`. The last part can be `*`.
pub struct UsedPath {
    pub line: usize,
    pub parts: Vec<String>,
    /// The name that the path has in the file.
    pub name: String,
}

/// Every module of the crate that a file whose module path is `module` names by a path.
pub fn dependencies(module: &[&str], text: &str) -> Vec<Dependency> {
    let paths = paths(module, &BTreeSet::new(), text).into_iter();
    let mut found: Vec<_> =
        paths.filter_map(|used| Some(Dependency { line: used.line, module: used.parts.into_iter().next()? })).collect();
    found.dedup();
    found
}

/// The paths of a file that start with `crate`, `tidings`, `super`, `self` or one of its `children`, whose module path is `module`.
pub fn paths(module: &[&str], children: &BTreeSet<&str>, text: &str) -> Vec<UsedPath> {
    let mut found = Vec::new();
    let here: Vec<String> = module.iter().map(|part| (*part).to_owned()).collect();
    read_paths(&trees(tokens(text)), children, &here, &mut found);
    found
}

/// The modules directly below a module.
pub fn children_of<'f>(module: &[&'f str], files: &'f [(String, String)]) -> BTreeSet<&'f str> {
    let below = files.iter().filter_map(|(path, _)| module_path_of(path).strip_prefix(module)?.first().copied());
    below.collect()
}

/// Every identifier, with its line.
pub fn words(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    read_words(tokens(text), &mut found);
    found
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("not Rust: {error}\n{text}"))
}

fn trees(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

fn read_words(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    for tree in tokens {
        match tree {
            TokenTree::Ident(word) => found.push((word.span().start().line, word.to_string())),
            TokenTree::Group(group) => read_words(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

fn read_paths(trees: &[TokenTree], children: &BTreeSet<&str>, here: &[String], found: &mut Vec<UsedPath>) {
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            // The names in `crate::{...}` were read with the path before them.
            TokenTree::Group(_) if follows_path_sign(trees, at) => {}
            TokenTree::Group(group) => {
                let mut inner = here.to_vec();
                if is_module_body(trees, at) {
                    inner.push(trees[at - 1].to_string());
                }
                read_paths(&self::trees(group.stream()), children, &inner, found);
            }
            TokenTree::Ident(word) => {
                let (mut base, mut next) = match word.to_string().as_str() {
                    // Also `::tidings`.
                    "crate" | "tidings" => (Vec::new(), after_path_sign(trees, at)),
                    _ if follows_path_sign(trees, at) => continue,
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
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The paths that the rest of a path names: `write::Writer`, `{read::Reader, write::{self, Writer}}`, `*`.
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
                Some(deeper) if deeper.first().is_some_and(continues_path) => read_rest(deeper, &parts, found),
                _ => {
                    let is_renamed = is_word_at(rest, 1, "as");
                    let name = if is_renamed { rest.get(2).map(ToString::to_string) } else { parts.last().cloned() };
                    let line = word.span().start().line;
                    found.push(UsedPath { line, parts, name: name.unwrap_or_default() });
                }
            }
        }
        Some(tree) if is_sign(tree, '*') => {
            let parts = [base, &["*".to_owned()]].concat();
            found.push(UsedPath { line: tree.span().start().line, parts, name: "*".to_owned() });
        }
        _ => {}
    }
}

fn continues_path(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Ident(_) | TokenTree::Group(_)) || is_sign(tree, '*')
}

fn is_module_body(trees: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_word(&trees[at - 2], "mod")
}

/// The position after the `::` that follows the word at `at`.
fn after_path_sign(trees: &[TokenTree], at: usize) -> Option<usize> {
    is_path_sign(trees, at + 1).then_some(at + 3)
}

fn follows_path_sign(trees: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_path_sign(trees, at - 2)
}

fn is_path_sign(trees: &[TokenTree], at: usize) -> bool {
    trees.get(at..at + 2).is_some_and(|signs| signs.iter().all(|tree| is_sign(tree, ':')))
}

fn is_sign(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_word(tree: &TokenTree, word: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == word)
}

fn is_word_at(trees: &[TokenTree], at: usize, word: &str) -> bool {
    trees.get(at).is_some_and(|tree| is_word(tree, word))
}
