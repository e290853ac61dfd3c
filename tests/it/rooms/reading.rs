//! What a Rust file reaches into, read from its tokens: comments and strings are none, and a path counts wherever it stands.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path that leads from the crate's root into a room.
#[derive(Debug, PartialEq, Eq)]
pub struct Arrow {
    pub line: usize,
    pub room: String,
}

/// Every arrow of a file whose module is `module`. Paths by `crate`, by the crate's name, and by as many `super` as lead to the root.
pub fn arrows(module: &[&str], text: &str) -> Vec<Arrow> {
    let mut found = Vec::new();
    read_arrows(&trees(tokens(text)), module.len(), &mut found);
    found
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

/// `depth`: how many `super` lead to the crate's root.
fn read_arrows(trees: &[TokenTree], depth: usize, found: &mut Vec<Arrow>) {
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => {
                let depth = depth + usize::from(is_module_body(trees, at));
                read_arrows(&self::trees(group.stream()), depth, found);
            }
            TokenTree::Ident(word) => {
                let rest = match word.to_string().as_str() {
                    "crate" | "tidings" => after_path_sign(trees, at),
                    // Behind `self::` or another `super::` it is counted from there.
                    "super" if !follows_path_sign(trees, at) => after_supers(trees, at, depth),
                    "self" => after_path_sign(trees, at).and_then(|next| after_supers(trees, next, depth)),
                    _ => None,
                };
                if let Some(rest) = rest {
                    read_rooms(&trees[rest..], found);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Behind exactly as many `super::` as lead to the root.
fn after_supers(trees: &[TokenTree], start: usize, depth: usize) -> Option<usize> {
    let (mut at, mut climbed) = (start, 0);
    while trees.get(at).is_some_and(|tree| is_word(tree, "super")) {
        at = after_path_sign(trees, at)?;
        climbed += 1;
    }
    (climbed == depth && climbed > 0).then_some(at)
}

/// The rooms that a path names once it stands at the root: `store::Key`, `{app, store::Key}`, `*`.
fn read_rooms(rest: &[TokenTree], found: &mut Vec<Arrow>) {
    match rest.first() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            let inner = trees(group.stream());
            for part in inner.split(|tree| is_sign(tree, ',')) {
                read_rooms(part, found);
            }
        }
        Some(first) => found.push(Arrow { line: first.span().start().line, room: first.to_string() }),
        None => {}
    }
}

fn is_module_body(trees: &[TokenTree], at: usize) -> bool {
    at >= 2 && is_word(&trees[at - 2], "mod")
}

/// Behind the `::` that follows the word at `at`.
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
