//! Files of the site that a change names by id. The rule: the caller looks them up first; a missing one is an error at the field that names it.

use serde::Serialize;

use crate::model::{AssetHash, Enclosure};

use super::UserError;

/// A picture that a client names, as the cover of a post or the avatar of an author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct NamedPicture {
    /// The id as the client has sent it.
    pub id: String,
    /// The asset with this id, which the caller has looked up; `None` if it does not exist.
    #[serde(skip)]
    pub asset: Option<AssetHash>,
}

impl NamedPicture {
    /// `field`: the field of the input that names it.
    ///
    /// # Errors
    /// If there is no picture with the id.
    pub(crate) fn found(self, field: &'static str) -> Result<AssetHash, UserError> {
        let message =
            "there is no picture with this id (a file that is no picture is not one); add it by POST /assets first";
        self.asset.ok_or_else(|| UserError::not_found(field, message))
    }
}

impl From<String> for NamedPicture {
    /// The asset is not looked up yet.
    fn from(id: String) -> Self {
        Self { id, asset: None }
    }
}

/// An enclosure as a client names it: an asset of the site, or a file on the web.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NamedEnclosure {
    pub asset_id: Option<String>,
    pub url: Option<String>,
    pub byte_size: Option<i32>,
    pub content_type: Option<String>,
    /// The asset with the id, which the caller has looked up.
    #[serde(skip)]
    pub asset: Option<Enclosure>,
}

impl NamedEnclosure {
    const FIELD: &'static str = "enclosure";

    /// # Errors
    /// If there is no asset with the id, or the file on the web is not described.
    pub(super) fn found(self) -> Result<Enclosure, UserError> {
        match (&self.asset_id, &self.url, self.byte_size, self.content_type.as_deref()) {
            (Some(_), None, None, None) => {
                let message = "there is no file with this id; add it by POST /assets first";
                self.asset.ok_or_else(|| UserError::not_found(Self::FIELD, message))
            }
            (None, Some(url), byte_size, content_type) if !url.starts_with('/') => {
                let invalid = |reason| UserError::invalid(Self::FIELD, format!("the enclosure {reason}"));
                Enclosure::of(url, byte_size, content_type).map_err(invalid)
            }
            _ => {
                let message = "an enclosure has either an `assetId` and nothing else, or an absolute `url`";
                Err(UserError::invalid(Self::FIELD, message))
            }
        }
    }
}
