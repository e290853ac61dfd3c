//! The site of a WordPress export: its address and its authors. The rule: an author is looked up by the login, which posts name, and imported
//! with the displayed name; a login that the site does not list is its own name.

use std::collections::HashMap;

use tidings_model::{Slug, TimeZone};

use crate::markdown::is_picture_name;
use crate::media::Media;
use crate::{ImportedCover, Term};

/// The data of the site, which the export contains before its items.
#[derive(Default)]
pub(super) struct WxrSite {
    /// Without a `/` at the end.
    pub address: String,
    /// By the slug of their login.
    pub authors: HashMap<Slug, String>,
    pub media: Media,
    /// The files of the site, by their numbers.
    pub attachments: HashMap<String, Attachment>,
    pub time_zone: TimeZone,
}

/// A file of the site.
pub(super) struct Attachment {
    pub address: String,
    /// What it shows.
    pub alt: Option<String>,
    /// As HTML; empty if it has none.
    pub caption: String,
    /// The number of the post to which it was uploaded; empty or `0` if it was to none.
    pub parent: String,
    pub order: i32,
}

impl Attachment {
    pub(super) fn is_picture(&self) -> bool {
        is_picture_name(&self.address)
    }
}

impl WxrSite {
    pub(super) fn set_address(&mut self, address: String) {
        self.media.set_site(&address);
        self.address = address;
    }

    /// The featured image with this number. Without the files of the pictures, or without the attachment, a post keeps the cover that it has.
    pub(super) fn cover(&self, number: Option<&str>) -> ImportedCover {
        let Some(number) = number.filter(|_| self.media.exists()) else {
            return if self.media.exists() { ImportedCover::None } else { ImportedCover::Unknown };
        };
        self.attachments.get(number).map_or(ImportedCover::Unknown, |Attachment { address, alt, .. }| {
            ImportedCover::File { address: address.clone(), alt: alt.clone(), body_below: None }
        })
    }

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
