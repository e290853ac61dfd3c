//! The front matter of themes and generators under its many names. The rule: each name of a thing is read.

use tidings::import::ImportedPost;

use super::read_folder::ReadFolder;
use crate::support::folder::{folder, import};
use crate::support::site::Site;

fn names(terms: &[tidings::import::Term]) -> Vec<&str> {
    terms.iter().map(|term| term.name.as_str()).collect()
}

fn metadata(post: &ImportedPost) -> &str {
    post.metadata.as_ref().expect("metadata").text()
}

#[test]
fn keys_are_read_in_any_case_and_the_metadata_keeps_their_names() {
    let (post, notes) = ReadFolder::post(
        "Title: Harbour\nDate: 2020-01-01\nTags: [boats]\nCategories: [News]\nAuthor: Ada\nSlug: open\nDescription: D\nLastMod: 2020-02-01\n\
         Lang: de\nSeries: Quay\nSeries_Order: 2\nFeatured: true\nAliases: [/old]\nMyKey: 1",
    );
    assert_eq!(
        (post.title.as_str(), post.slug.as_deref(), post.excerpt.as_deref()),
        ("Harbour", Some("open"), Some("D"))
    );
    assert_eq!(post.published_at.map(|at| at.to_string()).as_deref(), Some("2020-01-01T00:00:00Z"));
    assert_eq!(post.updated_at.map(|at| at.to_string()).as_deref(), Some("2020-02-01T00:00:00Z"));
    let terms = [&post.tags, &post.categories, &post.authors, post.series.as_ref().expect("a series")]
        .map(|terms| names(terms));
    assert_eq!(terms, [["boats"], ["News"], ["Ada"], ["Quay"]]);
    assert_eq!((post.is_featured, post.series_position, post.aliases.len()), (Some(true), Some(2), 1));
    assert_eq!(metadata(&post), r#"{"Series_Order":2,"Aliases":["/old"],"MyKey":1}"#);
    assert_eq!(notes, Vec::<String>::new());
    let (both, _) = ReadFolder::post("date: 2020-01-01\nTitle: Other\ntitle: Own");
    assert_eq!((both.title.as_str(), metadata(&both)), ("Own", r#"{"Title":"Other"}"#));
}

#[test]
fn data_in_yaml_counts_if_the_site_has_a_configuration_of_eleventy() {
    let files = [
        ("src/posts/posts.yml", "tags: [boats]\n"),
        ("src/posts/a/index.md", "## At sea\n"),
        ("src/posts/a/index.yml", "title: Not a boat\ndate: 2020-01-01\n"),
        ("src/posts/b.md", "---\ndate: 2020-01-02\n---\n"),
        ("src/posts/b.yaml", "permalink: false\n"),
        ("src/posts/c.md", "---\ndate: 2020-01-03\n---\n"),
        ("src/posts/c.11tydata.yml", "permalink: false\n"),
    ];
    let read = ReadFolder::of(&[&files[..], &[("eleventy.config.js", "")]].concat());
    let post = &read.posts["src/posts/a/index.md"];
    assert_eq!(
        (post.title.as_str(), names(&post.tags), post.markdown.as_str()),
        ("Not a boat", vec!["boats"], "## At sea\n")
    );
    assert!(read.posts["src/posts/b.md"].is_draft && read.posts["src/posts/c.md"].is_draft);
    let other = ReadFolder::of(&files);
    assert_eq!(other.posts.keys().collect::<Vec<_>>(), ["src/posts/b.md", "src/posts/c.md"]);
    let computed = "---\ndate: 2020-01-01\npagination: {size: 1}\neleventyComputed: {x: '{{ y }}'}\n---\n{% if a %}{% raw %}{{ b }}{% endraw %}\n";
    let read = ReadFolder::of(&[("posts/a.md", computed), (".eleventy.js", "")]);
    let post = &read.posts["posts/a.md"];
    assert_eq!(metadata(post), r#"{"pagination":{"size":1},"eleventyComputed":{"x":"{{ y }}"}}"#);
    assert_eq!(post.markdown, "{% if a %}{{ b }}\n");
    let (b, c) = (&other.posts["src/posts/b.md"], &other.posts["src/posts/c.md"]);
    assert!(!b.is_draft && b.tags.is_empty() && c.is_draft);
}

#[test]
fn a_date_of_publication_is_read_under_every_name_of_a_theme() {
    for key in [
        "date",
        "pubDate",
        "pubdate",
        "pubDatetime",
        "publishDate",
        "publishdate",
        "published",
        "publishedAt",
        "published_at",
        "published_date",
        "published-on",
        "datePublished",
        "publicationDate",
        "postDate",
        "posted",
        "datetime",
        "created",
        "createdAt",
        "date_created",
    ] {
        let (post, notes) = ReadFolder::post(&format!("title: A\n{key}: 2023-05-01"));
        assert_eq!(post.published_at.map(|at| at.to_string()).as_deref(), Some("2023-05-01T00:00:00Z"), "{key}");
        assert_eq!((metadata(&post), notes.len()), ("{}", 0), "{key}: {notes:?}");
    }
    let (post, _) = ReadFolder::post("date:\n  created: 2023-05-01\n  updated: 2023-06-01");
    let dates = [post.published_at, post.updated_at].map(|at| at.map(|at| at.to_string()));
    assert_eq!(dates, [Some("2023-05-01T00:00:00Z".to_owned()), Some("2023-06-01T00:00:00Z".to_owned())]);
    assert!(ReadFolder::post("date: [2023-05-01]").0.published_at.is_some());
    let (post, _) = ReadFolder::post("posted: yes\npubDate: 2023-05-01\ndate: soon");
    assert_eq!((post.published_at.is_some(), metadata(&post)), (true, r#"{"posted":"yes","date":"soon"}"#));
    // Outside of a folder of posts, the time of its creation does not make a file a post.
    let read = ReadFolder::of(&[("guide.md", "---\ntitle: A\ncreated: 2023-05-01\n---\n")]);
    assert_eq!(read.pages["guide.md"].created_at.map(|at| at.to_string()).as_deref(), Some("2023-05-01T00:00:00Z"));
}

#[test]
fn a_date_that_eleventy_computes_makes_a_page() {
    for date in ["Last Modified", "git Created"] {
        let text = format!("---\ntitle: A\ndate: {date}\n---\n");
        let read = ReadFolder::of(&[("a.md", &text)]);
        assert_eq!((read.pages.len(), read.failed.len()), (1, 0), "{date}");
    }
}

/// A file of a site, and whether it is a post.
type Dated = (&'static str, &'static str, bool);

#[test]
fn a_file_with_a_date_is_a_post_where_the_site_has_its_posts() {
    let sites: &[&[Dated]] = &[
        &[
            ("content/posts/first.md", "", true),
            ("content/about.md", "", false),
            ("content/docs/start.md", "", false),
            ("content/talks/one.md", "", false),
            ("content/talks/two.md", "type: post\n", true),
            ("content/talks/2020-01-01-three.md", "", true),
            ("content/docs/blog/release.md", "", true),
            ("content/posts/docs/deep.md", "", false),
        ],
        &[("source/_posts/a.md", "", true), ("source/about/index.md", "type: about\n", false)],
        &[
            ("first.md", "", true),
            ("second.md", "layout: layouts/post.njk\n", true),
            ("about.md", "layout: page\n", false),
        ],
        &[("docs/a.md", "", false), ("poems/b.md", "", true), ("c.md", "", true)],
    ];
    for site in sites {
        let texts: Vec<_> =
            site.iter().map(|(file, front, _)| (*file, format!("---\ndate: 2020-01-01\n{front}---\n"))).collect();
        let files: Vec<_> = texts.iter().map(|(file, text)| (*file, text.as_str())).collect();
        let read = ReadFolder::of(&files);
        for (file, _, is_post) in *site {
            assert_eq!(
                (read.posts.contains_key(*file), read.pages.contains_key(*file)),
                (*is_post, !is_post),
                "{file}"
            );
            let has_note = read.notes.iter().any(|note| note.starts_with(&format!("{file}: has a date and is a page")));
            assert_eq!(has_note, !is_post, "{file}");
        }
        for page in read.pages.values() {
            assert_eq!(page.metadata.as_ref().map(|of| of.text().contains("2020-01-01")), Some(true), "{page:?}");
            assert_eq!(page.created_at.map(|at| at.to_string()).as_deref(), Some("2020-01-01T00:00:00Z"));
        }
    }
}

#[test]
fn a_large_section_beside_a_small_folder_of_posts_keeps_its_posts() {
    let names: Vec<String> = (0..12).map(|n| format!("content/poems/p{n}.md")).collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), "---\ndate: 2020-01-01\n---\n")).collect();
    files.push(("content/news/a.md", "---\ndate: 2020-01-01\n---\n"));
    files.push(("content/about.md", "---\ndate: 2020-01-01\n---\n"));
    let read = ReadFolder::of(&files);
    assert_eq!((read.posts.len(), read.pages.len()), (13, 1));
}

#[tokio::test]
async fn the_categories_of_hexo_are_a_tree() {
    let files = folder(&[
        ("source/_posts/a.md", "---\ndate: 2020-01-01\ncategories: [Sports, On water, Rowing]\n---\n"),
        ("source/_posts/b.md", "---\ndate: 2020-01-01\ncategories: [[sports, On land], [Play]]\n---\n"),
        ("source/_posts/c.md", "---\ndate: 2020-01-01\ncategories: [Play, Boats]\n---\n"),
        ("source/_posts/d.md", "---\ndate: 2020-01-01\ncategories: [Rowing, Boats]\n---\n"),
        ("posts/e.md", "---\ndate: 2020-01-01\ncategories: [Play, Rest]\n---\n"),
    ]);
    let site = Site::in_memory().await;
    let report = import(&site.content, files.path()).await.expect("an import");
    let notes: Vec<_> = report.notes.iter().map(|note| format!("{}: {}", note.origin, note.text)).collect();
    assert_eq!(notes, ["category Boats: is below several categories, so it is imported without a parent"]);
    let found = site.query("{ categories(first: 20) { nodes { slug parent { slug } } } }").await;
    let nodes = found["categories"]["nodes"].as_array().expect("categories").iter();
    let mut tree: Vec<_> =
        nodes.map(|node| (node["slug"].as_str().expect("a slug"), node["parent"]["slug"].as_str())).collect();
    tree.sort_unstable();
    let expected = [
        ("boats", None),
        ("on-land", Some("sports")),
        ("on-water", Some("sports")),
        ("play", None),
        ("rest", None),
        ("rowing", Some("on-water")),
        ("sports", None),
    ];
    assert_eq!(tree, expected);
}

#[test]
fn front_matter_of_hexo_needs_no_first_line() {
    let read = ReadFolder::of(&[("source/_posts/a.md", "title: A\ndate: 2020-01-01\ntags: [b]\n\n---\n\nText.\n")]);
    let post = &read.posts["source/_posts/a.md"];
    assert_eq!((post.title.as_str(), names(&post.tags), post.markdown.as_str()), ("A", vec!["b"], "\nText.\n"));
}

#[test]
fn raw_text_of_liquid_has_no_marks_if_a_generator_reads_them() {
    let text = "---\ntitle: A\ndate: 2020-01-01\n---\n`{% raw %}{{ a }}{% endraw %}`\n";
    let read = ReadFolder::of(&[("_posts/2020-01-01-a.md", text), ("about.md", text)]);
    assert_eq!(read.posts["_posts/2020-01-01-a.md"].markdown, "`{{ a }}`\n");
    assert!(read.pages["about.md"].markdown.contains("raw"));
    let read = ReadFolder::of(&[("_posts/2020-01-01-a.md", text), ("about.md", text), (".eleventy.js", "")]);
    assert_eq!(read.pages["about.md"].markdown, "`{{ a }}`\n");
}

#[test]
fn terms_are_read_as_each_generator_writes_them() {
    let nested = "categories:\n- [Sports, Rowing]\n- [Sports, Sailing]\n- Play";
    let (post, notes) = ReadFolder::post(&format!("date: 2020-01-01\n{nested}"));
    assert_eq!(names(&post.categories), ["Sports", "Rowing", "Sailing", "Play"]);
    assert_eq!(notes, Vec::<String>::new());
    assert!(metadata(&post).contains("Sailing"), "the nesting");
    for (file, expected) in [
        ("_posts/2020-01-01-a.md", &["release", "notes"][..]),
        ("blog/_posts/2020-01-01-a.md", &["release", "notes"]),
        ("source/_posts/a.md", &["release notes"]),
        ("posts/a.md", &["release notes"]),
    ] {
        let read = ReadFolder::of(&[(
            file,
            "---\ntitle: A\ndate: 2020-01-01\ntags: release notes\ncategory: big news\n---\n",
        )]);
        let post = &read.posts[file];
        assert_eq!((names(&post.tags), names(&post.categories)), (expected.to_vec(), vec!["big news"]), "{file}");
        assert_eq!(metadata(post), "{}", "{file}");
    }
}

#[test]
fn yaml_is_read_as_the_parsers_of_the_generators_read_it() {
    let (post, _) = ReadFolder::post(
        "defaults: &d {tags: [a], author: Ada}\n<<: *d\ndate: 2020-01-01\ntitle: \"A title\nin two lines\"",
    );
    assert_eq!(
        (post.title.as_str(), names(&post.tags), names(&post.authors)),
        ("A title in two lines", vec!["a"], vec!["Ada"])
    );
}
