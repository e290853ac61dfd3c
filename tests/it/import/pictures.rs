//! Pictures of a folder of Markdown. The rule: a picture that can be added is an asset, and its address in the text is that of the asset; any other stays as it
//! is, and the report says why.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use tidings::assets::{AssetLibrary, AssetLimits};
use tidings::import::open;
use tidings::ingest::{self, ImportOptions, ImportReport};
use tidings::model::AssetName;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use crate::support::azurite::{Azurite, random_prefix};
use crate::support::faulty::{FaultyStore, Last, let_requests_arrive};
use crate::support::folder::{counts, folder, import, write};
use crate::support::memory::MemoryStore;
use crate::support::site::Site;

/// A PNG of one pixel in this colour.
pub fn png(red: u8) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let pixel = image::RgbImage::from_pixel(2, 2, image::Rgb([red, 0, 0]));
    pixel.write_to(&mut bytes, image::ImageFormat::Png).expect("a PNG");
    bytes.into_inner()
}

pub fn write_bytes(folder: &TempDir, name: &str, bytes: &[u8]) {
    write(folder.path(), name, "");
    std::fs::write(folder.path().join(name), bytes).expect("a file");
}

/// A site with a place for pictures.
pub async fn site_over(store: Store, library: &AssetLibrary) -> Site {
    let site = Site::over(store).await;
    Site { content: site.content.clone().with_assets(Some(library.clone())), ..site }
}

pub fn library() -> AssetLibrary {
    AssetLibrary::in_memory(AssetLimits { file_bytes: 10_000, ..AssetLimits::default() })
}

/// The addresses of all files; pictures are like [`png`].
pub async fn addresses_of(library: &AssetLibrary) -> Vec<String> {
    let names = library.list().await.expect("files").into_iter();
    names.map(|name| AssetName { size: name.kind.is_image().then_some((2, 2)), ..name }.path()).collect()
}

const PDF: &[u8] = b"%PDF-1.7\n%%EOF\n";

/// Links to files beside the text, below the folders that generators serve, to one that does not exist, to one that is not what it says, and to none.
const LINKING: &str = "---\ntitle: A\ndate: 2025-01-01\ncover: slides.pdf\n---\n[Slides](slides.pdf) [all](/files/All.ZIP \"All\") [gone](gone.pdf) \
                       [bad](bad.mp3) [page](b.md) [other](https://example.com/x.pdf) `[a](slides.pdf)`\n";

#[tokio::test(flavor = "multi_thread")]
async fn files_to_which_a_text_links_are_imported_and_exported_again() {
    let folder = folder(&[("posts/a.md", LINKING), ("posts/b.md", "---\ntitle: B\ndate: 2025-01-02\n---\nB.\n")]);
    for (name, bytes) in
        [("posts/slides.pdf", PDF), ("static/files/All.ZIP", b"PK\x05\x06"), ("posts/bad.mp3", b"<script>")]
    {
        write_bytes(&folder, name, bytes);
    }
    let library = library();
    let site = site_over(Arc::new(EmbeddedStore::in_memory().expect("a store")), &library).await;
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&report).0, report.pictures.made), (2, 2), "{report:?}");
    let refused = notes(&report).into_iter().find(|note| note.contains("bad.mp3")).expect("a note");
    assert!(refused.contains("is not imported: the file does not begin as a .mp3 file does"), "{refused}");
    let query = "{ post(slug: \"a\") { cover { id } body { markdown } } }";
    let read = site.query(query).await;
    let mut names: Vec<String> = addresses_of(&library).await;
    names.sort_by_key(|name| name.ends_with("zip"));
    let [slides, all] = names.as_slice() else { panic!("{names:?}") };
    let markdown = format!(
        "[Slides]({slides}) [all]({all} \"All\") [gone](gone.pdf) [bad](bad.mp3) [page](/posts/b) \
         [other](https://example.com/x.pdf) `[a](slides.pdf)`\n"
    );
    assert_eq!(read["post"], json!({ "cover": null, "body": { "markdown": markdown } }), "a PDF is no cover");
    let again = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&again).2, again.pictures.unchanged), (2, 2), "{again:?}");

    let backup = tempfile::tempdir().expect("a folder");
    let exported = tidings::export::export_with_pictures(&site.content, backup.path()).await.expect("an export");
    assert_eq!((exported.pictures, exported.notes), (2, Vec::new()));
    let markdown_folder = tempfile::tempdir().expect("a folder");
    tidings::export::export_markdown(&site.content, markdown_folder.path(), |_| {}).await.expect("an export");
    for source in [backup.path(), markdown_folder.path()] {
        let copies = self::library();
        let copy = site_over(Arc::new(EmbeddedStore::in_memory().expect("a store")), &copies).await;
        let report = import(&copy.content, source).await.expect("an import");
        assert_eq!((counts(&report).0, report.pictures.made), (2, 2), "{report:?}");
        assert_eq!(copy.query(query).await, read);
        let mut copied: Vec<String> = addresses_of(&copies).await;
        copied.sort_by_key(|name| name.ends_with("zip"));
        assert_eq!(copied, names);
        copy.assert_sound().await;
    }
}

