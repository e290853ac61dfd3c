//! Content that a folder of Markdown could lose: unusual names, texts, terms, metadata and pictures.

use tidings::import::jsonl::{PageRecord, PostRecord, Record, Status, TermRecord};
use tidings::import::{ImportedCover, ImportedLanguage};
use tidings::model::{Metadata, NodeId, PostId, ProfileLink, TermKind};

use super::{
    add, assert_same_after_markdown, json_lines, markdown, page, png, post, site, site_with_pictures, term, text,
};
use crate::import::pictures::addresses_of;
use crate::support::folder::{folder, import, write};
use crate::support::site::{Site, instant, slug};

fn metadata(json: &str) -> Option<Metadata> {
    Some(Metadata::parse(json).expect(json))
}

fn ada() -> TermRecord {
    TermRecord {
        description: Some(" Writes.\n".to_owned()),
        url: Some("https://example.com/ada".to_owned()),
        former_slugs: vec![slug("byron")],
        job_title: Some("Editor: \"all\"".to_owned()),
        links: vec![ProfileLink { title: "a, {b}".to_owned(), url: "https://a.example/?b=c&d#e".to_owned() }],
        ..term(TermKind::Author, "ada", "Ada \"A.\"")
    }
}

#[tokio::test]
async fn a_file_of_an_export_has_the_keys_that_generators_know() {
    let (site, _, [one, two]) = site_with_pictures().await;
    let cover = NodeId::Asset(one["/assets/".len()..][..40].parse().expect("a hash"));
    let NodeId::Asset(cover) = cover else { unreachable!("an asset") };
    let whole = PostRecord {
        slug: slug("first"),
        former_slugs: vec![slug("older.html"), slug("old")],
        excerpt: Some("By hand: yes.".to_owned()),
        metadata: metadata("{\"layout\":\"wide\",\"cover\":\"x.png\",\"extra\":{\"a\":[1.5,null]}}"),
        cover_id: ImportedCover::Asset(cover),
        language: "pt-BR".parse().map(ImportedLanguage::Tag).expect("a language"),
        featured: Some(true),
        authors: vec!["ada".to_owned()],
        tags: vec!["c".to_owned(), "rust".to_owned()],
        origin: Some("2025-01-02-first.md".to_owned()),
        ..post(
            7,
            "A: 'b' \"c\" — 🚀",
            &format!("![]({two}?width=320) `{two}` <img srcset=\"{two}?width=160 1x, {one} 2x\">"),
        )
    };
    let records = [
        Record::Author(ada()),
        Record::Tag(term(TermKind::Tag, "c", "C++")),
        Record::Tag(term(TermKind::Tag, "rust", "Rust")),
        Record::Post(Box::new(whole)),
        Record::Page(Box::new(PageRecord {
            order: Some(4),
            former_paths: vec!["start".parse().expect("a path")],
            ..page(1, "guide")
        })),
    ];
    add(&site, &records).await;
    let files = assert_same_after_markdown(&site).await;
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let pictures = [one[1..].to_owned(), two[1..].to_owned()];
    let mut expected = vec![
        "authors/ada/_index.md",
        "pages/about/_index.md",
        "pages/guide/_index.md",
        "posts/first.md",
        "tags/c/_index.md",
        "tags/rust/_index.md",
    ];
    expected.extend(pictures.iter().map(String::as_str));
    expected.sort_unstable();
    assert_eq!(names, expected);
    let relative = |path: &str| format!("..{path}");
    let (one, two) = (relative(&one), relative(&two));
    assert_eq!(
        text(&files["posts/first.md"]),
        format!(
            "---\ntitle: \"A: 'b' \\\"c\\\" — 🚀\"\nslug: \"first\"\ndate: 2025-01-02T03:04:05.1234567Z\nlastmod: 2025-01-02T03:04:05.1234567Z\n\
             created: 2025-01-02T03:04:05.1234567Z\nauthors: [\"Ada \\\"A.\\\"\"]\ntags: [\"C++\", \"Rust\"]\nlang: \"pt-BR\"\nfeatured: true\nsummary: \"By hand: yes.\"\n\
             cover: {{image: \"{one}\", alt: \"A 'boat': red\"}}\naliases: [\"older.html\", \"old\"]\nlayout: \"wide\"\nextra: {{a: [1.5, null]}}\n\
             tidings:\n  type: post\n  id: \"{}\"\n  version: 3\n  origin: \"2025-01-02-first.md\"\n  assets: \"\"\n  \
             authors: {{\"Ada \\\"A.\\\"\": \"ada\"}}\n  metadata: {{cover: \"x.png\"}}\n  keys: [\"layout\", \"cover\", \"extra\"]\n---\n\
             ![]({two}?width=320) `{}` <img srcset=\"{two}?width=160 1x, {one} 2x\">",
            PostId::from_bits(7),
            &two[2..],
        )
    );
    let about = text(&files["pages/about/_index.md"]);
    assert!(about.contains(&format!("\n![](../{two})\n").replace("../../", "../../")), "{about}");
    assert!(text(&files["pages/guide/_index.md"]).contains("\nurl: \"/guide/\"\n"));
    assert!(text(&files["pages/guide/_index.md"]).contains("\naliases: [\"/start/\"]\nweight: 4\n"));
    assert!(text(&files["authors/ada/_index.md"]).starts_with(
        "---\ntitle: \"Ada \\\"A.\\\"\"\nslug: \"ada\"\ndescription: \" Writes.\\n\"\nwebsite: \"https://example.com/ada\"\n\
         jobTitle: \"Editor: \\\"all\\\"\"\nlinks: [{title: \"a, {b}\", url: \"https://a.example/?b=c&d#e\"}]\naliases: [\"byron\"]\n"
    ));
}

