//! Reads the dependencies of a Rust file from its tokens. Comments and strings do not count; paths count everywhere, not only in `use`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path from the crate's root into a module.
#[derive(Debug, PartialEq, Eq)]
pub struct Dependency {
    pub line: usize,
    pub module: String,
}

/// Every dependency of a file whose module path is `module`. A path from the root starts with `crate`, with the crate's name, or with one
/// `super` for each level of the module.
pub fn dependencies(module: &[&str], text: &str) -> Vec<Dependency> {
    let mut found = Vec::new();
    read_dependencies(&trees(tokens(text)), module.len(), &mut found);
    found
}

/// Every identifier, with its line.
pub fn words(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    read_words(tokens(text), &mut found);
    found
}

pub(super) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| panic!("not Rust: {error}\n{text}"))
}

pub(super) fn trees(tokens: TokenStream) -> Vec<TokenTree> {
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

/// `depth`: the number of `super` from here to the crate's root.
fn read_dependencies(trees: &[TokenTree], depth: usize, found: &mut Vec<Dependency>) {
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let depth = depth + usize::from(is_module_body(trees, at));
                read_dependencies(&self::trees(group.stream()), depth, found);
            }
            TokenTree::Ident(word) => {
                let rest = match word.to_string().as_str() {
                    "crate" | "tidings" => after_path_sign(trees, at),
                    // After `self::` or another `super::`, the first word of the path was handled already.
                    "super" if !follows_path_sign(trees, at) => after_supers(trees, at, depth),
                    "self" => after_path_sign(trees, at).and_then(|next| after_supers(trees, next, depth)),
                    _ => None,
                };
                if let Some(rest) = rest {
                    read_modules(&trees[rest..], found);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The position after the `super::`s, if there are exactly as many as to the root.
fn after_supers(trees: &[TokenTree], start: usize, depth: usize) -> Option<usize> {
    let (mut at, mut climbed) = (start, 0);
    while trees.get(at).is_some_and(|tree| is_word(tree, "super")) {
        at = after_path_sign(trees, at)?;
        climbed += 1;
    }
    (climbed == depth && climbed > 0).then_some(at)
}

/// The modules that the rest of a path from the root names: `store::Key`, `{app, store::Key}`, `*`.
fn read_modules(rest: &[TokenTree], found: &mut Vec<Dependency>) {
    match rest.first() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let inner = trees(group.stream());
            for part in inner.split(|tree| is_sign(tree, ',')) {
                read_modules(part, found);
            }
        }
        Some(first) => found.push(Dependency { line: first.span().start().line, module: first.to_string() }),
        None => {}
    }
}

pub(super) fn is_module_body(trees: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_word(&trees[at - 2], "mod")
}

/// The position after the `::` that follows the word at `at`.
pub(super) fn after_path_sign(trees: &[TokenTree], at: usize) -> Option<usize> {
    is_path_sign(trees, at + 1).then_some(at + 3)
}

pub(super) fn follows_path_sign(trees: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_path_sign(trees, at - 2)
}

fn is_path_sign(trees: &[TokenTree], at: usize) -> bool {
    trees.get(at..at + 2).is_some_and(|signs| signs.iter().all(|tree| is_sign(tree, ':')))
}

pub(super) fn is_sign(tree: &TokenTree, sign: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == sign)
}

pub(super) fn is_word(tree: &TokenTree, word: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == word)
}
