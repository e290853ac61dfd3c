//! Reads one Markdown file as a post, a page or, in a folder that Tidings exported, a term. The rule: the result depends only on the text of the
//! file, its path below the root, the files of the generator, the time zone of the site and the time of the import; a file that cannot be imported is
//! skipped or failed with a reason, never dropped.

use crate::{Failed, ImportedCover, ImportedPage, ImportedPost, Redirect, Skipped, dates};
use tidings_model::{Enclosure, Instant, Metadata, TermKind};

use super::exported::Exported;
use super::fields::{PostFields, category_parents};
use super::name::{self, Name, date, date_unless_draft, is_section};
use super::outcome::ReadOutcome;
use super::post::post;
use super::sections::{self, Section};
use super::site_files::SiteFiles;
use super::value::{Value, is_one_of};
use super::{body, enclosure, front_matter, marks, page, pictures, publication, rest};

/// `origin`: the path below the root, separated by `/`.
pub fn read(origin: &str, content: Vec<u8>) -> ReadOutcome {
    read_with(&SiteFiles::default(), origin, content)
}

/// Like [`read`], with the files of the generator.
pub(super) fn read_with(site: &SiteFiles, origin: &str, content: Vec<u8>) -> ReadOutcome {
    outcome(site, origin, content)
        .unwrap_or_else(|reason| ReadOutcome::Failed(Failed { origin: origin.to_owned(), reason }))
}

fn outcome(site: &SiteFiles, origin: &str, content: Vec<u8>) -> Result<ReadOutcome, String> {
    let text = String::from_utf8(content).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("not UTF-8: the byte at {at} cannot be read; convert it with `iconv -f ISO-8859-1 -t UTF-8`, or from its encoding")
    })?;
    let parts = front_matter::split(&text);
    match parts.front.parse()? {
        None if site.has_data(origin) || page::is_documentation(origin, &text) => {
            from_generator(site, origin, Value::Table(Vec::new()), parts.body)
        }
        None => Ok(ReadOutcome::Skipped(Skipped { origin: origin.to_owned(), reason: "no front matter".to_owned() })),
        Some(front) => match Exported::of(&front) {
            Some(exported) => exported.read(origin, parts.body, &site.time_zone),
            None => from_generator(site, origin, front, parts.body),
        },
    }
}

const DATED_PAGE: &str = "has a date and is a page nevertheless: it is outside of the folders of posts, or in one of documentation, or its `type` or `layout` says so; \
     the date is in its metadata, and `type: post` would make it a post";

fn from_generator(site: &SiteFiles, origin: &str, front: Value, body: &str) -> Result<ReadOutcome, String> {
    let Reading { front, fields, cover, enclosure, mut notes, section, is_plain_draft, unpublish_at } =
        reading(site, origin, front);
    let (mut body, of_body) = body::of(origin, site.is_mdx(origin, &front), body);
    notes.extend(of_body);
    if site.has_liquid(origin) {
        body = body::without_raw_marks(&body).into_owned();
    }
    let translation = site.translation(origin);
    let name = Name::of_translation(origin, translation, &site.time_zone);
    let is_of_folder = is_section(translation.map_or(origin, |translation| translation.original.as_str()));
    // A file without any other content is only a redirect.
    let is_empty = fields.title.is_none() && fields.date.is_none() && body.trim().is_empty();
    if let Some(to) = fields.redirect.clone().filter(|_| is_empty && !is_of_folder) {
        let from = fields.slug.unwrap_or(name.words);
        return Ok(ReadOutcome::Redirect(Redirect { origin: origin.to_owned(), from, to }));
    }
    let date_of_file = date(&fields, &Name::of(origin, &site.time_zone), origin);
    let is_dated = !matches!(date_of_file, Ok(None));
    let is_page = match is_dated {
        true => section == Section::Pages,
        // A draft often gets its date only when it is published.
        false => fields.order.is_some() || !is_plain_draft,
    };
    if is_of_folder || is_page {
        if is_dated && !is_section(origin) {
            notes.push(DATED_PAGE.to_owned());
        }
        // A page has no terms and cannot be featured, so these stay in its metadata. So does its date, which is also the time of its publication.
        let metadata = Metadata::of(&rest::of(&front, &fields.clone().of_page()))
            .map_err(|bad| format!("the front matter without the fields of a page {bad}"))?;
        let translations = site.translations_of(origin, &front);
        let (place, fields) = site.place(origin, &front, fields);
        let page = page::page(origin, &place, fields, &body, date_of_file.ok().flatten())?;
        let (metadata, created_at) = (Some(metadata), page.created_at.or(page.published_at));
        let post = ImportedPost { metadata, cover, translations, unpublish_at, created_at, ..page.post };
        return Ok(ReadOutcome::Page(Box::new(ImportedPage { post, ..page }), notes));
    }
    let metadata = Metadata::of(&rest::of(&front, &fields));
    let date = date_unless_draft(&fields, &name, origin)?;
    let metadata = metadata.map_err(|bad| format!("the front matter without the fields of a post {bad}"))?;
    let post = post(origin, fields, name.words, &body, date);
    let authors = site.terms(origin, TermKind::Author, post.authors);
    let tags = site.terms(origin, TermKind::Tag, post.tags);
    let (metadata, translations) = (Some(metadata), site.translations_of(origin, &front));
    let post = ImportedPost { metadata, cover, enclosure, authors, tags, translations, unpublish_at, ..post };
    Ok(ReadOutcome::Post(Box::new(post), notes))
}