#[tokio::test]
async fn slugs_paths_and_texts_that_look_like_something_else_are_kept() {
    let (site, _) = site().await;
    let long = "x".repeat(200);
    let slugs = ["index", "readme.md", "a--b", "a.md", "2025-01-02-day", "con", "0", "1e3", "null", long.as_str()];
    let mut records: Vec<Record> = Vec::new();
    for (number, slug_text) in slugs.iter().enumerate() {
        let bodies =
            ["---\na: b\n---\n", "", "no line end", "a\r\n\r\nb\r\n", "\n\n  x\n\n", "\u{FEFF}x", "+++\n", "\u{0}"];
        let titles = ["---", "", " spaces ", "a\nb: c", "# no comment", "1.10", "\u{85}\u{2028}", "{{ x }}"];
        let is_draft = number % 3 == 0;
        records.push(Record::Post(Box::new(PostRecord {
            slug: slug(slug_text),
            excerpt: [None, Some(String::new()), Some(" x\n".to_owned())][number % 3].clone(),
            published_at: instant(["9990-01-01T00:00:00Z", "1700-01-01T00:00:00.0000001Z"][number % 2]).into(),
            ..post(number as u64, titles[number % titles.len()], bodies[number % bodies.len()])
        })));
        if let (true, Some(Record::Post(post))) = (is_draft, records.last_mut()) {
            (post.published_at, post.status) = (None, Status::Draft);
        }
    }
    let deep = format!("{0}/{0}/{0}/{0}/{0}/{0}/{0}/{0}/{0}/{0}", "p".repeat(39));
    let long_path = format!("{}/{}", "l".repeat(199), "m".repeat(200));
    for (number, path) in
        ["a", "a.md", "a.md/b", "index", "a/index", "a/_.".trim_end_matches("/_."), "posts", "posts/index.html"]
            .iter()
            .enumerate()
    {
        if records.iter().all(|record| !matches!(record, Record::Page(page) if page.path.to_string() == **path)) {
            let order = [None, Some(0), Some(-5), Some(i32::MAX), Some(i32::MIN)][number % 5];
            records.push(Record::Page(Box::new(PageRecord { order, ..page(number as u64, path) })));
        }
    }
    for (number, parts) in [deep.as_str(), long_path.as_str()].iter().enumerate() {
        let parts: Vec<&str> = parts.split('/').collect();
        for depth in 1..=parts.len() {
            let id = 100 * (number as u64 + 1) + depth as u64;
            records.push(Record::Page(Box::new(page(id, &parts[..depth].join("/")))));
        }
    }
    add(&site, &records).await;
    assert_same_after_markdown(&site).await;
}

#[tokio::test]
async fn terms_with_the_same_or_with_unusual_names_are_distinguished_by_their_slugs() {
    let (site, _) = site().await;
    let names = [
        ("c", "C"),
        ("c-2", "c"),
        ("d", "c-2"),
        ("e", " E "),
        ("f", "F, g"),
        ("g", "G\nh"),
        ("h", "true"),
        ("i", "1.10"),
        ("unused", "Unused"),
    ];
    let mut records: Vec<Record> = Vec::new();
    for (slug_text, name) in names {
        let description = Some(format!("{name}\n")).filter(|_| slug_text > "e");
        records.push(Record::Tag(TermRecord { description, ..term(TermKind::Tag, slug_text, name) }));
        records.push(Record::Author(term(TermKind::Author, slug_text, name)));
    }
    let all: Vec<String> = names[..8].iter().map(|(slug_text, _)| (*slug_text).to_owned()).collect();
    let reversed: Vec<String> = all.iter().rev().cloned().collect();
    records.push(Record::Post(Box::new(PostRecord { tags: all, authors: reversed, ..post(1, "A", "b") })));
    let pair = vec!["f".to_owned(), "c-2".to_owned()];
    records.push(Record::Post(Box::new(PostRecord {
        tags: pair.clone(),
        categories: Vec::new(),
        authors: pair,
        ..post(2, "A", "b")
    })));
    add(&site, &records).await;
    assert_same_after_markdown(&site).await;
}

