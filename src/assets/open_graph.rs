//! Crops the picture for links in messages and social networks (`og:image` of Open Graph, <https://ogp.me>). The rule: the crop is as large as the picture
//! allows, and is never enlarged.

use crate::model::FocalPoint;

/// The size that social networks recommend, 1.91 to 1: "Images in Link Shares" of Facebook, and the summary card with a large image of X.
pub(super) const OPEN_GRAPH_WIDTH: u32 = 1200;
pub(super) const OPEN_GRAPH_HEIGHT: u32 = 630;

/// The positions at which a picture can be cropped, as [`CropPlace::percent`]. There are only five, because each is a stored file; a crop is at most an eighth
/// of the cropped pixels away from the best position.
pub const CROP_PLACES: [u32; 5] = [0, 25, 50, 75, 100];

/// One of [`CROP_PLACES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CropPlace(u32);

/// A part of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

impl CropPlace {
    pub fn of(percent: u32) -> Option<Self> {
        CROP_PLACES.contains(&percent).then_some(Self(percent))
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        CROP_PLACES.into_iter().map(Self)
    }

    /// The percentage of the cropped pixels that is cut off at the left or the top; the rest is cut off at the right or
    /// the bottom.
    pub fn percent(self) -> u32 {
        self.0
    }

    /// The position that shows this point nearest to the middle; without a point, the middle of the picture.
    pub fn around(point: Option<FocalPoint>, width: u32, height: u32) -> Self {
        let (part_width, part_height) = part_size(width, height);
        let Some(point) = point else { return Self(50) };
        let (length, part, at) = if Self::crops_sides(width, height) {
            (width, part_width, point.x())
        } else {
            (height, part_height, point.y())
        };
        let left_out = i64::from(length - part);
        if left_out == 0 {
            return Self(50);
        }
        let best = (i64::from(at) * i64::from(length) - 50 * i64::from(part)) / left_out;
        let nearest = CROP_PLACES.into_iter().min_by_key(|place| (i64::from(*place) - best).abs());
        Self(nearest.unwrap_or(50))
    }

    /// Whether a picture of this size is cropped at its left and right, not at its top and bottom.
    pub(super) fn crops_sides(width: u32, height: u32) -> bool {
        part_size(width, height).0 < width
    }

    /// The mirrored position.
    pub(super) fn reversed(self) -> Self {
        Self(100 - self.0)
    }

    /// The part of a picture of this size that is shown.
    pub(super) fn part(self, width: u32, height: u32) -> Part {
        let (part_width, part_height) = part_size(width, height);
        let before = |left_out: u32| scaled(left_out, self.0, 100);
        Part {
            left: before(width - part_width),
            top: before(height - part_height),
            width: part_width,
            height: part_height,
        }
    }
}

/// The size of the picture of a link, for a picture of this size.
pub fn open_graph_size(width: u32, height: u32) -> (u32, u32) {
    let part = part_size(width, height);
    if part.0 > OPEN_GRAPH_WIDTH { (OPEN_GRAPH_WIDTH, OPEN_GRAPH_HEIGHT) } else { part }
}

/// The largest size of the proportions 1200 to 630 within the picture.
fn part_size(width: u32, height: u32) -> (u32, u32) {
    if u64::from(width) * u64::from(OPEN_GRAPH_HEIGHT) > u64::from(height) * u64::from(OPEN_GRAPH_WIDTH) {
        (scaled(height, OPEN_GRAPH_WIDTH, OPEN_GRAPH_HEIGHT).max(1), height)
    } else {
        (width, scaled(width, OPEN_GRAPH_HEIGHT, OPEN_GRAPH_WIDTH).max(1))
    }
}

/// `length` · `by` ∕ `of`, rounded down.
fn scaled(length: u32, by: u32, of: u32) -> u32 {
    u32::try_from(u64::from(length) * u64::from(by) / u64::from(of)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_has_the_shape_of_a_link_and_is_in_the_picture() {
        for (width, height) in
            [(1200, 630), (4000, 3000), (3000, 4000), (16_384, 1), (1, 16_384), (1, 1), (631, 1201), (1201, 631)]
        {
            let (to_width, to_height) = open_graph_size(width, height);
            assert!(to_width <= OPEN_GRAPH_WIDTH && to_height <= OPEN_GRAPH_HEIGHT, "{to_width} × {to_height}");
            for place in CropPlace::all() {
                let part = place.part(width, height);
                assert!(part.width >= to_width && part.height >= to_height, "{part:?}");
                assert!(part.left + part.width <= width && part.top + part.height <= height, "{part:?}");
                // The crop has the full width or height of the picture.
                assert!(part.width == width || part.height == height, "{part:?}");
            }
        }
        assert_eq!(open_graph_size(4000, 3000), (1200, 630));
        assert_eq!(open_graph_size(800, 800), (800, 420));
        assert_eq!(open_graph_size(300, 200), (300, 157));
    }

    #[test]
    fn the_focal_point_is_as_near_to_the_middle_as_it_can_be() {
        let around = |x, y, width, height| CropPlace::around(FocalPoint::of(x, y), width, height).percent();
        // Tall: 525 of 2000 rows are shown.
        for (y, expected) in [(0, 0), (13, 0), (31, 25), (50, 50), (68, 75), (90, 100), (100, 100)] {
            assert_eq!(around(99, y, 1000, 2000), expected, "{y}");
        }
        // Wide: 1904 of 4000 columns are shown.
        for (x, expected) in [(0, 0), (24, 0), (37, 25), (50, 50), (63, 75), (100, 100)] {
            assert_eq!(around(x, 1, 4000, 1000), expected, "{x}");
        }
        assert_eq!(around(0, 0, 1200, 630), 50, "nothing is left out");
        assert_eq!(CropPlace::around(None, 1000, 2000).percent(), 50);
    }
}
