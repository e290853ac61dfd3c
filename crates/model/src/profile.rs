//! The profile that the page of an author shows in addition to the biography. The rule: the profile of a category or tag is empty.

use serde::{Deserialize, Serialize};

use super::asset::AssetHash;

pub const JOB_TITLE_CHARS_MAX: usize = 200;
/// All are read with each list of authors.
pub const LINKS_MAX: usize = 10;
pub const LINK_TITLE_CHARS_MAX: usize = 100;
/// Shorter than other URLs: a transaction contains 49 authors, each twice.
pub const LINK_URL_CHARS_MAX: usize = 500;

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Profile {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar: Option<AssetHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_title: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ProfileLink>,
}

/// A page about the author, or by the author.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileLink {
    pub title: String,
    pub url: String,
}

impl Profile {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// This profile, with missing values taken from `before`.
    #[must_use]
    pub fn over(self, before: Self) -> Self {
        Self {
            avatar: self.avatar.or(before.avatar),
            job_title: self.job_title.or(before.job_title),
            links: if self.links.is_empty() { before.links } else { self.links },
        }
    }

    pub fn text_bytes(&self) -> usize {
        let links = self.links.iter().map(|link| size_of::<ProfileLink>() + link.title.len() + link.url.len());
        self.job_title.as_ref().map_or(0, String::len) + links.sum::<usize>()
    }
}