const BUNDLE: &str = "---\ntitle: A\ndate: 2025-01-01\ncover: {image: cover.png, alt: A boat}\n---\n![One](one.png) and \
                      <img src=\"../static/two.png\"> ![](/two.png)\n\n`![](one.png)` ![](https://example.com/one.png)\n";

fn bundle() -> TempDir {
    let folder = folder(&[
        ("posts/a/index.md", BUNDLE),
        ("about.md", "---\ntitle: B\nimage: /two.png\n---\n![x][x]\n\n[x]: posts/a/one.png\n"),
        ("posts/plain.md", "---\ntitle: C\ndate: 2025-01-02\nimage: https://example.com/x.png\n---\nC.\n"),
    ]);
    for (name, red) in
        [("posts/a/cover.png", 1), ("posts/a/one.png", 2), ("static/two.png", 3), ("posts/static/two.png", 3)]
    {
        write_bytes(&folder, name, &png(red));
    }
    folder
}

pub fn notes(report: &ImportReport) -> Vec<String> {
    report.notes.iter().map(|note| format!("{}: {}", note.origin, note.text)).collect()
}

#[tokio::test]
async fn the_pictures_that_a_program_of_mdx_names_are_imported() {
    let text = "---\ntitle: A\ndate: 2025-01-01\n---\nimport boat from '../files/boat.png';\n\n<Image\n  src={boat}\n  alt=\"A boat\"\n  style={{ a: 'b' }}\n/>\n\n\
                <img src={require('../files/sea.png').default} /> and <Figure src={boat}>text</Figure>\n";
    let folder = folder(&[("posts/a.mdx", text)]);
    write_bytes(&folder, "files/boat.png", &png(1));
    write_bytes(&folder, "files/sea.png", &png(2));
    let library = library();
    let site = site_over(MemoryStore::empty(), &library).await;
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!(notes(&report), ["posts/a.mdx: components are not rendered, only what is inside them: Figure"]);
    let read = site.query("{ posts { nodes { body { html } } } }").await;
    let html = read["posts"]["nodes"][0]["body"]["html"].as_str().expect("HTML");
    let names: Vec<String> = addresses_of(&library).await;
    assert_eq!(names.len(), 2, "{html}");
    assert!(names.iter().all(|name| html.contains(name)) && html.contains("alt=\"A boat\""), "{html}");
}

