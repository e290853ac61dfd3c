//! The list of pictures and files. The rule: only clients with a writing role have access to it, because it also contains those of drafts.

use async_graphql::{Context, Object, SimpleObject};

use crate::content::assets::cursor;
use crate::content::read::pages::Page;
use crate::graphql::access;
use crate::graphql::connection::PageInfo;
use crate::graphql::context;
use crate::graphql::engine::interface_value::InterfaceValue;
use crate::graphql::failure::Result;
use crate::model::{self, Role};

use super::asset::Asset;

pub struct AssetConnection(pub Page<model::Asset>);

impl AssetConnection {
    pub async fn read(ctx: &Context<'_>, first: Option<i32>, after: Option<&str>) -> Result<Self> {
        access::require(ctx, Role::Author)?;
        Ok(Self(context::of(ctx).reader.assets(first, after).await?))
    }
}

/// An item and its cursor.
#[derive(SimpleObject)]
pub struct AssetEdge {
    /// An opaque cursor for `after`.
    cursor: String,
    /// The item.
    node: InterfaceValue<Asset>,
}

/// A page of pictures and files, newest first.
#[Object]
impl AssetConnection {
    /// Each item with its cursor.
    async fn edges(&self) -> Vec<AssetEdge> {
        let edge = |asset: &model::Asset| AssetEdge { cursor: cursor(asset), node: node_of(asset) };
        self.0.items.iter().map(edge).collect()
    }

    /// The items.
    async fn nodes(&self) -> Vec<InterfaceValue<Asset>> {
        self.0.items.iter().map(node_of).collect()
    }

    /// The position of this page in the list.
    async fn page_info(&self) -> PageInfo {
        PageInfo::of(&self.0, cursor)
    }
}

fn node_of(asset: &model::Asset) -> InterfaceValue<Asset> {
    InterfaceValue(Asset::of(asset.clone()))
}
