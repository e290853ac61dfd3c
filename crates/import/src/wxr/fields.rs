//! The custom fields of an item. The rule: fields that people see are metadata; fields that begin with `_` belong to WordPress and its plugins.

use tidings_model::JsonValue;

use super::element::Element;
use super::site;

/// The custom fields of the post, each as a text, or as a list if the post has it several times. `others`: lists without a field in Tidings.
pub(super) fn metadata(item: &Element, others: Vec<(String, Vec<String>)>) -> JsonValue {
    let mut fields: Vec<(String, JsonValue)> = Vec::new();
    for meta in item.children("wp:postmeta") {
        let (key, value) = (meta.child_text("wp:meta_key"), meta.child("wp:meta_value"));
        if key.is_empty() || key.starts_with('_') {
            continue;
        }
        let value = JsonValue::Text(value.map_or_else(String::new, |value| value.text.clone()));
        match fields.iter_mut().find(|(known, _)| known == key) {
            None => fields.push((key.to_owned(), value)),
            Some((_, known)) => *known = joined(known, [value]),
        }
    }
    for (name, values) in others {
        let values = values.into_iter().map(JsonValue::Text);
        match fields.iter_mut().find(|(known, _)| *known == name) {
            None => fields.push((name, JsonValue::List(values.collect()))),
            Some((_, known)) => *known = joined(known, values),
        }
    }
    JsonValue::object(fields)
}

fn joined(first: &mut JsonValue, more: impl IntoIterator<Item = JsonValue>) -> JsonValue {
    let first = match std::mem::replace(first, JsonValue::Null) {
        JsonValue::List(values) => values,
        value => vec![value],
    };
    JsonValue::List(first.into_iter().chain(more).collect())
}

/// The value of a field of WordPress itself or of a plugin.
pub(super) fn field<'a>(item: &'a Element, key: &str) -> Option<&'a str> {
    let mut fields = item.children("wp:postmeta").filter(|meta| meta.child_text("wp:meta_key") == key);
    fields.next().map(|meta| meta.child_text("wp:meta_value")).filter(|value| !value.is_empty())
}

/// The former slugs of the post, which WordPress stores in its custom fields.
pub(super) fn old_slugs(item: &Element) -> Vec<String> {
    let slugs = item.children("wp:postmeta").filter(|meta| meta.child_text("wp:meta_key") == "_wp_old_slug");
    slugs.filter_map(|meta| site::slug_text(meta.child_text("wp:meta_value"))).collect()
}
