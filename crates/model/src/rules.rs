//! The rules that a post or a term must meet before it is written. The rule: a valid post fits the tables, except that the packed size of its body is
//! checked elsewhere.

use std::borrow::Cow;

use super::enclosure::Enclosure;
use super::instant::Instant;
use super::post::{ORDERED_POSTS_MAX, Post, PostId, TERMS_MAX, WholePost};
use super::profile::{JOB_TITLE_CHARS_MAX, LINK_TITLE_CHARS_MAX, LINK_URL_CHARS_MAX, LINKS_MAX, Profile};
use super::term::TermKind;

/// A title is one line.
pub const TITLE_CHARS_MAX: usize = 1_000;
/// A subtitle is one line.
pub const SUBTITLE_CHARS_MAX: usize = 1_000;
/// An excerpt is a paragraph; with the title it must keep the rows of a list small.
pub const EXCERPT_CHARS_MAX: usize = 5_000;
pub const TERM_NAME_CHARS_MAX: usize = 500;
/// A description is a paragraph: a page of a list contains up to a hundred of them, and a transaction 49, each twice.
pub const TERM_DESCRIPTION_CHARS_MAX: usize = 5_000;
/// The longest URL of an author's page; browsers accept about as much.
pub const URL_CHARS_MAX: usize = 2_000;
pub const FORMER_SLUGS_MAX: usize = 100;
/// The longest body, in bytes: a book of 1.5 million words.
pub const BODY_BYTES_MAX: usize = 8 << 20;
/// Azure Table Storage stores no date before 1601-01-01T00:00:00Z (Edm.DateTime), in ticks.
const FIRST_TICKS: i64 = 504_911_232_000_000_000;

/// A broken rule: the field, and the error message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct Broken {
    pub field: &'static str,
    pub reason: String,
}

