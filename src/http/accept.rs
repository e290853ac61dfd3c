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
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let ranges: Vec<Range> = values.flat_map(|value| value.split(',')).filter_map(Range::parse).collect();
    let newer = best_match(&ranges, "graphql-response+json");
    let older = best_match(&ranges, "json");
    match (newer, older) {
        (None, None) => None,
        (Some(_), None) => Some(Media::GraphqlResponse),
        (None, Some(_)) => Some(Media::Json),
        (Some(newer), Some(older)) => {
            let takes_newer = newer.weight > older.weight || (newer.weight == older.weight && newer.exactness == EXACT);
            Some(if takes_newer { Media::GraphqlResponse } else { Media::Json })
        }
    }
}

/// Whether the client prefers HTML to both types, as a browser does that opens a URL.
pub(super) fn prefers_html(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let items: Vec<&str> = values.flat_map(|value| value.split(',')).collect();
    let html = items.iter().filter_map(|item| weight_of_html(item)).max().unwrap_or_default();
    let ranges: Vec<Range> = items.iter().filter_map(|item| Range::parse(item)).collect();
    let ours =
        ["graphql-response+json", "json"].map(|subtype| best_match(&ranges, subtype).map_or(0, |range| range.weight));
    html > ours.into_iter().max().unwrap_or_default()
}

/// The weight of `text/html`; `None` if the item names another type.
fn weight_of_html(item: &str) -> Option<u16> {
    let (name, parameters) = item.split_once(';').unwrap_or((item, ""));
    let quality = parameters.split(';').find_map(|part| part.trim().strip_prefix("q="));
    name.trim().eq_ignore_ascii_case("text/html").then(|| quality.map_or(Some(1000), parse_weight))?
}

/// How exactly a range names a type: 0 for `*/*`, 1 for `application/*`, 2 for the type itself.
const EXACT: u8 = 2;

/// An item of the Accept header that may match one of our types.
struct Range<'a> {
    /// The part after `application/`; `*` for all subtypes.
    subtype: &'a str,
    exactness: u8,
    /// The quality value in thousandths.
    weight: u16,
}

impl<'a> Range<'a> {
    fn parse(item: &'a str) -> Option<Self> {
        let mut parts = item.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let exactness = match (kind, subtype) {
            ("*", "*") => 0,
            ("*", _) => return None,
            (_, "*") => 1,
            _ => EXACT,
        };
        let is_ours = kind == "*" || kind.eq_ignore_ascii_case("application");
        let mut weight = 1000;
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match name.trim().to_ascii_lowercase().as_str() {
                "q" => weight = parse_weight(value.trim())?,
                "charset" if !is_utf8(value) => return None,
                _ => {}
            }
        }
        is_ours.then_some(Self { subtype, exactness, weight })
    }

    fn covers(&self, subtype: &str) -> bool {
        self.exactness < EXACT || self.subtype.eq_ignore_ascii_case(subtype)
    }
}

/// The most exact range decides for a type; with weight 0 the type is not acceptable.
fn best_match<'a>(ranges: &'a [Range<'a>], subtype: &str) -> Option<&'a Range<'a>> {
    let covering = ranges.iter().filter(|range| range.covers(subtype));
    covering.max_by_key(|range| (range.exactness, range.weight)).filter(|range| range.weight > 0)
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
