//! Content as a folder of Markdown and back. The rule: after an export to a folder and an import of it into an empty store, both stores have the same JSON
//! Lines, and the same folder, byte for byte.

mod random;
mod unusual;

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::TempDir;
use tidings::assets::{AssetLibrary, AssetLimits};
use tidings::export::{Exported, export, export_markdown};
use tidings::import::jsonl::{Header, PageRecord, PostRecord, Record, Status, TermRecord, VERSION};
use tidings::import::{ImportedCover, ImportedLanguage};
use tidings::model::{CreationId, Metadata, PostId, TermId, TermKind, TermNodeId};

use crate::import::pictures::addresses_of;
use crate::support::corpora::corpora;
use crate::support::folder::{folder, import, write};
use crate::support::site::{Site, instant, slug};

type Files = BTreeMap<String, Vec<u8>>;

/// An empty site with a place for pictures.
async fn site() -> (Site, AssetLibrary) {
    let library = AssetLibrary::in_memory(AssetLimits::default());
    let site = Site::in_memory().await;
    (Site { content: site.content.clone().with_assets(Some(library.clone())), ..site }, library)
}

async fn json_lines(site: &Site) -> Vec<String> {
    let mut bytes = Vec::new();
    export(&site.content, &mut bytes).await.expect("an export");
    String::from_utf8(bytes).expect("UTF-8").lines().map(str::to_owned).collect()
}

async fn markdown(site: &Site) -> (TempDir, Exported) {
    let folder = tempfile::tempdir().expect("a folder");
    let report = export_markdown(&site.content, folder.path(), |_| {}).await.expect("an export");
    (folder, report)
}

fn files(root: &Path) -> Files {
    let (mut files, mut open) = (Files::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for child in std::fs::read_dir(folder).expect("a folder") {
            let path = child.expect("a child").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
                files.insert(name, std::fs::read(path).expect("a file"));
            }
        }
    }
    files
}

/// Exports, imports into an empty site, and compares both. Returns the files.
async fn assert_same_after_markdown(from: &Site) -> Files {
    let (exported, report) = markdown(from).await;
    assert_eq!(report.failed, Vec::new());
    let (to, _) = site().await;
    let imported = import(&to.content, exported.path()).await.expect("an import");
    assert_eq!(imported.failed, Vec::new());
    assert_eq!((imported.made, imported.pages.made), (report.posts, report.pages));
    let (before, after) = (json_lines(from).await, json_lines(&to).await);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before, after);
    }
    assert_eq!(before.len(), after.len());
    to.assert_sound().await;
    let (again, second) = markdown(&to).await;
    let (first, again) = (files(exported.path()), files(again.path()));
    assert_eq!(first.keys().collect::<Vec<_>>(), again.keys().collect::<Vec<_>>());
    for (name, bytes) in &first {
        assert!(*bytes == again[name], "{name}:\n{}\n{}", text(bytes), text(&again[name]));
    }
    assert_eq!((second.posts, second.pictures), (report.posts, report.pictures));
    let repeated = import(&to.content, exported.path()).await.expect("an import");
    assert_eq!((repeated.unchanged, repeated.pages.unchanged), (report.posts, report.pages), "{repeated:?}");
    first
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn png(red: u8) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let pixel = image::RgbImage::from_pixel(2, 2, image::Rgb([red, 0, 0]));
    pixel.write_to(&mut bytes, image::ImageFormat::Png).expect("a PNG");
    bytes.into_inner()
}

