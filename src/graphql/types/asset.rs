//! The interface `Asset` and its types `Image` and `File`. The rule: a field never reads the bytes; clients get them from the returned address.

use async_graphql::{Context, ID, Interface, Object, SimpleObject};

use crate::assets::{CropPlace, open_graph_size};
use crate::graphql::context;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::scalars::DateTime;
use crate::model::asset::{WIDTHS, srcset};
use crate::model::{self, AssetHash, ImageFacts, NodeId, Post, Role};

/// A picture or another file, added by `POST /assets?name=plan.pdf` with the file as the body (docs/assets.md). Everyone who knows its id or address can get it, also while only a draft shows it.
#[derive(Interface)]
#[expect(clippy::duplicated_attributes, reason = "two fields have the same type")]
#[graphql(
    field(name = "id", ty = "ID", desc = "Opaque, permanent, never reused."),
    field(
        name = "url",
        method = "url_as_it_is",
        ty = "String",
        desc = "Absolute if the server knows its own address (`public_url`), otherwise a path on it. Its content never changes."
    ),
    field(name = "content_type", ty = "&str", desc = "Such as `image/jpeg` or `application/pdf`."),
    field(name = "byte_size", ty = "i32", desc = "The size of the file as it is."),
    field(
        name = "original_name",
        ty = "Option<&str>",
        desc = "The name of the sent file; null if it had none, and for clients without the role AUTHOR or higher."
    ),
    field(name = "created_at", ty = "DateTime", desc = "When the file was added."),
    field(name = "version", ty = "i32", desc = "From 1; the `expectedVersion` of the next change.")
)]
pub enum Asset {
    Image(Image),
    File(File),
}

pub struct Image {
    asset: model::Asset,
    facts: ImageFacts,
}

pub struct File(model::Asset);

/// A JPEG, PNG, GIF, WebP or SVG.
#[Object]
impl Image {
    /// Opaque, permanent, never reused.
    pub async fn id(&self) -> ID {
        id(&self.asset)
    }

    /// Absolute if the server knows its own address (`public_url`), otherwise a path on it. Its content never changes.
    async fn url(
        &self,
        ctx: &Context<'_>,
        #[graphql(
            desc = "In pixels: the picture in the next wider of 160, 320, 480, 640, 960, 1280, 1600, 1920 and 2560; as it is if it is not wider, is animated, or is an SVG."
        )]
        width: Option<i32>,
    ) -> Result<String> {
        let Some(width) = width else { return Ok(url(ctx, &self.asset)) };
        let asked = u32::try_from(width).ok().filter(|width| *width > 0);
        let asked = asked.ok_or_else(|| bad_input("width", format!("`width` is {width}; it must be at least 1")))?;
        let next = WIDTHS.into_iter().find(|width| *width >= asked).filter(|width| *width < self.facts.width);
        let next = next.filter(|_| !self.is_drawing());
        Ok(match next {
            Some(width) => format!("{}?width={width}", url(ctx, &self.asset)),
            None => url(ctx, &self.asset),
        })
    }

    /// For the attribute `srcset` of an `img`: the picture in all smaller widths and as it is; of an SVG only as it is.
    async fn srcset(&self, ctx: &Context<'_>) -> String {
        srcset(&url(ctx, &self.asset), self.facts.width, !self.is_drawing())
    }

    /// In pixels, as a viewer sees the picture; of an SVG without a width, that of its `viewBox`.
    async fn width(&self) -> i32 {
        int(self.facts.width)
    }

    /// In pixels, as a viewer sees the picture; of an SVG without a height, that of its `viewBox`.
    async fn height(&self) -> i32 {
        int(self.facts.height)
    }

    /// What the picture shows, for those who do not see it.
    async fn alt(&self) -> Option<&str> {
        self.asset.alt.as_deref()
    }

    /// A text below the picture.
    async fn caption(&self) -> Option<&str> {
        self.asset.caption.as_deref()
    }

    /// The point that stays visible when the picture is cropped; null: the middle.
    async fn focal_point(&self) -> Option<FocalPoint> {
        self.asset.focal_point.map(|point| FocalPoint { x: int(point.x()), y: int(point.y()) })
    }

    /// The picture for links in messages and social networks (`og:image`): a JPEG of at most 1200 × 630 pixels, cropped to this shape around `focalPoint`. Null
    /// for an SVG.
    async fn open_graph_image(&self, ctx: &Context<'_>) -> Option<OpenGraphImage> {
        if self.is_drawing() {
            return None;
        }
        let (own_width, own_height) = (self.facts.width, self.facts.height);
        let place = CropPlace::around(self.asset.focal_point, own_width, own_height);
        let (width, height) = open_graph_size(own_width, own_height);
        Some(OpenGraphImage {
            url: format!("{}?open-graph={}", url(ctx, &self.asset), place.percent()),
            width: int(width),
            height: int(height),
            alt: self.asset.alt.clone(),
        })
    }

    /// The size of the file as it is.
    pub async fn byte_size(&self) -> i32 {
        int(self.asset.facts.byte_size)
    }

    /// Such as `image/jpeg` or `application/pdf`.
    pub async fn content_type(&self) -> &str {
        self.asset.facts.name.kind.content_type()
    }

    /// A ThumbHash in base64, to draw a blurred picture until the real one is loaded. Of an SVG it is white.
    async fn placeholder(&self) -> &str {
        &self.facts.placeholder
    }

    /// The name of the sent file; null if it had none, and for clients without the role AUTHOR or higher.
    pub async fn original_name(&self, ctx: &Context<'_>) -> Option<&str> {
        original_name(ctx, &self.asset)
    }

    /// When the file was added.
    pub async fn created_at(&self) -> DateTime {
        DateTime(self.asset.created_at)
    }

    /// From 1; the `expectedVersion` of the next change.
    pub async fn version(&self) -> i32 {
        self.asset.version
    }
}

