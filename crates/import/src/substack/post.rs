//! Makes a post or page from a row of `posts.csv` and its body. The rule: a post that Substack did not show to everyone becomes a draft, with a note.

use crate::found::{Item, NotImported};
use crate::title::title_of;
use crate::{ImportedPost, PagePlace, dates};
use tidings_model::{Enclosure, Instant, JsonValue, Metadata, PagePath, Slug, rules};

use super::body::{self, Body};
use super::row::Row;

/// The kinds of posts that have an address and a text by the author.
const POSTS: &[&str] = &["", "newsletter", "podcast", "thread", "video"];
const PAGE: &str = "page";

/// The audience of a post that everyone can read.
const EVERYONE: &str = "everyone";

/// `html`: the body; `None` if the export has no file for it. Also returns how many buttons were removed.
pub(super) fn read(row: &Row, html: Option<&str>) -> Result<(Item, usize), NotImported> {
    let date = dates::parse(&row.date);
    let is_page = row.kind == PAGE;
    let was_published = row.is_published && (is_page || !row.date.is_empty());
    match (html, date) {
        (None, _) if was_published => return Err("the export does not have this file".into()),
        (None, _) if row.title.is_empty() => {
            let reason = "a draft without a title, of which the export has no body";
            return Err(NotImported::Skipped(reason.to_owned()));
        }
        (_, None) if was_published && !row.date.is_empty() => {
            return Err(format!("published, but its post_date {:?} cannot be read", row.date).into());
        }
        _ => {}
    }
    let body = body::read(html.unwrap_or_default(), &row.podcast_url);
    let hidden: Vec<String> = if was_published { why_hidden(row, &body) } else { Vec::new() };
    let is_draft = !was_published || !hidden.is_empty();
    let metadata = Metadata::of(&metadata(row)).map_err(|bad| format!("its metadata {bad}"))?;
    let Body { text, notes, buttons, .. } = body;
    let post = ImportedPost { metadata: Some(metadata), ..post(row, text, date, is_draft) };
    let page = is_page.then(|| place_of_page(row, &post)).transpose()?;
    Ok((Item { post, page, notes: hidden.into_iter().chain(notes).collect() }, buttons))
}

/// The reasons why a published post becomes a draft.
fn why_hidden(row: &Row, body: &Body) -> Vec<String> {
    let as_draft = |why: String| format!("{why}, so it is imported as a draft");
    let audience = (row.audience != EVERYONE).then(|| as_draft(format!("has the audience {:?}", row.audience)));
    let parts = body.has_hidden_parts.then(|| as_draft("has parts that only some readers could see".to_owned()));
    let is_known = POSTS.contains(&row.kind.as_str()) || row.kind == PAGE;
    let kind = (!is_known).then(|| as_draft(format!("has the type {:?}", row.kind)));
    audience.into_iter().chain(parts).chain(kind).collect()
}

fn post(row: &Row, text: String, date: Option<Instant>, is_draft: bool) -> ImportedPost {
    let slug = row.slug().map(str::to_owned);
    let title = Some(row.title.clone()).filter(|title| !title.is_empty());
    // The address of a published post; a draft has none.
    let aliases = slug.iter().filter(|_| row.is_published).map(|slug| format!("/p/{slug}")).collect();
    // A text that is too long for a subtitle is the excerpt.
    let subtitle = Some(row.subtitle.clone()).filter(|subtitle| !subtitle.is_empty());
    let excerpt = subtitle.clone();
    ImportedPost {
        // Substack does not reuse its numbers.
        origin: format!("substack:{}", row.number()),
        title: title_of(title, &text, slug.as_deref()),
        slug,
        subtitle: subtitle.filter(|text| text.chars().count() <= rules::SUBTITLE_CHARS_MAX),
        excerpt: excerpt.filter(|text| text.chars().count() > rules::SUBTITLE_CHARS_MAX),
        markdown: text,
        published_at: date.filter(|_| !is_draft),
        created_at: date.filter(|_| is_draft),
        is_draft,
        aliases,
        // Substack makes MP3 of every episode.
        enclosure: Enclosure::of(&row.podcast_url, None, Some("audio/mpeg")).ok(),
        ..ImportedPost::default()
    }
}

/// The place of a page, with its old address as a former path.
fn place_of_page(row: &Row, post: &ImportedPost) -> Result<PagePlace, String> {
    let place = PagePlace::of_slug(post)?;
    let old = [Slug::from_name("p"), Some(place.path.slug().clone())].into_iter().flatten();
    let former = PagePath::of(old.collect()).ok().filter(|_| row.is_published);
    Ok(PagePlace { former_paths: former.into_iter().collect(), ..place })
}

/// The nonempty fields that Tidings does not have, under their names in Substack.
fn metadata(row: &Row) -> JsonValue {
    let usual = |value: &str, usual: &[&str]| (!value.is_empty() && !usual.contains(&value)).then(|| value.to_owned());
    let fields = [
        ("type", usual(&row.kind, &["newsletter", PAGE])),
        ("audience", usual(&row.audience, &[EVERYONE])),
        ("podcast_url", Some(row.podcast_url.clone()).filter(|url| rules::is_web_address(url))),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), JsonValue::Text(value?))));
    JsonValue::object(fields)
}
