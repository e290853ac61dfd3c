//! The orientation of a picture, the only Exif data that is kept. The rule: an orientation that cannot be read is the
//! usual one.

use image::metadata::Orientation;

/// The tag of the orientation in the first directory of a TIFF header ("Exchangeable image file format", section 4.6.4).
const TAG: u16 = 0x0112;

/// The number of the orientation, 2 to 8; `None` if the picture is not turned. `tiff`: the header, beginning with the byte order.
pub(super) fn of_tiff(tiff: &[u8]) -> Option<u8> {
    let orientation = Orientation::from_exif_chunk(tiff)?;
    (orientation != Orientation::NoTransforms).then(|| orientation.to_exif())
}

/// Whether width and height are exchanged.
pub(super) fn is_turned(orientation: Option<u8>) -> bool {
    orientation.is_some_and(|number| number >= 5)
}

/// A TIFF header with this orientation alone.
pub(super) fn tiff(orientation: u8) -> Vec<u8> {
    let mut written = b"MM\0*\0\0\0\x08\0\x01".to_vec();
    written.extend(TAG.to_be_bytes());
    // The entry has the type SHORT and the count 1; its value is left-aligned in four bytes. No further directory follows.
    written.extend([0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]);
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_orientation_is_read_as_it_was_written() {
        for number in 2..=8 {
            assert_eq!(of_tiff(&tiff(number)), Some(number));
        }
        assert_eq!([of_tiff(&tiff(1)), of_tiff(&tiff(9)), of_tiff(b""), of_tiff(b"II*\0")], [None; 4]);
    }
}
