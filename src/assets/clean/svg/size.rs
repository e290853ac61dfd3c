//! The width and the height of a drawing, as a browser shows it alone. The rule: a length in pixels or in units of print counts; otherwise the
//! proportions of `viewBox` decide.

use crate::assets::{PIXELS_MAX, SIDE_MAX};

/// The size of a drawing without a size and proportions (CSS 2.2, section 10.3.2).
const DEFAULT: (f64, f64) = (300.0, 150.0);

pub(super) fn of(width: Option<&str>, height: Option<&str>, view_box: Option<&str>) -> (u32, u32) {
    let seen = view_box.and_then(view_box_size);
    let (width, height) = match (width.and_then(length), height.and_then(length), seen) {
        (Some(width), Some(height), _) => (width, height),
        (Some(width), None, Some((w, h))) => (width, width * h / w),
        (None, Some(height), Some((w, h))) => (height * w / h, height),
        (None, None, Some(seen)) => fitted(seen),
        (width, height, None) => (width.unwrap_or(DEFAULT.0), height.unwrap_or(DEFAULT.1)),
    };
    (pixels(width), pixels(height))
}

/// A `viewBox` has no unit, so only its proportions matter.
fn fitted((width, height): (f64, f64)) -> (f64, f64) {
    let by_side = f64::from(SIDE_MAX) / width.max(height);
    let by_area = (PIXELS_MAX as f64 / (width * height)).sqrt() * 0.999;
    let scale = by_side.min(by_area).min(1.0);
    (width * scale, height * scale)
}

/// An absolute length in pixels; `None` for a percentage and for lengths that depend on a font.
fn length(text: &str) -> Option<f64> {
    let text = text.trim();
    let unit = text.len() - text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).len();
    let (number, unit) = text.split_at(text.len() - unit);
    let pixels = match unit.to_ascii_lowercase().as_str() {
        "" | "px" => 1.0,
        "pt" => 4.0 / 3.0,
        "pc" => 16.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 9.6 / 2.54,
        "q" => 2.4 / 2.54,
        _ => return None,
    };
    positive(number).map(|number| number * pixels)
}

fn view_box_size(text: &str) -> Option<(f64, f64)> {
    let mut numbers = text.split([' ', ',']).filter(|number| !number.is_empty()).skip(2);
    let size = (positive(numbers.next()?)?, positive(numbers.next()?)?);
    numbers.next().is_none().then_some(size)
}

fn positive(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0)
}

/// At least one pixel, because a picture without pixels has no proportions.
fn pixels(length: f64) -> u32 {
    length.round().clamp(1.0, f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_a_browser() {
        for (width, height, view_box, expected) in [
            (Some("40"), Some("30"), Some("0 0 1 1"), (40, 30)),
            (Some("40px"), Some("30.4PX"), None, (40, 30)),
            (Some("1in"), Some("72pt"), None, (96, 96)),
            (Some("2.54cm"), Some("25.4mm"), None, (96, 96)),
            (Some("6pc"), Some("101.6q"), None, (96, 96)),
            (Some("100%"), Some("100%"), Some("0 0 64 32"), (64, 32)),
            (Some("128"), Some("auto"), Some("0,0,64,32"), (128, 64)),
            (None, Some("64"), Some("-8 -8 64 32"), (128, 64)),
            (Some("5em"), None, None, (300, 150)),
            (Some("0"), Some("-1"), None, (300, 150)),
            (Some("nan"), Some("infinity"), Some("0 0 inf 1"), (300, 150)),
            (Some("20000"), Some("1e300"), None, (20_000, u32::MAX)),
            (None, None, Some("0 0 0.2 0.1"), (1, 1)),
            (None, None, Some("0 0 32768 16384"), (7_064, 3_532)),
            (None, None, Some("0 0 1e300 1e-300"), (16_384, 1)),
            (None, None, Some("0 0 5"), (300, 150)),
            (None, None, Some("0 0 5 5 5"), (300, 150)),
        ] {
            assert_eq!(of(width, height, view_box), expected, "{width:?} {height:?} {view_box:?}");
        }
    }
}
