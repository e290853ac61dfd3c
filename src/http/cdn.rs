//! The caching headers for a CDN: how long it may cache an answer, and the tags by which it is purged. The rule: a CDN caches only what the
//! server itself may cache, and never longer than until the next scheduled post or page appears.
//!
//! Browsers cannot be purged, so they revalidate each time (`max-age=0`), and get a 304 if nothing has changed.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response, header},
};

use crate::graphql::cached::{CurrentAnswer, Tag};
use crate::model::Instant;
use crate::purge::{CdnKind, Purges};

/// The default limit of the tags of an answer, in bytes. Proxies accept header sections of 8 KiB, Fastly and Cloudflare 16 KiB of tags.
pub const TAG_BYTES_MAX: usize = 4_000;

#[derive(Debug, Clone)]
pub struct CdnSettings {
    /// How long the CDN may cache an answer.
    pub fresh_for: Duration,
    /// How long the CDN may serve a stale answer while it requests a new one.
    pub stale_for: Duration,
    /// The kind of the CDN, which determines the header of the tags; without one, answers have no tags.
    pub kind: Option<CdnKind>,
    /// The maximum length of the tags of an answer, in bytes.
    pub tag_bytes: usize,
    /// Set if the server purges the CDN.
    pub purges: Option<Purges>,
}

/// How long an answer stays the same if nothing is written, and its tags.
#[derive(Debug, Clone)]
pub(super) struct Freshness {
    until: Option<Instant>,
    tags: Option<(HeaderName, HeaderValue)>,
}

impl Freshness {
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.tags.as_ref().map_or(0, |(_, value)| value.len())
    }
}

impl CdnSettings {
    pub(super) fn freshness(&self, current: &CurrentAnswer) -> Freshness {
        let tags = self.kind.map(|kind| {
            let (name, separator) = kind.tag_header();
            (HeaderName::from_static(name), self.tags(current, separator))
        });
        Freshness { until: current.until, tags }
    }

    /// The tags of the answer, or the tags for all posts and terms if there are too many.
    fn tags(&self, current: &CurrentAnswer, separator: &str) -> HeaderValue {
        let join = |tags: Option<&[Tag]>| {
            Tag::of_answer(tags).iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
        };
        let fine = current.tags.as_deref().map(|tags| join(Some(tags))).filter(|text| text.len() <= self.tag_bytes);
        let text = fine.unwrap_or_else(|| join(None));
        HeaderValue::from_str(&text).expect("tags are letters and digits")
    }

    /// The value of `Cache-Control`; `None` if a scheduled post or page appears within a second.
    fn cache_control(&self, until: Option<Instant>, now: Instant) -> Option<HeaderValue> {
        let left = until.map(|until| seconds_between(now, until));
        let fresh = left.unwrap_or(u64::MAX).min(self.fresh_for.as_secs());
        let stale = left.map_or(u64::MAX, |left| left - fresh).min(self.stale_for.as_secs());
        let stale = if stale == 0 { String::new() } else { format!(", stale-while-revalidate={stale}") };
        let text = format!("public, max-age=0, s-maxage={fresh}{stale}");
        (fresh > 0).then(|| HeaderValue::from_str(&text).expect("digits and letters"))
    }

    /// Adds the caching headers to an answer.
    pub(super) fn apply(&self, freshness: &Freshness, now: Instant, response: &mut Response<Body>) {
        let Some(caching) = self.cache_control(freshness.until, now) else { return };
        response.headers_mut().insert(header::CACHE_CONTROL, caching);
        if let Some((name, value)) = &freshness.tags {
            response.headers_mut().insert(name, value.clone());
        }
    }
}

fn seconds_between(now: Instant, until: Instant) -> u64 {
    u64::try_from((until.ticks() - now.ticks()) / crate::model::instant::TICKS_PER_SECOND).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(tag_bytes: usize) -> CdnSettings {
        let (fresh_for, stale_for) = (Duration::from_secs(300), Duration::from_secs(60));
        CdnSettings { fresh_for, stale_for, kind: Some(CdnKind::Cloudflare), tag_bytes, purges: None }
    }

    fn at(seconds: i64) -> Instant {
        Instant::from_ticks(seconds * 10_000_000).expect("an instant")
    }

    #[test]
    fn an_answer_is_not_cached_beyond_the_next_scheduled_post() {
        let control = |until: Option<i64>| {
            settings(100).cache_control(until.map(at), at(1_000)).map(|value| value.to_str().unwrap().to_owned())
        };
        let text = |text: &str| Some(format!("public, max-age=0, {text}"));
        assert_eq!(control(None), text("s-maxage=300, stale-while-revalidate=60"));
        assert_eq!(control(Some(1_310)), text("s-maxage=300, stale-while-revalidate=10"));
        assert_eq!(control(Some(1_030)), text("s-maxage=30"));
        assert_eq!([control(Some(1_000)), control(Some(900))], [None, None]);
    }

    #[test]
    fn tags_that_are_too_long_are_replaced_by_those_of_everything() {
        let answer = CurrentAnswer { until: None, tags: Some((0..5).map(|n| Tag::new(b'p', n)).collect()) };
        let fine = settings(4_000).tags(&answer, ",");
        assert!(fine.to_str().unwrap().starts_with("tidings,p0000000000,p1000000000"), "{fine:?}");
        assert_eq!(settings(60).tags(&answer, ","), "tidings,tidings-posts,tidings-terms");
        let coarse = CurrentAnswer { tags: None, ..answer };
        assert_eq!(settings(4_000).tags(&coarse, " "), "tidings tidings-posts tidings-terms");
    }
}
