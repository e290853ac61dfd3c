//! Entries that Contentful has published, and that the fields of a site hide.

use serde_json::{Value, json};

use crate::support::folder::{folder, import};
use crate::support::site::Site;

use super::pictures::notes;

/// An export of posts with one more field, of this type and with these values.
fn export(name: &str, kind: &str, values: &[Value]) -> String {
    let field = |id: &str, kind: &str| json!({ "id": id, "name": id, "type": kind });
    let entries = values.iter().enumerate().map(|(number, value)| {
        let fields = [("title", json!(format!("T{number}"))), ("body", json!("Text.")), (name, value.clone())];
        let fields: Value = fields.map(|(id, value)| (id.to_owned(), json!({ "en": value }))).into_iter().collect();
        json!({
            "sys": { "id": format!("e{number}"), "type": "Entry", "contentType": { "sys": { "type": "Link", "linkType": "ContentType", "id": "post" } },
                     "version": 2, "publishedVersion": 1, "createdAt": "2024-01-02T03:04:05.000Z", "firstPublishedAt": "2024-01-02T03:04:05.000Z" },
            "fields": fields,
        })
    });
    let fields = [field("title", "Symbol"), field("body", "Text"), field("publishDate", "Date"), field(name, kind)];
    let content_type = json!({ "sys": { "id": "post", "type": "ContentType" }, "displayField": "title", "name": "post", "fields": fields });
    json!({
        "contentTypes": [content_type], "entries": entries.collect::<Vec<_>>(), "assets": [],
        "locales": [{ "code": "en", "default": true, "sys": { "id": "l1" } }],
    })
    .to_string()
}

#[tokio::test]
async fn an_entry_that_a_field_hides_is_a_draft_with_a_note() {
    for (name, kind, shown, hidden) in [
        ("membersOnly", "Boolean", json!(false), json!(true)),
        ("isDraft", "Boolean", json!(false), json!(true)),
        ("published", "Boolean", json!(true), json!(false)),
        ("visibility", "Symbol", json!("Public"), json!("subscribers")),
        ("access_level", "Symbol", json!("free"), json!("paid")),
    ] {
        let folder = folder(&[("space.json", &export(name, kind, &[shown, hidden.clone()]))]);
        let site = Site::in_memory().await;
        let report = import(&site.content, &folder.path().join("space.json")).await.expect("an import");
        let note = format!(
            "post T1: has the field {name} with the value {hidden}, so perhaps not everyone saw it: it is imported as a draft"
        );
        assert_eq!((report.made, notes(&report)), (2, vec![note]), "{report:?}");
        let found = site.query("{ posts { nodes { title } } }").await;
        assert_eq!(found, json!({ "posts": { "nodes": [{ "title": "T0" }] } }), "{name}");
    }
}
