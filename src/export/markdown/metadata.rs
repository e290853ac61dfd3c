//! Decides where the front matter has the metadata of a post. The rule: a value is at the top level, as in its source file, if an import reads it there as
//! metadata; otherwise it is in the table `tidings`.

use crate::import::{ReadOutcome, read_markdown_file};
use crate::model::metadata::METADATA_DEPTH_MAX;
use crate::model::{JsonValue, Metadata};

use super::front_matter::FrontMatter;
use super::yaml;

type Fields = Vec<(String, JsonValue)>;

/// One way to write the metadata.
pub(super) struct Layout {
    top: Fields,
    own: Fields,
    /// Whether the fields of the table are JSON in a text, because YAML would change them, such as a number of many
    /// digits.
    is_json: bool,
    /// The order of all keys, if it differs from that of `top` and `own`.
    order: Option<Vec<String>>,
}

/// The ways to write the metadata, the plainest first. `kind`: `post` or `page`.
pub(super) fn layouts(kind: &'static str, metadata: Option<&Metadata>) -> impl Iterator<Item = Layout> {
    let fields = metadata.map_or_else(Vec::new, fields);
    let is_split = !fields.is_empty();
    let plain = Layout { top: fields.clone(), own: Vec::new(), is_json: false, order: None };
    let split = (0..2).filter(move |_| is_split).map(move |tries| {
        let (top, own): (Fields, Fields) = fields.iter().cloned().partition(|field| is_metadata_at_top(kind, field));
        let names = |fields: &Fields| fields.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let order = Some(names(&fields)).filter(|order| *order != [names(&top), names(&own)].concat());
        Layout { top, own, is_json: tries > 0, order }
    });
    std::iter::once(plain).chain(split)
}

impl Layout {
    pub(super) fn put_into(&self, front: &mut FrontMatter) {
        for (name, value) in &self.top {
            front.put(name, yaml::value(value));
        }
        if !self.own.is_empty() {
            let own = JsonValue::object(self.own.iter().cloned());
            front.put_own("metadata", if self.is_json { yaml::quoted(&own.to_json()) } else { yaml::value(&own) });
        }
        if let Some(order) = &self.order {
            front.put_own("keys", yaml::list(order.iter().map(String::as_str)));
        }
    }
}

fn fields(metadata: &Metadata) -> Fields {
    match JsonValue::parse(metadata.text(), METADATA_DEPTH_MAX) {
        Ok(JsonValue::Object(fields)) => fields,
        _ => Vec::new(),
    }
}

/// Whether an import reads the value at the top level only as metadata.
fn is_metadata_at_top(kind: &'static str, (name, value): &(String, JsonValue)) -> bool {
    let mut front = FrontMatter::of(kind);
    front.put("draft", true);
    front.put(name, yaml::value(value));
    let read = match read_markdown_file("file.md", front.with_body("").into_bytes()) {
        ReadOutcome::Post(post, _) => post.metadata,
        ReadOutcome::Page(page, _) => page.post.metadata,
        _ => None,
    };
    let expected = Metadata::of(&JsonValue::Object(vec![(name.clone(), value.clone())]));
    read.is_some() && read == expected.ok()
}
