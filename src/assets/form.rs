//! The forms in which a picture is served in addition to the original: other widths, and the picture for links (Open Graph). The rule: there are only a few
//! forms, because each is stored.

use super::open_graph::CropPlace;
use crate::model::asset::WIDTHS;

/// One of [`WIDTHS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width(u32);

impl Width {
    pub fn of(pixels: u32) -> Option<Self> {
        WIDTHS.contains(&pixels).then_some(Self(pixels))
    }

    pub fn pixels(self) -> u32 {
        self.0
    }
}

/// A form other than the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Width(Width),
    /// The picture for links, cropped at this place.
    OpenGraph(CropPlace),
}

impl Form {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let widths = WIDTHS.into_iter().map(|width| Self::Width(Width(width)));
        widths.chain(CropPlace::all().map(Self::OpenGraph))
    }

    /// The file name: digits for a width, a name with letters for other forms.
    pub fn name(self) -> String {
        match self {
            Self::Width(width) => width.pixels().to_string(),
            Self::OpenGraph(place) => format!("open-graph-{}", place.percent()),
        }
    }
}
