//! What imports link as translations: files that differ only in their language, and what exports say. The rule: a repeated import changes nothing, and a link that is
//! not possible stops no import.

use serde_json::Value;

use crate::support::folder::{counts, folder, import};
use crate::support::site::Site;

/// The slugs or paths of the translations of each post and page, after an import of these files, which is then repeated.
async fn imported(files: &[(&str, &str)], entry: &str) -> Vec<String> {
    let site = Site::in_memory().await;
    let folder = folder(files);
    let first = import(&site.content, &folder.path().join(entry)).await.expect("an import");
    assert_eq!((first.failed.clone(), first.notes.clone()), (Vec::new(), Vec::new()));
    let again = import(&site.content, &folder.path().join(entry)).await.expect("an import");
    assert_eq!((again.made, again.changed, again.pages.made, again.pages.changed), (0, 0, 0, 0), "{again:?}");
    let query = "{ posts { nodes { slug language translations { slug } } } pageLinks { path } }";
    let found = site.query(query).await;
    let mut lines = Vec::new();
    let line = |name: &Value, language: &Value, others: Vec<String>| {
        format!("{} {}: {}", name.as_str().unwrap_or_default(), language.as_str().unwrap_or("-"), others.join(" "))
    };
    let texts = |list: &Value, name: &str| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|one| one[name].as_str().expect("a text").to_owned()).collect()
    };
    for post in found["posts"]["nodes"].as_array().expect("posts") {
        lines.push(line(&post["slug"], &post["language"], texts(&post["translations"], "slug")));
    }
    for path in texts(&found["pageLinks"], "path") {
        let page = site.query(&format!("{{ page(path: {path:?}) {{ path language translations {{ path }} }} }}")).await;
        let page = &page["page"];
        lines.push(line(&page["path"], &page["language"], texts(&page["translations"], "path")));
    }
    lines.sort();
    site.assert_sound().await;
    lines
}

#[tokio::test]
async fn files_that_differ_only_in_their_language_are_translations() {
    let post = "---\ntitle: A\ndate: 2025-01-02\n---\nB.\n";
    let page = "---\ntitle: A\n---\nB.\n";
    let names =
        [("post/a.md", post), ("post/a.de.md", post), ("post/b.md", post), ("about.md", page), ("about.fr.md", page)];
    let expected = ["a -: a-de", "a-de de: a", "about -: fr/about", "b -: ", "fr -: ", "fr/about fr: about"];
    assert_eq!(
        without_folders(imported_with_notes(&names).await),
        without_folders(expected.map(str::to_owned).to_vec())
    );
    let hugo = [("content/de/post/a.md", post), ("content/en/post/a.md", post), ("content/en/post/b.md", post)];
    assert_eq!(imported(&hugo, "").await, ["a en: a-de", "a-de de: a", "b en: "]);
    let jekyll = [("de/_posts/2025-01-02-a.md", post), ("en/_posts/2025-01-02-a.md", post)];
    assert_eq!(imported(&jekyll, "").await, ["a en: a-de", "a-de de: a"]);
    let astro = [("src/content/blog/de/a.md", post), ("src/content/blog/en/a.md", post)];
    assert_eq!(imported(&astro, "").await, ["a en: a-de", "a-de de: a"]);
    let keyed = "---\ntitle: A\ndate: 2025-01-02\ntranslationKey: about\nlang: LANG\n---\nB.\n";
    let (de, en) = (keyed.replace("LANG", "de"), keyed.replace("LANG", "en"));
    assert_eq!(imported(&[("eins.md", &de), ("one.md", &en)], "").await, ["eins de: one", "one en: eins"]);
}

/// [`imported`] for a folder of pages, whose folders have notes.
async fn imported_with_notes(files: &[(&str, &str)]) -> Vec<String> {
    let with_folder: Vec<(&str, &str)> =
        files.iter().copied().chain([("fr/_index.md", "---\ntitle: F\n---\n")]).collect();
    imported(&with_folder, "").await
}

/// Without the pages of folders.
fn without_folders(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().filter(|line| !line.starts_with("fr ")).collect()
}

#[tokio::test]
async fn files_of_one_key_and_one_language_are_imported_without_a_link() {
    let site = Site::in_memory().await;
    let post = "---\ntitle: A\ndate: 2025-01-02\ntranslationKey: a\nlang: de\n---\nB.\n";
    let page = "---\ntitle: A\ntranslationKey: b\nlang: de\n---\nB.\n";
    let folder = folder(&[("a.md", post), ("b.md", post), ("c.md", page), ("d.md", page)]);
    let report = import(&site.content, folder.path()).await.expect("an import");
    assert_eq!((counts(&report), report.pages.made), ((2, 0, 0, 0), 2));
    let notes = report.notes.iter().filter(|note| note.text.starts_with("not linked with its translations"));
    assert_eq!(notes.count(), 2, "{:?}", report.notes);
    site.assert_sound().await;
}