/// A file that is no picture, such as a PDF or an episode of a podcast. It is served as it was sent, for download.
#[Object]
impl File {
    /// Opaque, permanent, never reused.
    pub async fn id(&self) -> ID {
        id(&self.0)
    }

    /// Absolute if the server knows its own address (`public_url`), otherwise a path on it. Its content never changes.
    async fn url(&self, ctx: &Context<'_>) -> String {
        url(ctx, &self.0)
    }

    /// Such as `image/jpeg` or `application/pdf`.
    pub async fn content_type(&self) -> &str {
        self.0.facts.name.kind.content_type()
    }

    /// The size of the file as it is.
    pub async fn byte_size(&self) -> i32 {
        int(self.0.facts.byte_size)
    }

    /// The name of the sent file; null if it had none, and for clients without the role AUTHOR or higher.
    pub async fn original_name(&self, ctx: &Context<'_>) -> Option<&str> {
        original_name(ctx, &self.0)
    }

    /// When the file was added.
    pub async fn created_at(&self) -> DateTime {
        DateTime(self.0.created_at)
    }

    /// From 1; the `expectedVersion` of the next change.
    pub async fn version(&self) -> i32 {
        self.0.version
    }
}

/// The point that stays visible when a picture is cropped. It has no id: it is a part of the picture. CSS: `object-position` with both numbers as percentages.
#[derive(SimpleObject)]
pub struct FocalPoint {
    /// From the left edge, in percent of the width: 0 to 100.
    x: i32,
    /// From the top edge, in percent of the height: 0 to 100.
    y: i32,
}

/// The picture for links in messages and social networks, a JPEG. It has no id: it is a part of the picture.
#[derive(SimpleObject)]
pub struct OpenGraphImage {
    /// For `og:image`: as `Image.url`. Another focal point makes it another address.
    url: String,
    /// In pixels, for `og:image:width`.
    width: i32,
    /// In pixels, for `og:image:height`.
    height: i32,
    /// For `og:image:alt`: what the picture shows.
    alt: Option<String>,
}

fn int(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}

fn id(asset: &model::Asset) -> ID {
    NodeId::Asset(asset.hash().clone()).to_string().into()
}

fn url(ctx: &Context<'_>, asset: &model::Asset) -> String {
    context::of(ctx).address(&asset.facts.name.path())
}

fn original_name<'a>(ctx: &Context<'_>, asset: &'a model::Asset) -> Option<&'a str> {
    let actor = context::of(ctx).reader.actor()?;
    asset.original_name.as_deref().filter(|_| actor.role >= Role::Author)
}

impl Asset {
    pub fn of(mut asset: model::Asset) -> Self {
        match asset.facts.image.take() {
            Some(facts) => Self::Image(Image { asset, facts }),
            None => Self::File(File(asset)),
        }
    }

    pub async fn read(ctx: &Context<'_>, id: &ID) -> Result<Option<Self>> {
        let Ok(NodeId::Asset(hash)) = id.parse() else { return Ok(None) };
        Ok(context::of(ctx).reader.asset(&hash).await?.map(Self::of))
    }
}

impl Image {
    /// The cover of a post or page; `None` if the picture was deleted.
    pub async fn cover_of(ctx: &Context<'_>, post: &Post) -> Result<Option<Self>> {
        Self::named(ctx, post.cover.as_ref()).await
    }

    /// The picture with this hash; `None` if it was deleted. All pictures of one level are read in one batch.
    pub async fn named(ctx: &Context<'_>, hash: Option<&AssetHash>) -> Result<Option<Self>> {
        let Some(hash) = hash else { return Ok(None) };
        let found = context::of(ctx).loaders.assets.load(hash.clone()).await?;
        Ok(found.and_then(|asset| match Asset::of(model::Asset::clone(&asset)) {
            Asset::Image(image) => Some(image),
            Asset::File(_) => None,
        }))
    }

    fn is_drawing(&self) -> bool {
        self.asset.facts.name.kind.is_drawing()
    }

    /// The field `url` of the interface, which has no width.
    async fn url_as_it_is(&self, ctx: &Context<'_>) -> Result<String> {
        Ok(url(ctx, &self.asset))
    }
}

impl File {
    async fn url_as_it_is(&self, ctx: &Context<'_>) -> Result<String> {
        Ok(url(ctx, &self.0))
    }
}
