//! Exports in several files, and in other encodings than UTF-8.

use serde_json::json;

use super::{HEAD, export, imported, item, notes, shown};
use crate::support::command::Blog;
use crate::support::folder::{folder, write};

#[tokio::test]
async fn the_parts_of_an_export_in_a_folder_are_imported_as_one() {
    let parts = [export(&[item(1, "a", ""), item(2, "b", "")]), export(&[item(2, "again", ""), item(3, "c", "")])];
    let other = export(&[item(4, "d", "")]).replace("quay.example", "other.example");
    let feed = "<rss version=\"2.0\"><channel><item><title>x</title></item></channel></rss>";
    let folder = folder(&[
        ("quay.wordpress.000.xml", &parts[0]),
        ("quay.wordpress.001.xml", &parts[1]),
        ("zzz.xml", &other),
        ("feed.xml", feed),
    ]);
    let (site, report) = imported(folder.path()).await;
    let failed: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
    let expected = [
        "zzz.xml: is an export of another site, https://other.example; import it alone",
        "https://quay.example/?p=2: occurs twice; only the first one is read",
    ];
    assert_eq!((report.made, failed.as_slice()), (3, expected.map(str::to_owned).as_slice()));
    let texts: Vec<_> = shown(&site, "body { text }").await.into_iter().map(|(_, body)| body["text"].clone()).collect();
    assert_eq!(texts, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_folder_with_an_export_of_another_system_names_the_file() {
    let blog = Blog::of(&[]);
    write(blog.path(), "download/site.ghost.json", "{\"db\":[{\"meta\":{\"exported_on\":1},\"data\":{\"posts\":[]}}]}");
    let ran = blog.import_of(&blog.path().join("download"), &[]);
    assert!(ran.complaint().ends_with("site.ghost.json, which has the format ghost; import this file"), "{ran:?}");
}

#[tokio::test]
async fn a_file_is_read_in_the_encoding_that_it_declares() {
    let text = |encoding: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"{encoding}\"?>{HEAD}{}{}</channel></rss>",
            item(1, "Olé", ""),
            item(2, "b", "")
        )
    };
    let latin = |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect::<Vec<u8>>();
    let utf16 =
        |text: &str| [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let folder = folder(&[]);
    let path = folder.path().join("site.xml");
    for (bytes, body) in [
        (latin(&text("ISO-8859-1")), "Olé"),
        (latin(&text("windows-1252")), "Olé"),
        (text("ISO-8859-1").into_bytes(), "Olé"),
        (utf16(&text("UTF-16")), "Olé"),
        (text("utf8").into_bytes(), "Olé"),
        (text("KOI8-R").into_bytes(), "Olé"),
        (latin(&text("KOI8-R")), "OlИ"),
    ] {
        std::fs::write(&path, &bytes).expect("a file");
        let (site, report) = imported(&path).await;
        assert_eq!((report.made, report.failed.len(), notes(&report).len()), (2, 0, 0), "{report:?}");
        assert_eq!(shown(&site, "body { text }").await[0].1, json!({ "text": body }));
    }
    std::fs::write(&path, text("x-nothing")).expect("a file");
    let (_, report) = imported(&path).await;
    assert_eq!((report.made, report.failed.len()), (2, 0));
    std::fs::write(&path, latin(&text("UTF-8"))).expect("a file");
    let (_, report) = imported(&path).await;
    let failed = report.failed[0].to_string();
    assert!(
        report.made == 2 && failed.starts_with("site.xml: has bytes that are not in its encoding UTF-8"),
        "{failed}"
    );
}
