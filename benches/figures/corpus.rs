//! The generated site as files, from which `scripts/bench` fills every store. The rule: what the other servers are given is what Tidings would answer,
//! so that all answers can be compared.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use async_graphql::ScalarType;
use serde_json::json;
use tidings::graphql::scalars::DateTime;
use tidings::model::TermKind;
use tidings::model::excerpt::excerpt_of;
use tidings::model::markdown::html_of;

use crate::Result;
use crate::posts::{self, Generated};

/// Writes `site.jsonl`, which Tidings imports; `terms.json` and `posts.jsonl` for the other stores; and `queries.json`, what the requests name.
pub fn write(folder: &Path, posts: u64) -> Result<()> {
    fs::create_dir_all(folder)?;
    posts::write_json_lines(&folder.join("site.jsonl"), posts)?;
    let terms: Vec<_> = TermKind::ALL
        .into_iter()
        .flat_map(|kind| {
            posts::terms(kind)
                .map(move |(slug, name)| json!({ "kind": plural(kind), "slug": slug.as_str(), "name": name }))
        })
        .collect();
    fs::write(folder.join("terms.json"), serde_json::to_vec(&terms)?)?;
    let mut out = BufWriter::new(File::create(folder.join("posts.jsonl"))?);
    for number in 0..posts {
        serde_json::to_writer(&mut out, &line(&Generated::new(number)))?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    let slug = |number| Generated::new(number).slug.to_string();
    let read = Generated::new(posts::number_of_a_read_post(posts));
    let queries = json!({
        "posts": posts,
        "tag": posts::term_slug(TermKind::Tag, 3).as_str(),
        "author": posts::term_slug(TermKind::Author, 0).as_str(),
        "category": posts::term_slug(TermKind::Category, 0).as_str(),
        "post": read.slug.as_str(),
        "markdown": read.markdown,
        "post4KB": slug(posts::NUMBER_OF_4_KB),
        "post40KB": slug(posts::NUMBER_OF_40_KB),
    });
    Ok(fs::write(folder.join("queries.json"), serde_json::to_vec(&queries)?)?)
}

fn plural(kind: TermKind) -> &'static str {
    match kind {
        TermKind::Category => "categories",
        TermKind::Tag => "tags",
        TermKind::Author => "authors",
        TermKind::Series => "series",
    }
}

fn line(post: &Generated) -> serde_json::Value {
    let texts = |slugs: &[tidings::model::Slug]| slugs.iter().map(ToString::to_string).collect::<Vec<_>>();
    json!({
        "slug": post.slug.as_str(),
        "title": post.title,
        "excerpt": excerpt_of(&post.markdown),
        "publishedAt": DateTime(post.at).to_value(),
        "authors": texts(&post.authors),
        "categories": texts(&post.categories),
        "tags": texts(&post.tags),
        "markdown": post.markdown,
        "html": html_of(&post.markdown),
    })
}
