//! The targets of links of entries: other entries, and files. The rule: of an entry that is neither a post nor a page, only the fields of a category,
//! tag or author are kept.

use std::collections::HashMap;

use tidings_model::Slug;

#[derive(Debug, Default)]
pub(super) struct LinkTargets {
    pub assets: HashMap<String, ContentfulAsset>,
    pub entries: HashMap<String, LinkedEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContentfulAsset {
    pub address: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub is_picture: bool,
}

/// The kept part of an entry.
#[derive(Debug)]
pub(super) enum LinkedEntry {
    /// A post or page, with its origin.
    Content(String),
    /// Any other entry, with the id of its type.
    Other { type_id: String, details: Option<Box<TermDetails>> },
}

/// The fields of a category, tag or author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TermDetails {
    pub name: String,
    pub slug: Option<Slug>,
    pub description: Option<String>,
    pub url: Option<String>,
    pub job_title: Option<String>,
}
