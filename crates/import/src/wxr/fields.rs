//! The custom fields of an item. The rule: fields that people see are metadata; fields that begin with `_` belong to WordPress and its plugins.

use tidings_model::JsonValue;

use crate::VALUE_BYTES_MAX;

use super::element::Element;
use super::site;

/// The custom fields of the post, each as a text, or as a list if the post has it several times; and the names of those that are too long. `others`: lists
/// without a field in Tidings.
pub(super) fn metadata(item: &Element, others: Vec<(String, Vec<String>)>) -> (JsonValue, Vec<String>) {
    let of_post = item.children("wp:postmeta").map(|meta| {
        let value = meta.child("wp:meta_value").map_or_else(String::new, |value| value.text.clone());
        (meta.child_text("wp:meta_key").to_owned(), vec![value], false)
    });
    let of_post = of_post.filter(|(key, ..)| !key.is_empty() && !key.starts_with('_'));
    let others = others.into_iter().map(|(name, values)| (name, values, true));
    // The values of each field, and whether they are a list.
    let mut fields: Vec<(String, Vec<JsonValue>, bool)> = Vec::new();
    for (name, values, is_list) in of_post.chain(others) {
        let values = values.into_iter().map(JsonValue::Text);
        match fields.iter_mut().find(|(known, ..)| *known == name) {
            None => fields.push((name, values.collect(), is_list)),
            Some((_, known, are_list)) => {
                known.extend(values);
                *are_list = true;
            }
        }
    }
    let fields = fields.into_iter().map(|(name, mut values, is_list)| match values.len() {
        1 if !is_list => (name, values.remove(0)),
        _ => (name, JsonValue::List(values)),
    });
    let (kept, too_long): (Vec<_>, Vec<_>) = fields.partition(|(_, value)| value.to_json().len() <= VALUE_BYTES_MAX);
    (JsonValue::object(kept), too_long.into_iter().map(|(name, _)| name).collect())
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
