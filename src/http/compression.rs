//! Answers in fewer bytes. The rule: in what the client takes (`Accept-Encoding`, RFC 9110), and only what grows no larger by it.
//!
//! Nothing that is compressed here mixes a secret with a text of somebody else's choosing: a token travels in a header, so that another site's
//! page cannot make a browser send one, and lengths tell it nothing (the attack called BREACH).

use tower_http::{
    CompressionLevel,
    compression::{
        CompressionLayer,
        predicate::{NotForContentType, Predicate, SizeAbove},
    },
};

/// Below this an answer fits into one packet as it is.
const BYTES_MIN: u16 = 1024;

/// For each of the three formats close to its fastest: an answer is made for each request, and waited for.
const LEVEL: i32 = 4;

pub fn layer() -> CompressionLayer<impl Predicate> {
    let predicate = SizeAbove::new(BYTES_MIN).and(NotForContentType::IMAGES);
    CompressionLayer::new().quality(CompressionLevel::Precise(LEVEL)).compress_when(predicate)
}
