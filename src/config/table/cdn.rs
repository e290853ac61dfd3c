//! The settings of a CDN in front of the server. The rule: without `cdn.seconds`, a CDN caches no answer.

use super::{number, secret, text};
use crate::http::cdn::TAG_BYTES_MAX;

/// A year, the longest time that caches accept.
const SECONDS_MAX: u64 = 31_536_000;

settings! {
    ALL:
    SECONDS = number("cdn.seconds", (0, SECONDS_MAX), || 0),
        "Seconds for which a CDN may hold the answer to a GET without a token (s-maxage). 0: every cache asks each time.";
    STALE_SECONDS = number("cdn.stale_seconds", (0, SECONDS_MAX), || 0),
        "Seconds for which it may show that answer afterwards, while it asks for a new one (stale-while-revalidate).";
    KIND = text("cdn.kind", "KIND"),
        "The form of the tags of answers, and of purges: fastly (Surrogate-Key), cloudflare (Cache-Tag) or varnish (xkey). Not set: no tags.";
    TAG_BYTES = number("cdn.tag_bytes", (100, 16_000), || TAG_BYTES_MAX as u64),
        "Bytes of the tags of an answer; an answer with more is purged by each change of a post or term.";
    PURGE_URL = text("cdn.purge_url", "URL"),
        "Where the tags of each change are sent, so that the CDN drops what shows it. Not set: the CDN is not purged.";
    PURGE_TOKEN = secret("cdn.purge_token", "TOKEN"),
        "The secret of those requests: Fastly-Key for Fastly, otherwise a bearer token.";
    PURGE_TOKEN_FILE = text("cdn.purge_token_file", "FILE"), "A file that contains only that secret.";
}
