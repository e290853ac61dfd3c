//! The media type of an answer. The rule: RFC 9110, "Accept", applied to the two types that "GraphQL over HTTP" defines.

use axum::http::{HeaderMap, HeaderValue, header};

/// The media type of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Media {
    /// `application/graphql-response+json`: the status shows the result of the request.
    GraphqlResponse,
    /// `application/json`: a well-formed request is answered with 200 even if it has errors, for older clients.
    Json,
}

impl Media {
    pub fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::GraphqlResponse => "application/graphql-response+json; charset=utf-8",
            Self::Json => "application/json; charset=utf-8",
        })
    }
}

/// The type that the client prefers; `None` if it accepts neither. Without the header, or if only a wildcard matches, it is
/// `application/json`, which every client reads. If both are named with the same weight, it is the newer one.
pub(super) fn negotiate(headers: &HeaderMap) -> Option<Media> {
    if !headers.contains_key(header::ACCEPT) {
        return Some(Media::Json);
    }
    match (weight_of(headers, "application/graphql-response+json"), weight_of(headers, "application/json")) {
        (None, None) => None,
        (Some((newer, _)), Some((older, _))) if newer < older => Some(Media::Json),
        (Some((newer, exactness)), Some((older, _))) if newer == older && exactness < EXACT => Some(Media::Json),
        (None, Some(_)) => Some(Media::Json),
        (Some(_), _) => Some(Media::GraphqlResponse),
    }
}

/// Whether the client prefers HTML to both types, as a browser does that opens a URL.
pub(super) fn prefers_html(headers: &HeaderMap) -> bool {
    prefers(headers, "text/html")
}

/// Whether the client prefers a stream of events to both types.
pub(super) fn prefers_events(headers: &HeaderMap) -> bool {
    prefers(headers, "text/event-stream")
}

/// Whether the client accepts a stream of events.
pub(super) fn takes_events(headers: &HeaderMap) -> bool {
    weight_of(headers, "text/event-stream").is_some_and(|(_, exactness)| exactness == EXACT)
}

fn prefers(headers: &HeaderMap, name: &str) -> bool {
    let weight = |name| weight_of(headers, name).unwrap_or_default();
    let (preferred, exactness) = weight(name);
    let ours = ["application/graphql-response+json", "application/json"].map(|name| weight(name).0);
    exactness == EXACT && ours.into_iter().all(|ours| preferred > ours)
}

/// The precision with which a range names a type: 0 for `*/*`, 1 for `application/*`, 2 for the type itself.
const EXACT: u8 = 2;

/// The weight of a type in thousandths, by the range that names it most exactly, and how exactly; `None` if it is not acceptable.
fn weight_of(headers: &HeaderMap, name: &str) -> Option<(u16, u8)> {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let matching = values.flat_map(|value| value.split(',')).filter_map(|range| match_of(range, name));
    let (exactness, weight) = matching.max()?;
    (weight > 0).then_some((weight, exactness))
}

/// The precision with which this range of the header names a type, and its weight.
fn match_of(range: &str, name: &str) -> Option<(u8, u16)> {
    let mut parts = range.split(';').map(str::trim);
    let (kind, subtype) = name.split_once('/')?;
    let exactness = match parts.next()?.split_once('/')? {
        ("*", "*") => 0,
        (given, "*") if given.eq_ignore_ascii_case(kind) => 1,
        (given, rest) if given.eq_ignore_ascii_case(kind) && rest.eq_ignore_ascii_case(subtype) => EXACT,
        _ => return None,
    };
    let mut weight = 1000;
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        match name.trim().to_ascii_lowercase().as_str() {
            "q" => weight = parse_weight(value.trim())?,
            "charset" if !is_utf8(value) => return None,
            _ => {}
        }
    }
    Some((exactness, weight))
}

/// Parses a weight in thousandths: "0.8" is 800. `None` for a number outside 0 to 1.
fn parse_weight(text: &str) -> Option<u16> {
    let weight: f32 = text.parse().ok()?;
    (0.0..=1.0).contains(&weight).then_some((weight * 1000.0).round() as u16)
}

/// Whether a `charset` parameter names UTF-8, the only supported encoding.
pub(super) fn is_utf8(charset: &str) -> bool {
    let charset = charset.trim().trim_matches('"');
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiated(accept: &str) -> Option<Media> {
        let headers = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_str(accept).expect("an ASCII header"))]);
        negotiate(&headers)
    }

    #[test]
    fn the_client_gets_the_type_that_it_prefers() {
        use Media::{GraphqlResponse, Json};
        let cases = [
            ("application/json", Some(Json)),
            ("application/graphql-response+json", Some(GraphqlResponse)),
            (
                "application/graphql-response+json; charset=utf-8, application/json; charset=utf-8",
                Some(GraphqlResponse),
            ),
            ("application/json, application/graphql-response+json", Some(GraphqlResponse)),
            ("application/json, application/graphql-response+json;q=0.9", Some(Json)),
            ("application/graphql-response+json, application/json;q=0.9", Some(GraphqlResponse)),
            ("Application/JSON", Some(Json)),
            ("*/*", Some(Json)),
            ("application/*", Some(Json)),
            ("text/html, */*;q=0.1", Some(Json)),
            ("*/*, application/graphql-response+json", Some(GraphqlResponse)),
            ("application/json;q=0, */*", Some(GraphqlResponse)),
            ("text/html", None),
            ("application/json;q=0", None),
            ("application/json; charset=utf-16", None),
            ("", None),
            ("nonsense;;q=,/", None),
        ];
        for (accept, expected) in cases {
            assert_eq!(negotiated(accept), expected, "{accept}");
        }
    }

    #[test]
    fn without_the_header_the_answer_is_json() {
        assert_eq!(negotiate(&HeaderMap::new()), Some(Media::Json));
    }
}