#[tokio::test]
async fn metadata_is_kept_whatever_its_keys_and_numbers_are() {
    let (site, _) = site().await;
    let texts = [
        "{\"tidings\":{\"type\":\"page\"},\"title\":[\"x\"],\"date\":\"soon\",\"draft\":\"maybe\",\"aliases\":[\"/a/\"],\"weight\":3,\"menu\":{\"main\":{\"weight\":2}}}",
        "{\"id\":12345678901234567890,\"n\":0.30000000000000004,\"big\":1e300,\"t\":\"1.5\",\"b\":true,\"z\":null,\"e\":{},\"l\":[]}",
        "{\"\":1,\" a \":2,\"a\\n\":3,\"null\":4,\"yes\":5,\"- x\":6,\"ä\":{\"b c\":[{\"d\":\"\\u0000\\u2028\"}]}}",
        "{\"extra\":{\"image\":\"a.png\",\"x\":1},\"params\":{\"x\":1},\"taxonomies\":{\"tags\":[\"a\"]},\"image\":{\"path\":\"x\"},\"tags\":[\"z\"],\"z\":1}",
        "{\"z\":1,\"a\":2,\"slug\":3,\"b\":4}",
    ];
    let mut records = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let own = metadata(text);
        records.push(Record::Post(Box::new(PostRecord { metadata: own.clone(), ..post(number as u64, "A", "b") })));
        records
            .push(Record::Page(Box::new(PageRecord { metadata: own, ..page(number as u64, &format!("p{number}")) })));
    }
    add(&site, &records).await;
    let files = assert_same_after_markdown(&site).await;
    let last = text(&files["posts/post-4.md"]);
    assert!(
        last.contains("\nz: 1\na: 2\nb: 4\n")
            && last.contains("  metadata: {slug: 3}\n  keys: [\"z\", \"a\", \"slug\", \"b\"]\n"),
        "{last}"
    );
}

#[tokio::test]
async fn a_picture_is_written_once_and_one_that_is_missing_is_a_note() {
    let (site, library, [one, two]) = site_with_pictures().await;
    let gone = format!("/assets/{}.png", "0".repeat(40));
    let bodies = [
        format!("![]({one}) [link]({two}) ![]({gone}) ![]({gone})"),
        format!("[only a link]({two})\n\n    ![]({one})\n\n```\n![]({one})\n```\n"),
        format!("![](https://api.example{one}?width=160#x) ![]({two}) ![](https://other.example{one})"),
        // What an import would take for an address of the export itself.
        format!("![](..{one}) ![]({two})"),
        format!("![](..{one})"),
        format!("![{}]({one})", "x".repeat(2_040)),
    ];
    let mut records: Vec<Record> = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| Record::Post(Box::new(post(number as u64, "A", body))))
        .collect();
    let lost = ImportedCover::Asset("0".repeat(40).parse().expect("a hash"));
    records.push(Record::Post(Box::new(PostRecord { cover_id: lost, ..post(90, "A", "b") })));
    add(&site, &records).await;
    let files = assert_same_after_markdown(&site).await;
    let (_, report) = markdown(&site).await;
    let notes: Vec<String> = report.notes.iter().map(|note| format!("{}: {}", note.origin, note.text)).collect();
    assert_eq!(
        notes,
        [
            format!("posts/post-0.md: its picture {gone} does not exist"),
            format!("posts/{}.md: its cover asset-{} does not exist", "post-90", "0".repeat(40)),
        ]
    );
    assert_eq!((report.pictures, files.keys().filter(|name| name.starts_with("assets/")).count()), (2, 2));
    assert_eq!(library.list().await.expect("pictures").len(), 2);
    assert!(text(&files["posts/post-0.md"]).ends_with(&format!("![](..{one}) [link]({two}) ![]({gone}) ![]({gone})")));
    let absolute = text(&files["posts/post-2.md"]);
    assert!(absolute.contains("\n  assets: \"https://api.example\"\n"), "{absolute}");
    assert!(
        absolute.ends_with(&format!("![](..{one}?width=160#x) ![]({two}) ![](https://other.example{one})")),
        "{absolute}"
    );
}