async fn a_folder_is_imported_with_its_pictures(store: Store) {
    let (folder, library) = (bundle(), library());
    let site = site_over(store, &library).await;
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made), ((2, 0, 0, 0), 1), "{report:?}");
    assert_eq!(notes(&report), Vec::<String>::new());
    let read = site
        .query("{ posts { nodes { title cover { url alt width } body { markdown } metadata } } page(path: \"about\") { cover { url } body { markdown } } }")
        .await;
    let post = &read["posts"]["nodes"][1];
    let names: Vec<String> = addresses_of(&library).await;
    assert_eq!(names.len(), 3);
    let cover = post["cover"]["url"].as_str().expect("a URL");
    assert!(names.contains(&cover.to_owned()));
    assert_eq!((&post["cover"]["alt"], &post["cover"]["width"]), (&json!("A boat"), &json!(2)));
    // Nothing that the front matter says is lost.
    assert_eq!(post["metadata"], json!({ "cover": { "image": "cover.png", "alt": "A boat" } }));
    assert_eq!(read["posts"]["nodes"][0]["cover"], Value::Null);
    let two = read["page"]["cover"]["url"].as_str().expect("a URL");
    let one = names.iter().find(|name| *name != cover && *name != two).expect("the other picture");
    assert_eq!(
        post["body"]["markdown"],
        json!(format!(
            "![One]({one}) and <img src=\"{two}\"> ![]({two})\n\n`![](one.png)` ![](https://example.com/one.png)\n"
        ))
    );
    assert_eq!(read["page"]["body"]["markdown"], json!(format!("![x][x]\n\n[x]: {one}\n")));
    assert_eq!(library.decoded(), 3, "a picture in two folders is decoded once");
    for _ in 0..2 {
        let again = import(&site.content, folder.path()).await.expect("an import");
        assert_eq!((counts(&again), again.pages.unchanged), ((0, 0, 2, 0), 1));
        assert_eq!(library.decoded(), 3, "a second import decodes nothing");
    }
    assert_eq!(library.list().await.expect("pictures").len(), 3);
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_imported_with_its_pictures_into_a_file() {
    a_folder_is_imported_with_its_pictures(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_imported_with_its_pictures_into_tables_in_memory() {
    a_folder_is_imported_with_its_pictures(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_imported_with_its_pictures_into_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    a_folder_is_imported_with_its_pictures(Arc::new(store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_is_refused_stays_in_the_text_and_is_in_the_report() {
    let body =
        "![](gone.png) ![](../../secret.png) ![](a.svg) ![](large.png) ![](text.png) ![](link.png) ![](good.png)\n";
    let text = format!("---\ntitle: A\ndate: 2025-01-01\ncover: gone.png\n---\n{body}");
    let outside = tempfile::tempdir().expect("a folder");
    let root = folder(&[
        ("posts/a.md", &text),
        ("posts/a.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><g></svg>"),
        ("posts/text.png", "no picture at all"),
    ]);
    write_bytes(&root, "posts/large.png", &[0; 10_001]);
    write_bytes(&root, "posts/good.png", &png(9));
    std::fs::write(outside.path().join("secret.png"), png(8)).expect("a file");
    std::os::unix::fs::symlink(outside.path().join("secret.png"), root.path().join("posts/link.png")).expect("a link");
    let library = library();
    let site = site_over(MemoryStore::empty(), &library).await;
    let report = import(&site.content, root.path()).await.expect("an import");
    assert_eq!(counts(&report), (1, 0, 0, 0));
    let found = notes(&report);
    for (picture, reason) in [
        ("gone.png", "there is no such file"),
        ("../../secret.png", "its path leads out of the imported folder"),
        ("a.svg", "the SVG picture is damaged"),
        ("large.png", "the file has 10001 bytes"),
        ("text.png", "not a JPEG, PNG, GIF, WebP or SVG"),
        ("link.png", "a link leads out of the imported folder"),
    ] {
        let start = format!("posts/a.md, picture {picture}: is not imported: ");
        assert!(found.iter().any(|note| note.starts_with(&start) && note.contains(reason)), "{picture}: {found:#?}");
    }
    assert_eq!(found.len(), 6, "{found:#?}");
    let read = site.query("{ posts { nodes { cover { id } body { markdown } metadata } } }").await;
    let good = addresses_of(&library).await.remove(0);
    let post = &read["posts"]["nodes"][0];
    assert_eq!(post["body"]["markdown"], json!(body.replace("good.png", &good)));
    assert_eq!((&post["cover"], &post["metadata"]), (&Value::Null, &json!({ "cover": "gone.png" })));
    let again = import(&site.content, root.path()).await.expect("an import");
    assert_eq!((counts(&again), again.notes), ((0, 0, 1, 0), report.notes));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_place_for_pictures_the_text_stays_and_the_report_says_it_once() {
    let folder = bundle();
    let site = Site::in_memory().await;
    let report = import(&site.content, folder.path()).await.expect("an import");
    let of_pictures: Vec<_> = report.notes.iter().filter(|note| note.origin == "pictures").collect();
    assert_eq!((counts(&report), of_pictures.len()), ((2, 0, 0, 0), 1), "{report:?}");
    let read = site.query("{ posts { nodes { cover { id } body { markdown } } } }").await;
    let body = BUNDLE.split("---\n").nth(2).expect("a body");
    assert_eq!(read["posts"]["nodes"][1], json!({ "cover": null, "body": { "markdown": body } }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_checks_the_pictures_and_stores_none() {
    let (folder, library) = (bundle(), library());
    let site = site_over(MemoryStore::empty(), &library).await;
    let options = ImportOptions { dry_run: true, ..ImportOptions::default() };
    let source = Arc::new(open(Path::new(folder.path()), None).expect("a source"));
    let report = ingest::import(&site.content, source, options, |_, _| {}).await.expect("a dry run");
    assert_eq!(counts(&report), (2, 0, 0, 0));
    assert_eq!(library.list().await.expect("pictures").len(), 0);
}

/// The import stops at every request, also between a picture and its post. What it has added then is used by the next one.
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_import_is_completed_by_the_next_one() {
    let folder = bundle();
    for requests in (0..).step_by(3) {
        let (store, library): (Store, _) = (MemoryStore::empty(), library());
        let stopping = FaultyStore::stopping_after_start(Arc::clone(&store), requests, Last::Done);
        let site = site_over(stopping.clone(), &library).await;
        stopping.begin();
        let stopped = import(&site.content, folder.path()).await;
        if !stopping.has_stopped() {
            assert!(stopped.is_ok() && requests > 20, "the import was never stopped");
            return;
        }
        let_requests_arrive(&store).await;
        let site = site_over(Arc::clone(&store), &library).await;
        site.content.recover_assets().await.expect("a recovery");
        let report = import(&site.content, folder.path()).await.expect("an import");
        assert_eq!(report.failed, Vec::new(), "stopped at request {requests}");
        assert_eq!(library.list().await.expect("pictures").len(), 3, "stopped at request {requests}");
        let again = import(&site.content, folder.path()).await.expect("an import");
        assert_eq!((counts(&again), again.pages.unchanged), ((0, 0, 2, 0), 1), "stopped at request {requests}");
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_every_width_are_imported() {
    let body = "<picture><source srcset=\"one.png 1x, two.png 2x\"><img src=\"one.png\" srcset='two.png?v=1 640w'></picture>\n";
    let root = folder(&[("a.md", &format!("---\ntitle: A\ndate: 2025-01-01\n---\n{body}"))]);
    for (name, red) in [("one.png", 1), ("two.png", 2)] {
        write_bytes(&root, name, &png(red));
    }
    let library = library();
    let site = site_over(MemoryStore::empty(), &library).await;
    let report = import(&site.content, root.path()).await.expect("an import");
    assert_eq!((counts(&report), notes(&report)), ((1, 0, 0, 0), Vec::new()));
    assert_eq!(library.list().await.expect("pictures").len(), 2);
    let read = site.query("{ posts { nodes { body { markdown } } } }").await;
    let text = read["posts"]["nodes"][0]["body"]["markdown"].as_str().expect("a text").to_owned();
    assert!(text.matches("/assets/").count() == 4 && !text.contains("one.png") && !text.contains("?v=1"), "{text}");
}

/// A PNG with all of its parts, in which the pixels are missing.
fn undecodable() -> Vec<u8> {
    let chunk = |kind_and_data: &[u8]| {
        let mut crc = flate2::Crc::new();
        crc.update(kind_and_data);
        let length = (kind_and_data.len() - 4) as u32;
        [&length.to_be_bytes(), kind_and_data, &crc.sum().to_be_bytes()].concat()
    };
    let header = [b"IHDR".as_slice(), &[0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0]].concat();
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(&header), chunk(b"IDAT\x78\x9c\x03\0\0\0\0\x01"), chunk(b"IEND")].concat()
}

/// Copies of a picture under other names, also with other metadata, are decoded once; what the site has is not decoded again.
#[tokio::test(flavor = "multi_thread")]
async fn the_bytes_of_a_picture_are_decoded_once() {
    let body = "![](one.png) ![](copy.png) ![](two.png) ![](bad.png) ![](bad-copy.png)\n";
    let root = folder(&[("a.md", &format!("---\ntitle: A\ndate: 2025-01-01\ncover: one.png\n---\n{body}"))]);
    let text_chunk = [png(1)[..33].to_vec(), b"\0\0\0\x03tEXta\0b".to_vec(), {
        let mut crc = flate2::Crc::new();
        crc.update(b"tEXta\0b");
        crc.sum().to_be_bytes().to_vec()
    }];
    let with_text = [text_chunk.concat(), png(1)[33..].to_vec()].concat();
    for (name, bytes) in [
        ("one.png", png(1)),
        ("copy.png", with_text),
        ("two.png", png(2)),
        ("bad.png", undecodable()),
        ("bad-copy.png", undecodable()),
    ] {
        write_bytes(&root, name, &bytes);
    }
    let library = library();
    let site = site_over(MemoryStore::empty(), &library).await;
    let options = ImportOptions { dry_run: true, ..ImportOptions::default() };
    let source = || Arc::new(open(root.path(), None).expect("a source"));
    let tried = ingest::import(&site.content, source(), options, |_, _| {}).await.expect("a dry run");
    assert_eq!(library.decoded(), 4, "two pictures, and two that are refused");
    let report = import(&site.content, root.path()).await.expect("an import");
    assert_eq!((library.decoded(), library.list().await.expect("pictures").len()), (8, 2));
    assert_eq!(report.notes, tried.notes);
    let refused = notes(&report);
    assert!(
        refused.len() == 2 && refused.iter().all(|note| note.contains("the PNG picture is damaged")),
        "{refused:?}"
    );
    let again = import(&site.content, root.path()).await.expect("an import");
    assert_eq!((counts(&again), &again.notes), ((0, 0, 1, 0), &report.notes));
    assert_eq!(library.decoded(), 10, "only those that are not stored");
    let other = folder(&[("b.md", "---\ntitle: B\ndate: 2025-01-02\n---\n![](x/two.png)\n")]);
    write_bytes(&other, "x/two.png", &png(2));
    let report = import(&site.content, other.path()).await.expect("an import");
    assert_eq!((counts(&report), notes(&report), library.decoded()), ((1, 0, 0, 0), Vec::new(), 10));
}

#[tokio::test(flavor = "multi_thread")]
async fn covers_of_themes_and_links_to_pictures_become_pictures_of_the_site() {
    let fronts = [
        "header:\n  teaser: /images/s.png",
        "header: {overlay_image: /images/s.png, caption: c}",
        "images: [/images/s.png]",
        "images:\n- src: /images/s.png",
        "banner: /images/s.png",
        "OgImage: /images/s.png",
        "feature-image: /images/s.png",
        "cover: [/images/s.png]",
        "extra: {banner: \"@site/static/images/s.png\"}",
    ];
    let mut files: Vec<(String, String)> = (0..)
        .zip(fronts)
        .map(|(n, front)| (format!("posts/p{n}.md"), format!("---\ntitle: P{n}\ndate: 2025-01-01\n{front}\n---\n")))
        .collect();
    let body = "[![x](/images/s.png)](/images/s.png) ![x](@site/static/images/s.png) <video poster=\"/images/s.png\"></video> <a class=x href=\"/images/s.png\">x</a> [gone](/images/gone.png) `[x](/images/s.png)`\n";
    files
        .push(("posts/links.md".to_owned(), format!("---\ndate: 2025-01-02\nheader: true\nbanner: none\n---\n{body}")));
    let files: Vec<_> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
    let root = folder(&files);
    write_bytes(&root, "static/images/s.png", &png(7));
    let library = library();
    let site = site_over(MemoryStore::empty(), &library).await;
    let report = import(&site.content, root.path()).await.expect("an import");
    assert_eq!((counts(&report), notes(&report)), ((fronts.len() + 1, 0, 0, 0), Vec::<String>::new()));
    let path = addresses_of(&library).await.remove(0);
    let read = site.query("{ posts(first: 20) { nodes { slug cover { url } body { markdown } } } }").await;
    for post in read["posts"]["nodes"].as_array().expect("posts") {
        match post["slug"].as_str() {
            Some("links") => {
                assert_eq!(post["cover"], Value::Null);
                let expected = format!(
                    "[![x]({path})]({path}) ![x]({path}) <video poster=\"{path}\"></video> <a class=x href=\"{path}\">x</a> [gone](/images/gone.png) `[x](/images/s.png)`\n"
                );
                assert_eq!(post["body"]["markdown"], json!(expected));
            }
            _ => assert_eq!(post["cover"]["url"], json!(path), "{post}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_a_site_in_a_folder_are_found() {
    let text = "---\ndate: 2025-01-02\n---\n![](/img/a.png)\n";
    for (file, picture) in [
        ("guides/first.md", "website/static/img/a.png"),
        ("website/blog/first.md", "website/static/img/a.png"),
        ("packages/site/guide/first.md", "packages/site/public/img/a.png"),
    ] {
        let root = folder(&[(file, text)]);
        write_bytes(&root, picture, &png(3));
        let library = library();
        let site = site_over(MemoryStore::empty(), &library).await;
        let report = import(&site.content, root.path()).await.expect("an import");
        assert_eq!((report.pictures.made, notes(&report)), (1, Vec::new()), "{file}");
    }
}
