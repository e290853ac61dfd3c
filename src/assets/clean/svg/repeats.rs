//! Counts the elements that a browser lays out; an element that `use`, a pattern, a mask or a marker repeats counts each time. The rule: the number is bounded,
//! because ten elements that each repeat the one before ten times are ten billion, and no part contains itself.
//!
//! References in a style sheet do not count, because their elements are unknown here. A reference that many elements inherit counts once.

use std::collections::HashMap;

use super::names::{self, Value};
use super::unsupported;
use crate::assets::error::BadPicture;

/// A map of 20,000 places, each with a marker of some lines, has fewer.
const LAID_OUT_MAX: u64 = 1_000_000;
const WITH_PARTS: [&str; 4] = ["use", "pattern", "linearGradient", "radialGradient"];

/// The root or an element with an id, without its descendants that are parts themselves.
#[derive(Default)]
struct Part {
    elements: u64,
    contains: Vec<usize>,
    /// The ids to which its elements refer.
    names: Vec<String>,
}

#[derive(Default)]
pub(super) struct Repeats {
    parts: Vec<Part>,
    by_id: HashMap<String, usize>,
    /// The part of each open element.
    open: Vec<usize>,
}

impl Repeats {
    pub(super) fn open(&mut self, element: &str, attributes: &[(&'static str, String)]) {
        let id = attributes.iter().find(|(name, _)| *name == "id").map(|(_, id)| id);
        let part = match (id, self.open.last()) {
            (None, Some(part)) => *part,
            (_, parent) => {
                let part = self.parts.len();
                if let Some(parent) = parent {
                    self.parts[*parent].contains.push(part);
                }
                self.parts.push(Part::default());
                self.by_id.entry(id.cloned().unwrap_or_default()).or_insert(part);
                part
            }
        };
        self.open.push(part);
        self.parts[part].elements += 1;
        let named = attributes.iter().flat_map(|(name, value)| names_in(element, name, value));
        self.parts[part].names.extend(named.map(str::to_owned));
    }

    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// # Errors
    /// If too many elements are laid out.
    pub(super) fn check(&self) -> Result<(), BadPicture> {
        match self.laid_out() {
            None => Err(unsupported("a part that contains itself")),
            Some(elements) if elements > LAID_OUT_MAX => Err(unsupported("parts that are repeated too often")),
            Some(_) => Ok(()),
        }
    }

    /// The number of elements that the root lays out, computed from the parts that contain no others. `None` if a part contains itself.
    fn laid_out(&self) -> Option<u64> {
        let mut within: Vec<Vec<usize>> = vec![Vec::new(); self.parts.len()];
        let mut waits = vec![0_usize; self.parts.len()];
        for (at, part) in self.parts.iter().enumerate() {
            let named = part.names.iter().filter_map(|name| self.by_id.get(name));
            for inner in part.contains.iter().chain(named) {
                within[*inner].push(at);
                waits[at] += 1;
            }
        }
        let mut elements: Vec<u64> = self.parts.iter().map(|part| part.elements).collect();
        let mut ready: Vec<usize> = (0..waits.len()).filter(|at| waits[*at] == 0).collect();
        let mut known = 0;
        while let Some(inner) = ready.pop() {
            known += 1;
            for outer in &within[inner] {
                elements[*outer] = elements[*outer].saturating_add(elements[inner]);
                waits[*outer] -= 1;
                ready.extend((waits[*outer] == 0).then_some(*outer));
            }
        }
        elements.first().copied().filter(|_| known == elements.len())
    }
}

/// The ids to which the value of an attribute refers. Only values that `css` has checked contain `url()`, so each one is closed before the next.
fn names_in<'a>(element: &str, name: &str, value: &'a str) -> impl Iterator<Item = &'a str> {
    let is_checked = matches!(names::attribute(name), Some((_, Value::Drawn | Value::Declarations)));
    let linked = value.strip_prefix('#').filter(|_| name == "href" && WITH_PARTS.contains(&element));
    let of_url = |rest: &'a str| rest.split(')').next()?.trim_matches([' ', '"', '\'']).strip_prefix('#');
    let is_url = |before: &str| {
        before.len() >= 3
            && before.is_char_boundary(before.len() - 3)
            && before[before.len() - 3..].eq_ignore_ascii_case("url")
    };
    let urls = Some(value)
        .filter(|_| is_checked)
        .into_iter()
        .flat_map(|value| value.match_indices('('))
        .filter(move |(at, _)| is_url(&value[..*at]))
        .filter_map(move |(at, _)| of_url(&value[at + 1..]));
    linked.into_iter().chain(urls)
}
