//! Pictures and files that clients add, outside GraphQL documents. The rule: the role of the client is checked before its file is received, and again when the
//! asset is added.

use async_graphql::ServerError;

use crate::assets::ReadyAsset;
use crate::content::assets::{AssetEditor, NewAsset};
use crate::content::{Content, ContentError, Reader};
use crate::model::site::SiteUrl;
use crate::model::{Actor, Asset, NodeId, Role};

use super::access::failed;
use super::error::{Code, coded};

/// The storage requests of an addition: the existing asset, the step row, and the rows of the asset.
pub(super) const REQUESTS: u64 = 5;

/// A picture or file with its description by the client.
#[derive(Debug, Clone)]
pub struct Upload {
    pub ready: ReadyAsset,
    pub name: Option<String>,
    pub alt: Option<String>,
}

/// The asset of an added file.
#[derive(Debug, Clone)]
pub struct Uploaded {
    /// The node id.
    pub id: String,
    /// The address, like in the field `url`.
    pub url: String,
    pub asset: Asset,
    /// Whether the asset is new to the site.
    pub is_new: bool,
}

/// # Errors
/// UNAUTHENTICATED without a token, FORBIDDEN for a read-only token.
pub(super) fn check(actor: Option<&Actor>) -> Result<&Actor, ServerError> {
    match actor {
        None => {
            let message = "a file needs the header `Authorization: Bearer` with a token of the role author";
            Err(coded(Code::Unauthenticated, message, None))
        }
        Some(actor) if actor.role < Role::Author => {
            let what = "the role of your token is too low";
            Err(failed(ContentError::Forbidden { needed: Role::Author, what }))
        }
        Some(actor) => Ok(actor),
    }
}

pub(super) async fn add(
    content: &Content,
    reader: &Reader,
    upload: Upload,
    server: Option<&SiteUrl>,
) -> Result<Uploaded, ServerError> {
    let editor = AssetEditor::new(content, reader, check(reader.actor())?).map_err(failed)?;
    let Upload { ready, name, alt } = upload;
    match editor.add(NewAsset { name, alt, ..NewAsset::of(ready) }).await.map_err(failed)? {
        Ok(added) => {
            let id = NodeId::Asset(added.asset.hash().clone()).to_string();
            let url = SiteUrl::address(server, &added.asset.facts.name.path());
            Ok(Uploaded { id, url, asset: added.asset, is_new: added.is_new })
        }
        Err(errors) => {
            let messages: Vec<String> = errors.into_iter().map(|error| error.message).collect();
            Err(coded(Code::BadUserInput, messages.join("; "), None))
        }
    }
}