/// The file without its body.
struct Reading {
    front: Value,
    fields: PostFields,
    cover: ImportedCover,
    enclosure: Option<Enclosure>,
    notes: Vec<String>,
    /// Whether a file with a date is a post or a page.
    section: Section,
    /// Whether it is a draft because it says so in the usual words, or because of its folder.
    is_plain_draft: bool,
    /// The instant at which the generator stops showing the file.
    unpublish_at: Option<Instant>,
}

/// Reads the front matter of a generator's file as fields, with the values from the generator's files. `front`: empty if the file has none.
fn reading(site: &SiteFiles, origin: &str, front: Value) -> Reading {
    let zone = &site.time_zone;
    let day = name::day(front.get("path").and_then(Value::text), &Name::of(origin, zone), origin, zone);
    let front = match site.sections.is_of_jekyll(origin, day.is_some()) {
        true => with_words(front),
        false => front,
    };
    let own = site.with_data(origin, front);
    let hidden = marks::hidden_by(&own, zone, site.now);
    let is_own_draft = marks::is_plain_draft(&own);
    let front = site.with_cascade(origin, own);
    let mut fields = PostFields::read(&front, name::is_in_drafts(origin)).in_zone(zone);
    if sections::is_of_hexo(origin) {
        fields.category_parents = category_parents(&front, true);
    }
    let of_mark = |mark: String| match marks::is_password(&mark) {
        true => format!("of `{mark}`; a password is not imported"),
        false => format!("of `{mark}`"),
    };
    let inherited = || {
        let says_draft = || (!is_own_draft && marks::is_plain_draft(&front)).then(|| "draft: true".to_owned());
        let mark = marks::hidden_by(&front, zone, site.now).or_else(says_draft)?;
        Some(format!("of `{mark}` in the file of a folder above it"))
    };
    let by_name = || site.configs.why(origin).filter(|_| !fields.is_draft);
    let reason = hidden.map(of_mark).or_else(inherited).or_else(by_name);
    let is_plain_draft = fields.is_draft && reason.is_none();
    let section = site.sections.of(origin, &front, day.is_some());
    let date = match &fields.date {
        Some(date) if is_plain_draft => Some(date.clone()),
        // One that is after the import counts first.
        Some(date) => publication::later_than(site.now, &front, zone).or_else(|| Some(date.clone())),
        // A file in a folder of posts without any date has the time of its creation.
        None if is_plain_draft || section != Section::Posts || day.is_some() => None,
        None => fields.created.clone().filter(|text| dates::parse(text).is_some()),
    };
    let language = fields.language.clone().or_else(|| site.language(origin).cloned());
    let fields = PostFields { is_draft: fields.is_draft || reason.is_some(), date, language, ..fields };
    let (cover, enclosure) = (pictures::cover(&front), enclosure::enclosure(&front));
    let of_reason = reason.map(|reason| format!("is imported as a draft, because {reason}"));
    let unpublish_at = marks::expiry(&front, zone, site.now);
    let notes = of_reason.into_iter().chain(enclosure::note(enclosure.as_ref())).collect();
    Reading { front, fields, cover, enclosure, notes, section, is_plain_draft, unpublish_at }
}

/// Jekyll splits the text of these keys at white space, but not that of `tag` and `category`.
const DIVIDED: &str = "tags categories";

fn with_words(front: Value) -> Value {
    let Value::Table(pairs) = front else { return front };
    let words = |(key, value): (String, Value)| {
        let text = value.text().filter(|text| is_one_of(&key, DIVIDED) && !text.contains(','));
        match text.map(|text| text.split_whitespace().map(|word| Value::Text(word.to_owned())).collect::<Vec<_>>()) {
            Some(words) if words.len() > 1 => (key, Value::List(words)),
            _ => (key, value),
        }
    };
    Value::Table(pairs.into_iter().map(words).collect())
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
        assert!(reason_of("a.md", b"---\ndate: someday\n---\n").starts_with("failed: \"someday\" is not a date"));
        assert!(reason_of("a.md", b"---\n\xff---\n").starts_with("failed: not UTF-8: the byte at 4"));
        assert!(reason_of("a.md", b"---\ntitle: a\n").contains("never closed"));
    }

    #[test]
    fn a_file_without_a_date_and_one_that_describes_a_folder_are_pages() {
        let page = |origin: &str, content: &str| match read(origin, content.into()) {
            ReadOutcome::Page(page, _) => {
                (page.place.path.to_string(), page.post.title, page.place.order, page.post.is_draft)
            }
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
        assert_eq!(tagged.post.metadata.expect("metadata").text(), "{\"tags\":[\"a\",\"b\"],\"layout\":\"wide\"}");
        let ReadOutcome::Page(dated, _) = read("a/_index.md", dated.into()) else { panic!("no page") };
        assert_eq!(dated.post.metadata.expect("metadata").text(), "{\"date\":\"2020-01-01\",\"weight\":3}");
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
