//! Pictures of exports from WordPress and Ghost. The rule: a picture of the site whose file is beside the export is an asset, the featured image is the cover, and
//! every other address stays as it is.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::folder::{counts, import, write};
use crate::support::memory::MemoryStore;

use super::pictures::{addresses_of, library, notes, png, site_over, write_bytes};

const POSTS: &str =
    "{ posts { nodes { title cover { url alt } body { markdown } } } pages { nodes { title cover { url } } } }";

fn item(number: u32, kind: &str, more: &str) -> String {
    format!(
        "<item><title>T{number}</title><link>https://www.a.example/t{number}/</link><wp:post_id>{number}</wp:post_id><wp:post_type>{kind}</wp:post_type>\
         <wp:status>{}</wp:status><wp:post_name>t{number}</wp:post_name><wp:post_date_gmt>2020-01-0{number} 00:00:00</wp:post_date_gmt>{more}</item>",
        if kind == "attachment" { "inherit" } else { "publish" }
    )
}

fn meta(key: &str, value: &str) -> String {
    format!("<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value>{value}</wp:meta_value></wp:postmeta>")
}

/// A post whose attachment follows it, a post whose attachment precedes it, and a page.
fn wordpress(folder: &TempDir) {
    let body = "<content:encoded><![CDATA[<p><a href=\"https://www.a.example/wp-content/uploads/2020/a.png\"><img src=\"http://a.example/wp-content/uploads/2020/a-2x2.png\"></a></p>\n\n\
                <img src='https://www.a.example/wp-content/uploads/2020/gone.png'> <img src='https://b.example/wp-content/uploads/2020/a.png'>]]></content:encoded>";
    let attached = |name: &str| {
        format!("<wp:attachment_url>https://www.a.example/wp-content/uploads/2020/{name}</wp:attachment_url>")
    };
    let items = [
        item(1, "post", &(body.to_owned() + &meta("_thumbnail_id", "4"))),
        item(2, "attachment", &attached("a.png")),
        item(3, "post", &meta("_thumbnail_id", "2")),
        item(4, "attachment", &(attached("b.png") + &meta("_wp_attachment_image_alt", "A boat"))),
        item(5, "page", &meta("_thumbnail_id", "4")),
        item(6, "post", ""),
    ];
    let head =
        "<rss xmlns:wp=\"w\" xmlns:content=\"c\"><channel><wp:base_blog_url>https://www.a.example</wp:base_blog_url>";
    write(folder.path(), "site.xml", &format!("{head}{}</channel></rss>", items.concat()));
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_wordpress_beside_the_export_become_assets_and_covers() {
    let (folder, library) = (tempfile::tempdir().expect("a folder"), library());
    wordpress(&folder);
    write_bytes(&folder, "wp-content/uploads/2020/a.png", &png(1));
    write_bytes(&folder, "wp-content/uploads/2020/b.png", &png(2));
    let site = site_over(MemoryStore::empty(), &library).await;
    let export = folder.path().join("site.xml");
    let report = import(&site.content, &export).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made), ((3, 0, 0, 0), 1), "{report:?}");
    let gone = "https://www.a.example/wp-content/uploads/2020/gone.png";
    let reason = "is not imported: there is no such file in or beside the export";
    assert_eq!(notes(&report), [format!("https://www.a.example/?p=1, picture {gone}: {reason}")]);
    let read = site.query(POSTS).await;
    let posts = read["posts"]["nodes"].as_array().expect("posts");
    assert_eq!(
        posts.iter().map(|post| post["title"].as_str().expect("a title")).collect::<Vec<_>>(),
        ["T6", "T3", "T1"]
    );
    let (a, b) =
        (posts[1]["cover"]["url"].as_str().expect("a cover"), posts[2]["cover"]["url"].as_str().expect("a cover"));
    assert_eq!(
        (&posts[0]["cover"], &posts[1]["cover"]["alt"], &posts[2]["cover"]["alt"]),
        (&Value::Null, &Value::Null, &json!("A boat"))
    );
    assert_eq!(read["pages"]["nodes"], json!([{ "title": "T5", "cover": { "url": b } }]));
    let body = format!(
        "<p><a href=\"{a}\"><img src=\"{a}\"></a></p>\n<p><img src='{gone}'> <img src='https://b.example/wp-content/uploads/2020/a.png'></p>\n"
    );
    assert_eq!(posts[2]["body"]["markdown"], json!(body));
    let again = import(&site.content, &export).await.expect("an import");
    assert_eq!((counts(&again), again.pages.unchanged), ((0, 0, 3, 0), 1));
    assert_eq!((library.decoded(), library.list().await.expect("pictures").len()), (2, 2));
    // The folder is gone: the bodies have the addresses of the source again, and the covers stay.
    std::fs::remove_dir_all(folder.path().join("wp-content")).expect("a folder");
    let without = import(&site.content, &export).await.expect("an import");
    assert_eq!(counts(&without), (0, 1, 2, 0));
    let text = "the folder wp-content/uploads is not beside the file of the export, so the pictures of the site stay at their addresses (found: 3); copy it there to import them";
    assert_eq!(notes(&without), [format!("pictures: {text}")]);
    let kept = site.query(POSTS).await;
    assert_eq!((&kept["posts"]["nodes"][2]["cover"]["url"], &kept["pages"]), (&json!(b), &read["pages"]));
    site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_of_ghost_beside_the_export_become_assets_and_covers() {
    let (folder, library) = (tempfile::tempdir().expect("a folder"), library());
    let html = "<p>x</p><img src=\"__GHOST_URL__/content/images/size/w600/2020/a.png\" srcset=\"__GHOST_URL__/content/images/size/w600/2020/a.png 600w, __GHOST_URL__/content/images/2020/a.png 900w\">";
    let post = |number: u32, image: &str, kind: &str| {
        json!({ "id": number.to_string(), "uuid": format!("u{number}"), "title": format!("T{number}"), "slug": format!("t{number}"), "status": "published", "type": kind,
                "published_at": format!("2020-01-0{number}T00:00:00.000Z"), "html": html, "feature_image": image })
    };
    let posts = [
        post(1, "__GHOST_URL__/content/images/2020/b.png", "post"),
        post(2, "https://images.example/c.png", "post"),
        post(3, "__GHOST_URL__/content/images/2020/b.png", "page"),
    ];
    let details = [json!({ "id": "d", "post_id": "1", "feature_image_alt": "A boat" })];
    let export = json!({ "db": [{ "meta": { "exported_on": 1 }, "data": { "posts": posts, "posts_meta": details } }] });
    write(folder.path(), "ghost.json", &export.to_string());
    write_bytes(&folder, "content/images/2020/a.png", &png(1));
    write_bytes(&folder, "content/images/2020/b.png", &png(2));
    let site = site_over(MemoryStore::empty(), &library).await;
    let export = folder.path().join("ghost.json");
    let report = import(&site.content, &export).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made), ((2, 0, 0, 0), 1), "{report:?}");
    assert_eq!(notes(&report), Vec::<String>::new());
    let read = site.query(POSTS).await;
    let (other, first) = (&read["posts"]["nodes"][0], &read["posts"]["nodes"][1]);
    let b = first["cover"]["url"].as_str().expect("a cover");
    assert_eq!((&first["cover"]["alt"], &other["cover"]), (&json!("A boat"), &Value::Null));
    assert_eq!(read["pages"]["nodes"], json!([{ "title": "T3", "cover": { "url": b } }]));
    let names: Vec<String> = addresses_of(&library).await;
    let a = names.iter().find(|name| *name != b).expect("the other picture");
    let below = format!("<p>x</p><img src=\"{a}\" srcset=\"{a} 600w, {a} 900w\">\n");
    assert_eq!(first["body"]["markdown"], json!(below), "the cover is not in the body too");
    let figure = "<figure><img src=\"https://images.example/c.png\" alt=\"\"></figure>\n";
    assert_eq!(other["body"]["markdown"], json!(format!("{figure}{below}")));
    let again = import(&site.content, &export).await.expect("an import");
    assert_eq!((counts(&again), again.pages.unchanged), ((0, 0, 2, 0), 1));
    site.assert_sound().await;
}