/// A site with two pictures, of which the first is a cover with an alternative text, and their addresses.
async fn site_with_pictures() -> (Site, AssetLibrary, [String; 2]) {
    let source = folder(&[(
        "about.md",
        "---\ntitle: About\ncover: {image: one.png, alt: \" A 'boat': red \"}\n---\n![](two.png)\n",
    )]);
    for (name, red) in [("one.png", 1), ("two.png", 2)] {
        std::fs::write(source.path().join(name), png(red)).expect("a file");
    }
    let (site, library) = site().await;
    let report = import(&site.content, source.path()).await.expect("an import");
    assert_eq!((report.failed.len(), report.pages.made), (0, 1), "{report:?}");
    let lines = json_lines(&site).await.join("\n");
    let mut paths: Vec<String> = addresses_of(&library).await;
    paths.sort_by_key(|path| lines.contains(path.as_str()));
    let paths = paths.try_into().expect("two pictures");
    (site, library, paths)
}

/// Adds the records of an export to a site.
async fn add(site: &Site, records: &[Record]) {
    let mut lines = serde_json::to_string(&Header { tidings: VERSION }).expect("JSON");
    for record in records {
        lines.push('\n');
        lines.push_str(&serde_json::to_string(record).expect("JSON"));
    }
    let source = tempfile::tempdir().expect("a folder");
    write(source.path(), "all.jsonl", &lines);
    let report = import(&site.content, &source.path().join("all.jsonl")).await.expect("an import");
    assert_eq!(report.failed, Vec::new());
}

fn post(number: u64, title: &str, body: &str) -> PostRecord {
    let at = instant("2025-01-02T03:04:05.1234567Z");
    PostRecord {
        id: PostId::from_bits(number).to_string(),
        slug: slug(&format!("post-{number}")),
        former_slugs: Vec::new(),
        title: title.to_owned(),
        subtitle: None,
        excerpt: None,
        markdown: body.to_owned(),
        metadata: Some(Metadata::default()),
        cover_id: ImportedCover::None,
        enclosure: None,
        language: ImportedLanguage::None,
        translation_group: None,
        featured: Some(false),
        status: Status::Published,
        version: 3,
        created_at: at,
        updated_at: at,
        published_at: Some(at),
        unpublish_at: None,
        authors: Vec::new(),
        categories: Vec::new(),
        tags: Vec::new(),
        series: Some(Vec::new()),
        series_position: None,
        origin: None,
    }
}

fn term(kind: TermKind, slug_text: &str, name: &str) -> TermRecord {
    let key = TermId { kind, first_slug: slug(slug_text) };
    TermRecord {
        node_id: Some(TermNodeId { key, creation: CreationId::from_bits(7) }.to_string()),
        version: 2,
        slug: slug(slug_text),
        former_slugs: Vec::new(),
        name: name.to_owned(),
        description: None,
        parent: None,
        url: None,
        avatar_id: None,
        job_title: None,
        links: Vec::new(),
    }
}

fn page(number: u64, path: &str) -> PageRecord {
    let at = instant("2025-02-03T04:05:06Z");
    PageRecord {
        id: PostId::from_bits(1_000 + number).to_string(),
        path: path.parse().expect("a path"),
        former_paths: Vec::new(),
        title: path.to_owned(),
        subtitle: None,
        excerpt: None,
        markdown: "Text.".to_owned(),
        metadata: Some(Metadata::default()),
        cover_id: ImportedCover::None,
        language: ImportedLanguage::None,
        translation_group: None,
        order: None,
        version: 1,
        created_at: at,
        updated_at: at,
        published_at: Some(at),
        unpublish_at: None,
        origin: None,
    }
}

macro_rules! corpus {
    ($name:ident, $path:literal) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
        async fn $name() {
            let (site, _) = site().await;
            import(&site.content, &corpora().join($path)).await.expect("an import");
            assert_same_after_markdown(&site).await;
        }
    };
}

corpus!(the_go_blog_is_the_same_after_an_export_to_markdown, "go-blog");
corpus!(the_rust_blog_is_the_same_after_an_export_to_markdown, "rust-blog");
corpus!(the_jekyll_blog_is_the_same_after_an_export_to_markdown, "jekyll-blog");
corpus!(a_wordpress_site_is_the_same_after_an_export_to_markdown, "wordpress/themeunittestdata.wordpress.xml");
