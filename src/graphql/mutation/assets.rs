//! The inputs and payloads of the mutations of pictures. The rule: the bytes of a picture never change, only its descriptions.

use async_graphql::{ID, InputObject, MaybeUndefined, SimpleObject};

use crate::content::assets::AssetChanges;
use crate::content::commands::Edited;
use crate::graphql::types::asset::Asset;
use crate::model::{self, AssetHash, NodeId};

use super::inputs::patch;
use super::user_errors::{UserErrors, user_errors};

/// Changes to what is said of a picture. An omitted field stays unchanged; null or an empty text clears it.
#[derive(InputObject)]
pub(super) struct UpdateAssetInput {
    /// The id of the picture.
    id: ID,
    /// What the picture shows, for those who do not see it: at most 1,000 characters.
    alt: MaybeUndefined<String>,
    /// A text below the picture: at most 2,000 characters.
    caption: MaybeUndefined<String>,
    /// The point that stays visible when the picture is cropped, as for `Asset.openGraphImage`. Null: the middle.
    focal_point: MaybeUndefined<FocalPointInput>,
}

/// A point of a picture, as a viewer sees it.
#[derive(InputObject)]
pub(super) struct FocalPointInput {
    /// From the left edge, in percent of the width: 0 to 100.
    x: i32,
    /// From the top edge, in percent of the height: 0 to 100.
    y: i32,
}

impl UpdateAssetInput {
    pub(super) fn into_parts(self) -> (String, AssetChanges) {
        let focal_point = patch(self.focal_point).map(|FocalPointInput { x, y }| (x, y));
        (self.id.0, AssetChanges { alt: patch(self.alt), caption: patch(self.caption), focal_point })
    }
}

/// The picture to delete.
#[derive(InputObject)]
pub(super) struct DeleteAssetInput {
    /// The id of the picture.
    pub id: ID,
}

/// The changed picture, or the errors.
#[derive(SimpleObject)]
pub(super) struct UpdateAssetPayload {
    /// The picture after the change; null if nothing was changed.
    asset: Option<Asset>,
    /// The reasons why nothing was changed, all of them; empty if the change was made.
    user_errors: UserErrors,
}

impl From<Edited<model::Asset>> for UpdateAssetPayload {
    fn from(updated: Edited<model::Asset>) -> Self {
        match updated {
            Ok(asset) => Self { asset: Some(Asset(asset)), user_errors: Vec::new() },
            Err(errors) => Self { asset: None, user_errors: user_errors(errors) },
        }
    }
}

/// The id of the deleted picture, or the errors.
#[derive(SimpleObject)]
pub(super) struct DeleteAssetPayload {
    /// The id of the deleted picture; null if none was deleted.
    deleted_id: Option<ID>,
    /// The reasons why nothing was changed, all of them; empty if the change was made.
    user_errors: UserErrors,
}

impl From<Edited<AssetHash>> for DeleteAssetPayload {
    fn from(deleted: Edited<AssetHash>) -> Self {
        match deleted {
            Ok(hash) => Self { deleted_id: Some(NodeId::Asset(hash).to_string().into()), user_errors: Vec::new() },
            Err(errors) => Self { deleted_id: None, user_errors: user_errors(errors) },
        }
    }
}
