//! Reads one Markdown file as a post, a page or, in a folder that Tidings exported, a term. The rule: the result depends only on the text of the
//! file, its path below the root, the files of the generator, the time zone of the site and the time of the import.

use crate::{Failed, ImportedCover, ImportedPage, ImportedPost, Redirect, Skipped};
use tidings_model::metadata::BadMetadata;
use tidings_model::{Instant, Metadata, TermKind};

use super::exported::Exported;
use super::fields::PostFields;
use super::name::{Name, date, is_archetype, is_section, with_language};
use super::outcome::ReadOutcome;
use super::post::post;
use super::reading::{self, Reading};
use super::sections::Section;
use super::site_files::SiteFiles;
use super::value::Value;
use super::{body, exported_file, front_matter, page, raw, rest};

/// `origin`: the path below the root, separated by `/`.
pub fn read(origin: &str, content: Vec<u8>) -> ReadOutcome {
    read_with(&SiteFiles::default(), origin, content)
}

/// Like [`read`], with the files of the generator.
pub(super) fn read_with(site: &SiteFiles, origin: &str, content: Vec<u8>) -> ReadOutcome {
    let text = match String::from_utf8(content) {
        Ok(text) => text,
        Err(error) => return failed(origin, not_utf8(&error)),
    };
    if is_archetype(origin, &text) {
        return skipped(origin, "Hugo's template of new files");
    }
    let parts = front_matter::split(&text);
    match parts.front.parse() {
        Err(reason) => failed(origin, reason),
        Ok(None) if page::is_documentation(origin, &text) => {
            from_generator(site, origin, Value::Table(Vec::new()), parts.body)
        }
        Ok(None) => skipped(origin, "no front matter"),
        Ok(Some(front)) => match Exported::of(&front) {
            Some(exported) => exported_file::read(origin, &exported, parts.body, &site.time_zone)
                .unwrap_or_else(|reason| failed(origin, reason)),
            None => from_generator(site, origin, front, parts.body),
        },
    }
}

fn from_generator(site: &SiteFiles, origin: &str, front: Value, body: &str) -> ReadOutcome {
    let translation = site.translation(origin);
    let Reading { front, fields, cover, notes, section, is_plain_draft } = reading::read(site, origin, front);
    let fields = with_language(fields, site.language(origin));
    let (mut body, mut notes) = body::of(origin, site.is_mdx(origin, &front), body, notes);
    if site.has_liquid(origin) {
        body = raw::without_marks(&body).into_owned();
    }
    let date = date(&fields, &Name::of(origin, &fields.time_zone), origin);
    let is_dated = !matches!(date, Ok(None));
    let is_page = match translation.map_or(origin, |translation| translation.original.as_str()) {
        original if is_section(original) => true,
        _ if redirect_only(&fields, &body).is_some() => false,
        _ if is_dated => section == Section::Pages,
        // A draft often gets its date only when it is published.
        _ => fields.order.is_some() || !is_plain_draft,
    };
    if is_page {
        if is_dated && !is_section(origin) {
            notes.push(DATED_PAGE.to_owned());
        }
        return from_page((site, origin), &front, fields, (body, notes), (cover, date.ok().flatten()));
    }
    let metadata = Metadata::of(&rest::of(&front, &fields));
    let name = Name::of_translation(origin, translation, &site.time_zone);
    with_terms(site, from_fields(origin, name, fields, metadata, (&body, notes), cover))
}

const DATED_PAGE: &str = "has a date and is a page nevertheless: it is outside of the folders of posts, or in one of documentation, or its `type` or `layout` says so; \
     the date is in its metadata, and `type: post` would make it a post";

/// Replaces the authors and tags by those that the files of the generator describe.
fn with_terms(site: &SiteFiles, outcome: ReadOutcome) -> ReadOutcome {
    let ReadOutcome::Post(mut post, notes) = outcome else { return outcome };
    post.authors = site.terms(&post.origin, TermKind::Author, post.authors);
    post.tags = site.terms(&post.origin, TermKind::Tag, post.tags);
    ReadOutcome::Post(post, notes)
}

