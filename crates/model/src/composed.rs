//! Unicode's composed form (NFC, UAX #15). The rule: two spellings of one text, such as those of a file name written on Linux and on macOS, are compared in this form.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

pub fn composed(text: &str) -> Cow<'_, str> {
    match text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.nfc().collect()),
    }
}

/// The text in decomposed form (NFD), in which macOS writes file names.
pub fn decomposed(text: &str) -> String {
    text.nfd().collect()
}
