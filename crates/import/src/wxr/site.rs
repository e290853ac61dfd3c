//! The site of a WordPress export: its address and its authors. The rule: an author is looked up by the login, which posts name, and imported with
//! the displayed name; a login that the site does not list is used as the name.

use std::collections::HashMap;

use tidings_model::{Slug, TimeZone};

use crate::markdown::is_picture_name;
use crate::media::Media;
use crate::{ImportedCover, Term};

#[derive(Default)]
pub(super) struct WxrSite {
    /// The address without a `/` at the end.
    pub address: String,
    /// The displayed names, by the slug of the login.
    pub authors: HashMap<Slug, String>,
    pub media: Media,
    /// The files of the site, by number.
    pub attachments: HashMap<String, Attachment>,
    pub time_zone: TimeZone,
}

/// A file of the site.
pub(super) struct Attachment {
    pub address: String,
    /// The alternative text.
    pub alt: Option<String>,
    /// The caption as HTML; empty if it has none.
    pub caption: String,
    /// The number of the post to which it was uploaded; empty or `0` without one.
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

    /// The featured image with this number. Without the picture files, or without the attachment, a post keeps its cover.
    pub(super) fn cover(&self, number: Option<&str>) -> ImportedCover {
        let Some(number) = number.filter(|_| self.media.exists()) else {
            return if self.media.exists() { ImportedCover::None } else { ImportedCover::Unknown };
        };
        self.attachments.get(number).map_or(ImportedCover::Unknown, |Attachment { address, alt, .. }| {
            ImportedCover::File { address: address.clone(), alt: alt.clone(), body_below: None }
        })
    }

    pub(super) fn author(&self, login: &str) -> Option<Term> {
        let Some(slug) = slug(login) else {
            return (!login.is_empty()).then(|| Term::named(login));
        };
        let name = self.authors.get(&slug).cloned().unwrap_or_else(|| login.to_owned());
        Some(Term { name, slug: Some(slug) })
    }
}

/// Reads a slug of WordPress, in which other scripts are percent-encoded.
pub(super) fn slug(nicename: &str) -> Option<Slug> {
    Slug::from_name(&slug_text(nicename)?)
}

/// The text of a slug, decoded; `None` if it is empty.
pub(super) fn slug_text(nicename: &str) -> Option<String> {
    let text = percent_encoding::percent_decode_str(nicename.trim()).decode_utf8_lossy().into_owned();
    (!text.is_empty()).then_some(text)
}