/// The alternative text is in the front matter of a later file than the first one that names the picture.
#[tokio::test]
async fn the_alternative_text_of_a_cover_is_kept_if_another_file_names_the_picture_first() {
    let source = folder(&[
        ("a.md", "---\ntitle: A\ndate: 2025-01-01\n---\n![](one.png)\n"),
        ("b.md", "---\ntitle: B\ndate: 2025-01-02\ncover: {image: one.png, alt: A boat}\n---\n"),
    ]);
    std::fs::write(source.path().join("one.png"), png(1)).expect("a file");
    let (site, _) = site().await;
    import(&site.content, source.path()).await.expect("an import");
    let files = assert_same_after_markdown(&site).await;
    assert!(text(&files["posts/b.md"]).contains(", alt: \"A boat\"}\n"));
}

#[tokio::test]
async fn an_author_keeps_the_picture_also_one_that_nothing_else_names_or_that_does_not_exist() {
    let (site, _, [_, picture]) = site_with_pictures().await;
    let hash =
        |path: &str| path.trim_start_matches("/assets/").split(['-', '.']).next().map(str::parse).and_then(Result::ok);
    let of = |slug: &str, avatar: &str| TermRecord { avatar_id: hash(avatar), ..term(TermKind::Author, slug, slug) };
    let missing = format!("/assets/{}.png", "0".repeat(40));
    add(&site, &[Record::Author(of("ada", &picture)), Record::Author(of("bo", &missing))]).await;
    let about = "---\ntitle: About\n---\n";
    let source = folder(&[("about.md", about)]);
    import(&site.content, source.path()).await.expect("an import");
    let files = assert_same_after_markdown(&site).await;
    let written = text(&files["authors/ada/_index.md"]);
    assert!(written.contains(&format!("avatar: \"../..{picture}\"\n")), "{written}");
    assert!(files.contains_key(picture.trim_start_matches('/')));
    let lines = json_lines(&site).await.join("\n");
    assert_eq!(lines.matches("\"avatarId\":\"asset-").count(), 2, "{lines}");
}

#[tokio::test]
async fn a_picture_that_only_a_link_or_metadata_names_is_kept() {
    let text = |body: &str| format!("---\ntitle: A\ndate: 2025-01-01\n{body}");
    let source = folder(&[("a.md", &text("---\n![](one.png) ![](two.png)\n"))]);
    for (name, red) in [("one.png", 1), ("two.png", 2)] {
        std::fs::write(source.path().join(name), png(red)).expect("a file");
    }
    let (site, library) = site().await;
    import(&site.content, source.path()).await.expect("an import");
    let stored = addresses_of(&library).await;
    let [one, two] = [0, 1].map(|at| &stored[at]);
    write(source.path(), "a.md", &text(&format!("gallery: [{one}]\n---\n[A link]({two})\n")));
    import(&site.content, source.path()).await.expect("an import");
    let files = assert_same_after_markdown(&site).await;
    assert_eq!(files.keys().filter(|name| name.starts_with("assets/")).count(), 2);
}

#[tokio::test]
async fn without_a_place_for_pictures_the_addresses_stay_and_one_note_says_so() {
    let (with, _, [one, _]) = site_with_pictures().await;
    add(&with, &[Record::Post(Box::new(post(1, "A", &format!("![]({one})"))))]).await;
    // Nor does an import need one to restore the addresses.
    let (exported, _) = markdown(&with).await;
    let to = Site::in_memory().await;
    import(&to.content, exported.path()).await.expect("an import");
    assert_eq!(json_lines(&to).await, json_lines(&with).await);
    let without = Site { content: with.content.clone().with_assets(None), ..with };
    let (folder, report) = markdown(&without).await;
    let notes: Vec<String> = report.notes.iter().map(|note| format!("{} {}", note.origin, note.text)).collect();
    assert_eq!(notes, ["pictures are not exported, because there is no place for pictures (`assets.store`)"]);
    let to = Site::in_memory().await;
    import(&to.content, folder.path()).await.expect("an import");
    assert_eq!(json_lines(&to).await, json_lines(&without).await);
}