/// The text as a subtitle; `None` if it is empty.
pub fn subtitle(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Checks a post before it is written.
///
/// # Errors
/// Every rule that the post breaks, in the order of the input's fields.
pub fn check(whole: &WholePost) -> Result<(), Vec<Broken>> {
    let post = &whole.post;
    let subtitle = post.subtitle.as_deref().unwrap_or_default();
    let mut checks = vec![
        at_most("title", "characters", post.title.chars().count(), TITLE_CHARS_MAX).and(written("title", &post.title)),
        at_most("subtitle", "characters", subtitle.chars().count(), SUBTITLE_CHARS_MAX)
            .and(written("subtitle", subtitle)),
        at_most("excerpt", "characters", post.excerpt.chars().count(), EXCERPT_CHARS_MAX)
            .and(written("excerpt", if post.has_own_excerpt { &post.excerpt } else { "" })),
        check_markdown(&whole.markdown),
        at_most("aliases", "slugs", post.former_slugs.len(), FORMER_SLUGS_MAX),
    ];
    checks.extend(TermKind::ALL.map(|kind| at_most(kind.plural(), "terms", post.terms(kind).len(), TERMS_MAX)));
    let enclosure = post.enclosure.as_ref().map_or(Ok(()), Enclosure::check);
    checks.push(enclosure.map_err(|reason| Broken { field: "enclosure", reason }));
    checks.push(check_dates(post));
    checks.push(check_end(post));
    all(checks)
}

/// # Errors
/// If no body can have this text.
pub fn check_markdown(markdown: &str) -> Result<(), Broken> {
    at_most("markdown", "bytes", markdown.len(), BODY_BYTES_MAX)
}

fn all(checks: Vec<Result<(), Broken>>) -> Result<(), Vec<Broken>> {
    let broken: Vec<Broken> = checks.into_iter().filter_map(Result::err).collect();
    if broken.is_empty() { Ok(()) } else { Err(broken) }
}

/// Checks the texts of a category, tag, author or series before it is written.
///
/// # Errors
/// Every rule that the texts break.
pub fn check_term(kind: TermKind, name: &str, description: Option<&str>, url: Option<&str>) -> Result<(), Vec<Broken>> {
    let chars = |text: Option<&str>| text.map_or(0, |text| text.chars().count());
    let broken = |field, reason: String| Err(Broken { field, reason });
    let is_address = url.is_none_or(|url| url.is_empty() || is_web_address(url));
    all(vec![
        match name.trim() {
            "" => broken("name", format!("of a {} must not be empty", kind.noun())),
            _ => at_most("name", "characters", name.chars().count(), TERM_NAME_CHARS_MAX).and(written("name", name)),
        },
        at_most("description", "characters", chars(description), TERM_DESCRIPTION_CHARS_MAX)
            .and(written("description", description.unwrap_or_default())),
        match at_most("url", "characters", chars(url), URL_CHARS_MAX) {
            Ok(()) if !is_address => broken("url", "must begin with http:// or https://".to_owned()),
            checked => checked,
        },
    ])
}

/// Checks the profile of an author before it is written.
///
/// # Errors
/// Every rule that it breaks.
pub fn check_profile(profile: &Profile) -> Result<(), Vec<Broken>> {
    let mut checks = vec![
        at_most(
            "jobTitle",
            "characters",
            profile.job_title.as_ref().map_or(0, |text| text.chars().count()),
            JOB_TITLE_CHARS_MAX,
        ),
        at_most("links", "links", profile.links.len(), LINKS_MAX),
    ];
    checks.extend(profile.links.iter().take(LINKS_MAX).zip(1..).map(|(link, number)| {
        let broken = |reason: String| Err(Broken { field: "links", reason: format!("number {number}: {reason}") });
        if link.title.trim().is_empty() {
            return broken("its title must not be empty".to_owned());
        }
        if link.title.chars().count() > LINK_TITLE_CHARS_MAX {
            return broken(format!("its title has more than {LINK_TITLE_CHARS_MAX} characters"));
        }
        if !is_web_address(&link.url) {
            return broken("its URL must begin with http:// or https://".to_owned());
        }
        if link.url.chars().count() > LINK_URL_CHARS_MAX {
            return broken(format!("its URL has more than {LINK_URL_CHARS_MAX} characters"));
        }
        Ok(())
    }));
    all(checks)
}

/// Checks the order of a series before it is written.
///
/// # Errors
/// If it names too many posts.
pub fn check_order(order: &[PostId]) -> Result<(), Vec<Broken>> {
    all(vec![at_most("orderedPostIds", "posts", order.len(), ORDERED_POSTS_MAX)])
}

pub fn in_one_text(broken: &[Broken]) -> String {
    broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Whether a browser that follows the URL loads a page by HTTP and runs no script.
pub fn is_web_address(url: &str) -> bool {
    let has_scheme = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    ["http://", "https://"].iter().any(|scheme| has_scheme(scheme))
        && !url.contains(|c: char| c.is_control() || c == ' ')
}

fn check_dates(post: &Post) -> Result<(), Broken> {
    let dates = [
        ("publishedAt", post.published_at),
        ("createdAt", Some(post.created_at)),
        ("updatedAt", Some(post.updated_at)),
    ];
    for (field, at) in dates {
        if let Some(at) = at.filter(|at| at.ticks() < FIRST_TICKS) {
            let first = Instant::from_ticks(FIRST_TICKS).expect("the tick is in the calendar");
            return Err(Broken { field, reason: format!("is {at}; the tables keep no instant before {first}") });
        }
    }
    Ok(())
}

/// A draft is not public, so it has no end of its publication.
fn check_end(post: &Post) -> Result<(), Broken> {
    match (post.unpublish_at, post.published_at) {
        (Some(end), Some(at)) if end <= at => {
            Err(Broken { field: "unpublishAt", reason: format!("is {end}; it must be after the publication at {at}") })
        }
        (Some(_), None) => {
            Err(Broken { field: "unpublishAt", reason: "is of a draft, which is not public".to_owned() })
        }
        _ => Ok(()),
    }
}

fn at_most(field: &'static str, unit: &str, found: usize, max: usize) -> Result<(), Broken> {
    if found <= max {
        return Ok(());
    }
    Err(Broken { field, reason: format!("has {found} {unit}; at most {max} are allowed") })
}

/// Whether a shown text may contain the character. The others, such as NUL and ESC, change what a terminal shows, and a feed cannot contain them: XML cannot
/// represent them ("Extensible Markup Language", section 2.2).
pub fn is_written(character: char) -> bool {
    !character.is_control() || matches!(character, '\t' | '\n' | '\r' | '\u{85}')
}

/// Removes the characters that no text may contain, for text from another program.
pub fn without_unwritten(text: &str) -> Cow<'_, str> {
    match text.chars().all(is_written) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().filter(|character| is_written(*character)).collect()),
    }
}

fn written(field: &'static str, text: &str) -> Result<(), Broken> {
    match text.chars().find(|character| !is_written(*character)) {
        Some(found) => {
            Err(Broken { field, reason: format!("has the control character U+{:04X}; remove it", u32::from(found)) })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_an_author_is_a_web_address() {
        let check = |url| check_term(TermKind::Author, "A", None, Some(url)).map_err(|broken| in_one_text(&broken));
        for url in ["https://example.com/a?b#c", "HTTP://example.com", ""] {
            assert_eq!(check(url), Ok(()), "{url}");
        }
        for url in [
            "javascript:x()",
            " https://example.com",
            "java\nscript:x()",
            "data:text/html,x",
            "//example.com",
            "example.com",
        ] {
            assert_eq!(check(url), Err("url: must begin with http:// or https://".to_owned()), "{url}");
        }
    }
}