/// A page has no terms and cannot be featured, so these stay in its metadata. So does its date, which is also the time of its publication.
fn from_page(
    (site, origin): (&SiteFiles, &str),
    front: &Value,
    fields: PostFields,
    (body, notes): (String, Vec<String>),
    (cover, date): (ImportedCover, Option<Instant>),
) -> ReadOutcome {
    let of_page = fields.clone().of_page();
    let metadata = Metadata::of(&rest::of(front, &of_page));
    let metadata = metadata.map_err(|bad| format!("the front matter without the fields of a page {bad}"));
    let (place, fields) = site.place(origin, front, fields);
    match metadata.and_then(|metadata| page::page(origin, &place, fields, metadata, &body)) {
        Ok(page) => {
            let created_at = page.created_at.or(date);
            ReadOutcome::Page(Box::new(ImportedPage { cover, published_at: date, created_at, ..page }), notes)
        }
        Err(reason) => failed(origin, reason),
    }
}

fn from_fields(
    origin: &str,
    name: Name,
    fields: PostFields,
    metadata: Result<Metadata, BadMetadata>,
    (body, notes): (&str, Vec<String>),
    cover: ImportedCover,
) -> ReadOutcome {
    if let Some(to) = redirect_only(&fields, body) {
        return ReadOutcome::Redirect(Redirect { origin: origin.into(), from: fields.slug.unwrap_or(name.words), to });
    }
    let is_draft = fields.is_draft;
    match (date(&fields, &name, origin), metadata) {
        (Err(reason), _) if !is_draft => failed(origin, reason),
        (_, Err(bad)) => failed(origin, format!("the front matter without the fields of a post {bad}")),
        (date, Ok(metadata)) => {
            let post = post(origin, fields, name, body, date.ok().flatten());
            ReadOutcome::Post(Box::new(ImportedPost { metadata: Some(metadata), cover, ..post }), notes)
        }
    }
}

/// The target of the redirect, if the file has no other content.
fn redirect_only(fields: &PostFields, body: &str) -> Option<String> {
    let is_empty = fields.title.is_none() && fields.date.is_none() && body.trim().is_empty();
    fields.redirect.clone().filter(|_| is_empty)
}

fn not_utf8(error: &std::string::FromUtf8Error) -> String {
    format!("not UTF-8: the byte at {} cannot be read", error.utf8_error().valid_up_to())
}

fn skipped(origin: &str, reason: &str) -> ReadOutcome {
    ReadOutcome::Skipped(Skipped { origin: origin.to_owned(), reason: reason.to_owned() })
}