#[tokio::test]
async fn a_picture_that_was_edited_in_the_folder_has_its_new_address() {
    let (site, _, [one, two]) = site_with_pictures().await;
    add(&site, &[Record::Post(Box::new(post(1, "A", &format!("![]({two}?width=160)"))))]).await;
    let (exported, _) = markdown(&site).await;
    for (path, red) in [(&one, 11), (&two, 12)] {
        std::fs::write(exported.path().join(&path[1..]), png(red)).expect("a file");
    }
    let (to, library) = self::site().await;
    import(&to.content, exported.path()).await.expect("an import");
    let names: Vec<String> = addresses_of(&library).await;
    let lines = json_lines(&to).await.join("\n");
    assert_eq!(names.len(), 2);
    let shown = |path: &String| lines.contains(&format!("![]({path}?width=160)"));
    assert!(
        names.iter().any(shown) && !lines.contains(&two) && !lines.contains(&one["/assets/".len()..][..40]),
        "{lines}"
    );
}

#[tokio::test]
async fn a_copied_file_must_not_have_the_id_of_the_first() {
    let (site, _) = site().await;
    add(&site, &[Record::Post(Box::new(post(1, "A", "b"))), Record::Page(Box::new(page(1, "about")))]).await;
    let (exported, _) = markdown(&site).await;
    for (from, to) in [("posts/post-1.md", "posts/copy.md"), ("pages/about/_index.md", "pages/copy.md")] {
        let text = std::fs::read_to_string(exported.path().join(from)).expect("a file");
        write(exported.path(), to, &text.replace("post-1", "copy").replace("/about/", "/copy/"));
    }
    let (to, _) = self::site().await;
    let report = import(&to.content, exported.path()).await.expect("an import");
    let failed: Vec<&str> = report.failed.iter().map(|failed| failed.origin.as_str()).collect();
    assert_eq!(
        (failed, report.made, report.pages.made),
        (vec!["pages/copy.md", "posts/post-1.md"], 1, 1),
        "{report:?}"
    );
}

#[tokio::test]
async fn an_edited_export_is_imported_as_people_write_front_matter() {
    let (site, _) = site().await;
    add(
        &site,
        &[
            Record::Tag(term(TermKind::Tag, "c", "C++")),
            Record::Post(Box::new(PostRecord { tags: vec!["c".to_owned()], ..post(1, "A", "b") })),
        ],
    )
    .await;
    let (exported, _) = markdown(&site).await;
    let path = exported.path().join("posts/post-1.md");
    let text = std::fs::read_to_string(&path).expect("a file");
    let edited = text
        .replace("tags: [\"C++\"]", "tags:\n- C++\n- New tag\ncolor: red")
        .replace("title: \"A\"", "title: Another");
    std::fs::write(&path, edited.replace("slug: \"post-1\"", "slug: renamed")).expect("a file");
    let report = import(&site.content, exported.path()).await.expect("an import");
    assert_eq!((report.made, report.changed, report.terms_made, report.failed), (0, 1, 1, Vec::new()));
    let lines = json_lines(&site).await;
    let line = lines.last().expect("a post");
    for part in [
        "\"slug\":\"renamed\",\"formerSlugs\":[\"post-1\"],\"title\":\"Another\"",
        "\"metadata\":{\"color\":\"red\"}",
        "\"tags\":[\"c\",\"new-tag\"]",
        "\"version\":4",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

/// Front matter of more than 1 MiB is not read, so it is not written either.
#[tokio::test]
async fn what_an_import_would_read_differently_is_not_written_but_named() {
    let (site, _) = site().await;
    let mut records = Vec::new();
    let mut slugs = Vec::new();
    for number in 0..100 {
        let (name, slug_text) = (format!("{}{number}", "🚀".repeat(490)), format!("t{number}"));
        records.push(Record::Category(term(TermKind::Category, &slug_text, &name)));
        records.push(Record::Tag(term(TermKind::Tag, &slug_text, &name)));
        records.push(Record::Author(term(TermKind::Author, &slug_text, &name)));
        slugs.push(slug_text);
    }
    let (authors, categories, tags) = (slugs.clone(), slugs.clone(), slugs);
    records.push(Record::Post(Box::new(PostRecord { authors, categories, tags, ..post(1, "A", "b") })));
    records.push(Record::Post(Box::new(post(2, "B", "b"))));
    add(&site, &records).await;
    let (exported, report) = markdown(&site).await;
    let failed: Vec<&str> = report.failed.iter().map(|failed| failed.origin.as_str()).collect();
    assert_eq!((failed, report.posts, report.terms), (vec!["posts/post-1.md"], 1, 300));
    assert!(!exported.path().join("posts/post-1.md").exists() && exported.path().join("posts/post-2.md").exists());
}
