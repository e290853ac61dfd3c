//! The type `Asset`: a picture. The rule: a field never reads the bytes; clients get them from the returned address.

use async_graphql::{Context, ID, Object, SimpleObject};

use crate::assets::{CropPlace, WIDTHS, open_graph_size};
use crate::graphql::context;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::scalars::DateTime;
use crate::model::{self, AssetHash, NodeId, Post, Role};

/// A picture of the site: a JPEG, PNG, GIF, WebP or SVG.
pub struct Asset(pub model::Asset);

/// A picture of the site: a JPEG, PNG, GIF, WebP or SVG. It is added by `POST /assets` with the file as the body. Everyone who knows its id or its address can
/// see it, also while only a draft shows it.
#[Object]
impl Asset {
    /// An opaque id that never changes and is never given to another object.
    pub async fn id(&self) -> ID {
        NodeId::Asset(self.0.hash().clone()).to_string().into()
    }

    /// The path of the picture on this server. Its content never changes.
    async fn url(
        &self,
        #[graphql(
            desc = "A picture about as wide as this, in pixels: the next of the widths 160, 320, 480, 640, 960, 1280, 1600, 1920 and 2560. The picture as it is if \
                    it is not wider, is animated, or is an SVG."
        )]
        width: Option<i32>,
    ) -> Result<String> {
        let Some(width) = width else { return Ok(self.path()) };
        let asked = u32::try_from(width).ok().filter(|width| *width > 0);
        let asked = asked.ok_or_else(|| bad_input("width", format!("`width` is {width}; it must be at least 1")))?;
        let next = WIDTHS.into_iter().find(|width| *width >= asked).filter(|width| *width < self.0.facts.width);
        let next = next.filter(|_| !self.is_drawing());
        Ok(next.map_or_else(|| self.path(), |width| self.path_of(width)))
    }

    /// The value of the attribute `srcset` of an `img`: the picture in all widths that are smaller than its own, and as it is. Of an SVG, only as it is.
    async fn srcset(&self) -> String {
        let own = self.0.facts.width;
        let smaller = WIDTHS.into_iter().filter(|width| *width < own && !self.is_drawing());
        let mut listed: Vec<String> = smaller.map(|width| format!("{} {width}w", self.path_of(width))).collect();
        listed.push(format!("{} {own}w", self.path()));
        listed.join(", ")
    }

    /// The width in pixels, as a viewer sees the picture. Of an SVG without one, that of its `viewBox`.
    async fn width(&self) -> i32 {
        pixels(self.0.facts.width)
    }

    /// The height in pixels, as a viewer sees the picture. Of an SVG without one, that of its `viewBox`.
    async fn height(&self) -> i32 {
        pixels(self.0.facts.height)
    }

    /// What the picture shows, for those who do not see it; null if nobody has said it.
    async fn alt(&self) -> Option<&str> {
        self.0.alt.as_deref()
    }

    /// A text below the picture; null if nobody has written one.
    async fn caption(&self) -> Option<&str> {
        self.0.caption.as_deref()
    }

    /// The point that stays visible when the picture is cropped; null if nobody has set it.
    async fn focal_point(&self) -> Option<FocalPoint> {
        self.0.focal_point.map(|point| FocalPoint { x: percent(point.x()), y: percent(point.y()) })
    }

    /// The picture for a link to a page in messages and social networks (`og:image` of Open Graph): a JPEG of at most 1200 × 630 pixels, of this shape, cropped
    /// around `focalPoint`. What is transparent is white in it; of an animation it is the first picture. It is never larger than the picture itself. Null for
    /// an SVG.
    async fn open_graph_image(&self) -> Option<OpenGraphImage> {
        if self.is_drawing() {
            return None;
        }
        let (own_width, own_height) = (self.0.facts.width, self.0.facts.height);
        let place = CropPlace::around(self.0.focal_point, own_width, own_height);
        let (width, height) = open_graph_size(own_width, own_height);
        Some(OpenGraphImage {
            url: format!("{}?open-graph={}", self.path(), place.percent()),
            width: pixels(width),
            height: pixels(height),
            alt: self.0.alt.clone(),
        })
    }

    /// The bytes of the picture as it is.
    async fn byte_size(&self) -> i32 {
        i32::try_from(self.0.facts.byte_size).unwrap_or(i32::MAX)
    }

    /// The media type: `image/jpeg`, `image/png`, `image/gif`, `image/webp` or `image/svg+xml`.
    async fn content_type(&self) -> &str {
        self.0.facts.name.format.content_type()
    }

    /// A ThumbHash in base64: some 25 bytes, from which a client draws a blurred picture until the real one is loaded. Of an SVG it is white.
    async fn placeholder(&self) -> &str {
        &self.0.facts.placeholder
    }

    /// The name of the file that was sent; null for clients without the role AUTHOR or higher, and if none was sent.
    async fn original_name(&self, ctx: &Context<'_>) -> Option<&str> {
        let actor = context::of(ctx).reader.actor()?;
        self.0.original_name.as_deref().filter(|_| actor.role >= Role::Author)
    }

    /// When the picture was added.
    async fn created_at(&self) -> DateTime {
        DateTime(self.0.created_at)
    }
}

/// The point of a picture that stays visible when the picture is cropped, as a viewer sees it. It has no id of its own: it is a part of its parent. In CSS,
/// `object-position` takes both numbers as percentages.
#[derive(SimpleObject)]
pub struct FocalPoint {
    /// From the left edge, in percent of the width: 0 to 100.
    x: i32,
    /// From the top edge, in percent of the height: 0 to 100.
    y: i32,
}

/// The picture for a link to a page in messages and social networks: a JPEG. It has no id of its own: it is a part of its parent.
#[derive(SimpleObject)]
pub struct OpenGraphImage {
    /// The path of the picture on this server, for `og:image`, which is an absolute address. Its content never changes; another focal point makes it another
    /// path.
    url: String,
    /// The width in pixels, for `og:image:width`.
    width: i32,
    /// The height in pixels, for `og:image:height`.
    height: i32,
    /// What the picture shows, for `og:image:alt`; null if nobody has said it.
    alt: Option<String>,
}

fn percent(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(100)
}

fn pixels(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

impl Asset {
    pub async fn read(ctx: &Context<'_>, id: &ID) -> Result<Option<Self>> {
        let Ok(NodeId::Asset(hash)) = id.parse() else { return Ok(None) };
        Ok(context::of(ctx).reader.asset(&hash).await?.map(Self))
    }

    /// The cover of a post or page; `None` if the picture was deleted.
    pub async fn cover_of(ctx: &Context<'_>, post: &Post) -> Result<Option<Self>> {
        Self::named(ctx, post.cover.as_ref()).await
    }

    /// The picture with this hash; `None` if it was deleted. All pictures of one level are read in one batch.
    pub async fn named(ctx: &Context<'_>, hash: Option<&AssetHash>) -> Result<Option<Self>> {
        let Some(hash) = hash else { return Ok(None) };
        Ok(context::of(ctx).loaders.asset(hash).await?.map(|asset| Self(model::Asset::clone(&asset))))
    }

    fn is_drawing(&self) -> bool {
        self.0.facts.name.format.is_drawing()
    }

    fn path(&self) -> String {
        self.0.facts.name.path()
    }

    fn path_of(&self, width: u32) -> String {
        format!("{}?width={width}", self.path())
    }
}
