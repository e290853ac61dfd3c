//! The site of a WordPress export: its address and its authors. The rule: an author is looked up by the login, which posts name, and imported
//! with the displayed name; a login that the site does not list is its own name.

use std::collections::HashMap;

use crate::import::Term;
use crate::model::Slug;

/// The data of the site, which the export contains before its items.
#[derive(Default)]
pub(super) struct WxrSite {
    /// Without a `/` at the end.
    pub address: String,
    /// By the slug of their login.
    pub authors: HashMap<Slug, String>,
}

impl WxrSite {
    /// The author with this login, with the displayed name.
    pub(super) fn author(&self, login: &str) -> Option<Term> {
        let Some(slug) = slug(login) else {
            return (!login.is_empty()).then(|| Term::named(login));
        };
        let name = self.authors.get(&slug).cloned().unwrap_or_else(|| login.to_owned());
        Some(Term { name, slug: Some(slug) })
    }
}

/// A slug as WordPress writes it, with other scripts percent-encoded.
pub(super) fn slug(nicename: &str) -> Option<Slug> {
    Slug::from_name(&slug_text(nicename)?)
}

/// The text of a slug, decoded; `None` if it is empty.
pub(super) fn slug_text(nicename: &str) -> Option<String> {
    let text = percent_encoding::percent_decode_str(nicename.trim()).decode_utf8_lossy().into_owned();
    (!text.is_empty()).then_some(text)
}
