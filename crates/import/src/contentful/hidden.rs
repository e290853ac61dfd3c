//! The fields with which people hide an entry that Contentful has published. The rule: a web site that reads them did not show the entry to everyone,
//! so it becomes a draft with a note.

use serde_json::Value;

use crate::words::has_word;

use super::content_type::ContentField;

/// Fields that hide an entry if they are true, in lower case with only letters and digits.
const HIDING: &str = "\
    archived draft gated hidden hide isarchived isdraft ishidden ispaid ispremium isprivate membersonly paid paywall \
    premium private subscribersonly unlisted";
/// Fields that hide an entry if they are false.
const SHOWING: &str = "ispublic ispublished isvisible public published visible";
/// Fields that name the readers, and the values that mean everyone, as no value does.
const READERS: &str = "access accesslevel status visibility";
const EVERYONE: &str = "active all everybody everyone free live open public published visible";

/// Why the entry may not have been visible to everyone. `value`: returns the value of a field by its id.
pub(super) fn why<'v>(fields: &[ContentField], value: impl Fn(&str) -> Option<&'v Value>) -> Option<String> {
    fields.iter().find_map(|field| {
        let is_one_of = |names: &str| has_word(names, &field.name);
        let value = value(&field.id)?;
        let hides = match value {
            Value::Bool(true) => is_one_of(HIDING),
            Value::Bool(false) => is_one_of(SHOWING),
            Value::String(text) => {
                let readers = text.trim().to_ascii_lowercase();
                is_one_of(READERS) && !readers.is_empty() && !has_word(EVERYONE, &readers)
            }
            _ => false,
        };
        let shown: String = value.to_string().chars().take(40).collect();
        hides.then(|| {
            format!(
                "has the field {} with the value {shown}, so perhaps not everyone saw it: it is imported as a draft",
                field.id
            )
        })
    })
}
