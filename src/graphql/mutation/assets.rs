//! The inputs and payloads of the mutations of pictures and files. The rule: the bytes of an asset never change, only the descriptions of a picture.

use async_graphql::{ID, InputObject, MaybeUndefined};

use crate::content::assets::AssetChanges;
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::types::asset::Asset;
use crate::model;

use super::inputs::patch;
use super::user_errors::payload;

/// Changes to what is said of a picture. An omitted field is unchanged; null or an empty text clears it. For other files each value is INVALID.
#[derive(InputObject)]
pub(super) struct UpdateAssetInput {
    /// The id of the picture.
    id: ID,
    /// The current `version`; for another one, a ConflictError.
    expected_version: i32,
    /// What the picture shows, for those who do not see it: at most 1,000 characters.
    alt: MaybeUndefined<String>,
    /// A text below the picture: at most 2,000 characters.
    caption: MaybeUndefined<String>,
    /// The point that stays visible when the picture is cropped. Null: the middle.
    focal_point: MaybeUndefined<FocalPointInput>,
}

/// A point of a picture as a viewer sees it.
#[derive(InputObject)]
pub(super) struct FocalPointInput {
    /// From the left edge, in percent of the width: 0 to 100.
    x: i32,
    /// From the top edge, in percent of the height: 0 to 100.
    y: i32,
}

impl UpdateAssetInput {
    pub(super) fn into_parts(self) -> (String, i32, AssetChanges) {
        let focal_point = patch(self.focal_point).map(|FocalPointInput { x, y }| (x, y));
        (
            self.id.0,
            self.expected_version,
            AssetChanges { alt: patch(self.alt), caption: patch(self.caption), focal_point },
        )
    }
}

type AssetValue = InterfaceValue<Asset>;

payload! {
    /// The changed picture, or the errors.
    pub(super) UpdateAssetPayload(asset: model::Asset) {
        /// Null on failure.
        asset: AssetValue = InterfaceValue(Asset::of(asset))
    }
}
