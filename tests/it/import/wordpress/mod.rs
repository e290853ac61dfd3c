//! Imports of WordPress exports. The rule: readers get what WordPress showed to everyone, and nothing else; what is left out is in the report.

mod bodies;
mod fields;
mod files;
mod hidden;

use std::path::Path;

use serde_json::Value;
use tidings::ingest::ImportReport;

use crate::support::folder::{folder, import};
use crate::support::site::Site;

const HEAD: &str = "<rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:wp=\"http://wordpress.org/export/1.2/\">\
    <channel><link>https://quay.example</link><wp:base_blog_url>https://quay.example</wp:base_blog_url>\
    <wp:author><wp:author_login>ines</wp:author_login><wp:author_display_name><![CDATA[Ines Mar]]></wp:author_display_name></wp:author>\
    <wp:author><wp:author_login>bo</wp:author_login><wp:author_display_name><![CDATA[Bo Ek]]></wp:author_display_name></wp:author>";

/// A published post with the slug `s` and its number.
fn item(number: u32, content: &str, more: &str) -> String {
    format!(
        "<item><title>T{number}</title><link>https://quay.example/s{number}/</link><dc:creator>ines</dc:creator><wp:post_id>{number}</wp:post_id>\
         <wp:post_name>s{number}</wp:post_name><wp:post_type>post</wp:post_type><wp:status>publish</wp:status>\
         <wp:post_date_gmt>2020-01-02 03:00:00</wp:post_date_gmt><content:encoded><![CDATA[{content}]]></content:encoded>{more}</item>"
    )
}

fn meta(key: &str, value: &str) -> String {
    format!(
        "<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value><![CDATA[{value}]]></wp:meta_value></wp:postmeta>"
    )
}

fn export(items: &[String]) -> String {
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>{HEAD}{}</channel></rss>", items.concat())
}

async fn imported(path: &Path) -> (Site, ImportReport) {
    let site = Site::in_memory().await;
    let report = import(&site.content, path).await.expect("an import");
    (site, report)
}

async fn imported_items(items: &[String]) -> (Site, ImportReport) {
    let folder = folder(&[("site.xml", &export(items))]);
    imported(&folder.path().join("site.xml")).await
}

/// The notes of the report, by the numbers of the posts.
fn notes(report: &ImportReport) -> Vec<String> {
    let named = |origin: &str| origin.strip_prefix("https://quay.example/?p=").unwrap_or(origin).to_owned();
    report.notes.iter().map(|note| format!("{}: {}", named(&note.origin), note.text)).collect()
}

/// This field of each post that everyone can read, by its slug.
async fn shown(site: &Site, field: &str) -> Vec<(String, Value)> {
    let found = site.query(&format!("{{ posts {{ nodes {{ slug shown: {field} }} }} }}")).await;
    let nodes = found["posts"]["nodes"].as_array().expect("posts").iter();
    let mut shown: Vec<_> =
        nodes.map(|post| (post["slug"].as_str().expect("a slug").to_owned(), post["shown"].clone())).collect();
    shown.sort_by(|a, b| a.0.cmp(&b.0));
    shown
}