fn failed(origin: &str, reason: String) -> ReadOutcome {
    ReadOutcome::Failed(Failed { origin: origin.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Term;

    fn post_of(origin: &str, content: &str) -> ImportedPost {
        match read(origin, content.into()) {
            ReadOutcome::Post(post, _) => *post,
            other => panic!("{origin}: {other:?}"),
        }
    }

    fn reason_of(origin: &str, content: &[u8]) -> String {
        match read(origin, content.into()) {
            ReadOutcome::Skipped(Skipped { reason, .. }) => format!("skipped: {reason}"),
            ReadOutcome::Failed(Failed { reason, .. }) => format!("failed: {reason}"),
            other => panic!("{origin}: {other:?}"),
        }
    }

    fn published(origin: &str, content: &str) -> Option<String> {
        post_of(origin, content).published_at.map(|at| at.to_string())
    }

    #[test]
    fn a_date_is_read_from_the_field_the_name_or_the_path() {
        let day = || Some("2016-03-10T00:00:00Z".to_owned());
        assert_eq!(published("a/2016-03-10-title.md", "---\n---\n"), day());
        assert_eq!(published("2016-03-10-title/index.md", "---\n---\n"), day());
        assert_eq!(published("title.md", "+++\npath = '2016/03/10/x'\n+++\n"), day());
        assert_eq!(published("2016/03/10/title.md", "---\n---\n"), day());
        assert_eq!(published("2016-03-10-title.md", "---\ndate: soon\n---\n"), day());
        assert_eq!(
            published("2016-03-10-title.md", "---\ndate: 2020-01-01\n---\n").as_deref(),
            Some("2020-01-01T00:00:00Z")
        );
    }

    #[test]
    fn a_slug_is_the_name_without_its_date() {
        let slug = |origin| post_of(origin, "---\ndate: 2020-01-01\n---\n").slug;
        assert_eq!(slug("a/2016-03-10-title.md").as_deref(), Some("title"));
        assert_eq!(slug("Rust-1.12/index.md").as_deref(), Some("Rust-1.12"));
        assert_eq!(slug("10years.markdown").as_deref(), Some("10years"));
        assert_eq!(slug("2016-03-10.md").as_deref(), Some("2016-03-10"));
    }

    #[test]
    fn a_title_is_given_or_a_heading_or_the_name() {
        let title = |content| post_of("hello-my_world.md", content).title;
        assert_eq!(title("---\ntitle: A\ndate: 2020-01-01\n---\n# B"), "A");
        assert_eq!(title("---\ndate: 2020-01-01\n---\nx\n\n# B"), "B");
        assert_eq!(title("---\ndate: 2020-01-01\n---\nx"), "Hello my world");
    }

    #[test]
    fn a_file_that_is_not_a_post_has_a_reason() {
        assert_eq!(reason_of("README.md", b"# Hello"), "skipped: no front matter");
        for template in [
            &b"---\ntitle: \"{{ replace .Name \"-\" \" \" }}\"\n---\n"[..],
            b"+++\ndate = '{{ .Date }}'\ndraft = true\n+++\n",
        ] {
            assert_eq!(reason_of("site/archetypes/default.md", template), "skipped: Hugo's template of new files");
        }
        assert!(
            post_of("content/archetypes/a.md", "---\ndate: 2020-01-01\n---\n{{ .Date }}").markdown.contains("Date")
        );
        assert!(post_of("archetypes/a.md", "---\ndate: 2020-01-01\n---\n").published_at.is_some());
        assert!(reason_of("a.md", b"---\ndate: someday\n---\n").starts_with("failed: \"someday\" is not a date"));
        assert!(reason_of("a.md", b"---\n\xff---\n").starts_with("failed: not UTF-8: the byte at 4"));
        assert!(reason_of("a.md", b"---\ntitle: a\n").contains("never closed"));
    }

    #[test]
    fn a_file_without_a_date_and_one_that_describes_a_folder_are_pages() {
        let page = |origin: &str, content: &str| match read(origin, content.into()) {
            ReadOutcome::Page(page, _) => (page.path.to_string(), page.title, page.order, page.is_draft),
            other => panic!("{origin}: {other:?}"),
        };
        let text = |text: &str| text.to_owned();
        assert_eq!(page("all.md", "---\ntitle: All\n---\n"), (text("all"), text("All"), None, false));
        let dated = "+++\ntitle = 'A'\ndate = 2020-01-01\nweight = 3\n+++\n";
        assert_eq!(page("a/_index.md", dated), (text("a"), text("A"), Some(3), false));
        let draft = "---\ntitle: B\nnav_order: 2\ndraft: true\n---\n";
        assert_eq!(page("docs/b.md", draft), (text("docs/b"), text("B"), Some(2), true));
        assert_eq!(page("docs/c.md", "# Intro\n\nText."), (text("docs/c"), text("Intro"), None, false));
        let ReadOutcome::Page(tagged, _) = read("x.md", "---\ntags: [a, b]\nlayout: wide\n---\n".into()) else {
            panic!("no page")
        };
        assert_eq!(tagged.metadata.expect("metadata").text(), "{\"tags\":[\"a\",\"b\"],\"layout\":\"wide\"}");
        let ReadOutcome::Page(dated, _) = read("a/_index.md", dated.into()) else { panic!("no page") };
        assert_eq!(dated.metadata.expect("metadata").text(), "{\"date\":\"2020-01-01\",\"weight\":3}");
    }

    #[test]
    fn a_file_that_only_names_a_target_is_a_redirect() {
        let redirect = read("blog/old.md", "---\nredirect: /blog/new\n---\n".into());
        let expected = Redirect { origin: "blog/old.md".into(), from: "old".into(), to: "/blog/new".into() };
        assert_eq!(redirect, ReadOutcome::Redirect(expected));
        let post = post_of("new.md", "---\nredirect: /old\ntitle: A\ndate: 2020-01-01\n---\nb");
        assert_eq!(post.aliases, ["/old"]);
    }

    #[test]
    fn a_draft_has_no_publication_date() {
        for (origin, content) in [("a.md", "---\ndraft: true\ndate: 2020-01-01\n---\n"), ("_drafts/a.md", "---\n---\n")]
        {
            let post = post_of(origin, content);
            assert!(post.is_draft && post.published_at.is_none(), "{origin}");
        }
    }

    #[test]
    fn a_name_given_twice_is_one_term() {
        let post = post_of("a.md", "---\ndate: 2020-01-01\ntags: [A, b, a]\n---\n");
        assert_eq!(post.tags, [Term::named("A"), Term::named("b")]);
    }

    #[test]
    fn the_body_keeps_its_line_ends() {
        assert_eq!(post_of("a.md", "\u{feff}---\r\ndate: 2020-01-01\r\n---\r\n\r\na\r\n").markdown, "\r\na\r\n");
    }
}