/// An export of WordPress with these posts: their slugs and what else they say.
fn wordpress(posts: [(&str, &str); 3]) -> String {
    let item = |(number, (slug, more)): (usize, (&str, &str))| {
        format!(
            "<item><title>{slug}</title><link>https://a.example/{slug}/</link><dc:creator>ada</dc:creator>\
             <content:encoded>Text.</content:encoded><wp:post_id>{number}</wp:post_id>\
             <wp:post_date_gmt>2025-01-02 03:04:05</wp:post_date_gmt><wp:post_name>{slug}</wp:post_name>\
             <wp:status>publish</wp:status><wp:post_type>post</wp:post_type>{more}</item>"
        )
    };
    let items: String = posts.into_iter().enumerate().map(item).collect();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:wp=\"http://wordpress.org/export/1.2/\"><channel><title>A</title>\
         <link>https://a.example</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>https://a.example</wp:base_site_url>\
         <wp:base_blog_url>https://a.example</wp:base_blog_url>{items}</channel></rss>"
    )
}

#[tokio::test]
async fn a_wordpress_export_has_the_links_of_polylang_or_wpml() {
    let polylang = |language: &str| {
        format!(
            "<category domain=\"language\" nicename=\"{language}\">L</category>\
             <category domain=\"post_translations\" nicename=\"pll_1\">pll_1</category>"
        )
    };
    let meta = |key: &str, value: &str| {
        format!("<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value>{value}</wp:meta_value></wp:postmeta>")
    };
    let wpml =
        |language: &str| meta("_wpml_import_language_code", language) + &meta("_wpml_import_translation_group", "17");
    for (de, en) in [(polylang("de"), polylang("en")), (wpml("de"), wpml("en"))] {
        let text = wordpress([("eins", &de), ("one", &en), ("other", "")]);
        let lines = imported(&[("site.WordPress.xml", &text)], "site.WordPress.xml").await;
        assert_eq!(lines, ["eins de: one", "one en: eins", "other -: "]);
    }
}

#[tokio::test]
async fn new_translations_join_the_group_of_stored_ones_and_a_language_that_is_taken_stays_out() {
    let site = Site::in_memory().await;
    let post = |name: &str, language: &str, body: &str| {
        let front = format!("title: {name}\ntranslationKey: k\nlang: {language}");
        [("post", "date: 2025-01-02\n"), ("page", "")]
            .map(|(kind, date)| (format!("{kind}-{name}.md"), format!("---\n{front}\n{date}---\n{body}\n")))
    };
    let write = |of: &[(&str, &str, &str)]| {
        let files: Vec<(String, String)> =
            of.iter().flat_map(|(name, language, body)| post(name, language, body)).collect();
        folder(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
    };
    let first = write(&[("m", "en", "B"), ("n", "de", "B")]);
    import(&site.content, first.path()).await.expect("an import");
    let query = "{ post(slug: \"post-m\") { version translations { slug } } page(path: \"page-m\") { version translations { path } } }";
    // The new one comes first by its name, and changes neither of the others.
    let more = write(&[("a", "fr", "B"), ("m", "en", "B"), ("n", "de", "B")]);
    let report = import(&site.content, more.path()).await.expect("an import");
    assert_eq!((report.made, report.changed, report.pages.made, report.pages.changed), (1, 0, 1, 0), "{report:?}");
    let found = site.query(query).await;
    let linked = |of: &str, others: [&str; 2], key: &str| {
        let names: Vec<_> =
            found[of]["translations"].as_array().expect("a list").iter().map(|one| one[key].clone()).collect();
        assert_eq!((names, &found[of]["version"]), (others.map(Value::from).to_vec(), &Value::from(1)), "{of}");
    };
    linked("post", ["post-n", "post-a"], "slug");
    linked("page", ["page-n", "page-a"], "path");
    // Two of one language: the text of both is kept, and they are linked no more.
    let swapped = write(&[("a", "fr", "B"), ("m", "de", "C"), ("n", "de", "C")]);
    for _ in 0..2 {
        let report = import(&site.content, swapped.path()).await.expect("an import");
        assert_eq!(report.failed, Vec::new());
        site.assert_sound().await;
    }
    let texts = site
        .query("{ m: post(slug: \"post-m\") { body { markdown } } page(path: \"page-m\") { body { markdown } } }")
        .await;
    assert_eq!(
        (texts["m"]["body"]["markdown"].as_str(), texts["page"]["body"]["markdown"].as_str()),
        (Some("C\n"), Some("C\n"))
    );
    let report = import(&site.content, swapped.path()).await.expect("an import");
    assert_eq!((report.changed, report.pages.changed), (0, 0), "{report:?}");
}
