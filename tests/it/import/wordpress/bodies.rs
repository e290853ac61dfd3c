//! Bodies as WordPress showed them.

use serde_json::json;

use super::{imported_items, item, meta, notes, shown};

/// What the classic editor has stored, and what readers get.
const CLASSIC: &[(&str, &str)] = &[
    ("Low tide\nHigh tide\nSlack\n\nSecond.", "<p>Low tide<br>\nHigh tide<br>\nSlack</p>\n<p>Second.</p>\n"),
    ("a\r\nb\r\n\r\n\r\nc", "<p>a<br>\nb</p>\n<p>c</p>\n"),
    (
        "1912. A cold winter\n# of boats: 7\n+ one\n- [ ] box\n&gt; said\n    four spaces\n2 * 3 * 4, *so*, under_score_d, ~x~, `y`",
        "<p>1912. A cold winter<br>\n# of boats: 7<br>\n+ one<br>\n- [ ] box<br>\n&gt; said<br>\nfour spaces<br>\n2 * 3 * 4, *so*, under_score_d, ~x~, `y`</p>\n",
    ),
    ("a | b\n--- | ---\nc | d\\\ne", "<p>a | b<br>\n--- | ---<br>\nc | d\\<br>\ne</p>\n"),
    (
        "<div class=\"box\">\nOne\n\n    Two\n\nThree\n</div>\nAfter",
        "<div><p>One</p>\n<p>Two</p>\n<p>Three</p>\n</div>\n<p>After</p>\n",
    ),
    ("<blockquote>One\n\nTwo</blockquote>", "<blockquote><p>One</p>\n<p>Two</p>\n</blockquote>\n"),
    ("<div>alone</div>", "<div>alone</div>\n"),
    (
        "<ul>\n<li>One</li>\n<li>Two\nlines<ul><li>Inner</li></ul></li>\n</ul>",
        "<ul><li>One</li>\n<li>Two<br>\nlines<ul><li>Inner</li>\n</ul>\n</li>\n</ul>\n",
    ),
    (
        "<table>\n<tr>\n<td>\n\ncell\n\n</td>\n    <td>x</td>\n</tr>\n</table>",
        "<table><tbody><tr><td><p>cell</p>\n</td>\n<td>x</td>\n</tr>\n</tbody></table>\n",
    ),
    ("<h2>Harbour</h2>\ntext <em>a\nb</em>", "<h2 id=\"harbour\">Harbour</h2>\n<p>text <em>a<br>\nb</em></p>\n"),
    ("<p>One\ntwo</p>\n\n<p>Three\n\nFour", "<p>One<br>\ntwo</p>\n<p>Three</p>\n<p>Four\n</p>"),
    ("a<br />\nb<br><br>c<br/>", "<p>a<br>\nb</p>\n<p>c</p>\n"),
    ("<pre>a\n\n  *b*\n</pre>\nc", "<div>\n<pre>a\n\n  *b*\n</pre>\n<p>c</p>\n</div>\n"),
    ("a < b and <3\n\n<!-- note -->\n\nc", "<p>a &lt; b and &lt;3</p>\n<p>c</p>\n"),
    (
        "<a href=\"/x\"><img src=\"/a.png\" alt=\"a > b\"></a>",
        "<p><a href=\"/x\"><img src=\"/a.png\" alt=\"a &gt; b\"></a></p>\n",
    ),
    ("", ""),
];

#[tokio::test]
async fn text_of_the_classic_editor_gets_its_paragraphs_and_lines_and_no_other_markup() {
    let items: Vec<String> = (10..).zip(CLASSIC).map(|(number, (content, _))| item(number, content, "")).collect();
    let (site, report) = imported_items(&items).await;
    assert_eq!(report.failed, []);
    let shown = shown(&site, "body { html }").await;
    for ((_, found), (content, expected)) in shown.iter().zip(CLASSIC) {
        let html = found["html"].as_str().expect("HTML");
        assert_eq!(html, *expected, "{content}");
    }
    assert_eq!(shown.len(), CLASSIC.len());
}

#[tokio::test]
async fn blocks_are_the_html_that_the_editor_has_stored() {
    let content = "<!-- wp:heading -->\n<h2 class=\"wp-block-heading\" id=\"h-a\">A</h2>\n<!-- /wp:heading -->\n\n\
        <!-- wp:columns -->\n<div class=\"wp-block-columns\"><!-- wp:column -->\n<div><p>Left *col*</p></div>\n<!-- /wp:column -->\n\n    <!-- wp:column -->\n    \
        <div><p>Right</p></div>\n    <!-- /wp:column --></div>\n<!-- /wp:columns -->\n\n<!-- wp:code -->\n<pre><code>a\n\nb</code></pre>\n<!-- /wp:code -->\n\n\
        <!-- wp:embed {\"url\":\"x\"} -->\n<figure class=\"wp-block-embed\"><div class=\"wp-block-embed__wrapper\">\nhttps://www.youtube.com/watch?v=x&amp;t=1\n</div></figure>\n<!-- /wp:embed -->\n\n\
        <!-- wp:latest-posts {\"n\":1} /-->\n<!-- wp:paragraph -->\n<p>One<br>two</p>\n<!-- /wp:paragraph -->";
    let (site, report) = imported_items(&[item(1, content, "")]).await;
    let link = "<a href=\"https://www.youtube.com/watch?v=x&amp;t=1\">https://www.youtube.com/watch?v=x&amp;t=1</a>";
    let expected = format!(
        "<h2 id=\"h-a\">A</h2>\n<div>\n<div><p>Left *col*</p></div>\n    \n    <div><p>Right</p></div>\n    </div>\n<pre><code>a\n\nb</code></pre>\n\
         <figure><div>{link}</div></figure>\n<p>One<br>two</p>\n"
    );
    let (_, found) = &shown(&site, "body { html }").await[0];
    let html = found["html"].as_str().expect("HTML");
    let in_lines =
        |html: &str| html.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(in_lines(html), in_lines(&expected));
    assert_eq!(notes(&report), ["1: not in the body, because the export has no HTML for it: latest-posts"]);
}

#[tokio::test]
async fn the_excerpt_is_what_precedes_the_more_tag_with_or_without_words() {
    let block = "<!-- wp:paragraph -->\n<p>First.</p>\n<!-- /wp:paragraph -->\n<!-- wp:more -->\n<!--more-->\n<!-- /wp:more -->\n<!-- wp:paragraph -->\n<p>Rest.</p>\n<!-- /wp:paragraph -->";
    let items = [
        item(1, "First.\n\n<!--more Read on-->\n\nRest.", ""),
        item(2, "First.<!--more-->\nRest.", ""),
        item(3, block, ""),
    ];
    let (site, _) = imported_items(&items).await;
    for (slug, found) in shown(&site, "body { text } excerpt").await {
        assert_eq!(found, json!({ "text": "First.\nRest." }), "{slug}");
    }
    let excerpts = shown(&site, "excerpt").await;
    assert!(excerpts.iter().all(|(_, excerpt)| excerpt == "First."), "{excerpts:?}");
}

/// Shortcodes, frames and addresses, and what readers get.
const EMBEDDED: &[(&str, &str)] = &[
    (
        "[caption id=\"x\" width=\"300\"]<a href=\"/b\"><img src=\"/a.png\" alt=\"Boat\" /></a> A <em>red</em> boat[/caption]\nText",
        "<figure><a href=\"/b\"><img src=\"/a.png\" alt=\"Boat\"></a><figcaption>A <em>red</em> boat</figcaption>\n</figure>\n<p>Text</p>\n",
    ),
    (
        "[caption caption=\"A boat\"]<img src=\"/a.png\">[/caption]",
        "<figure><img src=\"/a.png\"><figcaption>A boat</figcaption>\n</figure>\n",
    ),
    (
        "[code lang=\"rust\"]\nlet v: Vec<u8> = vec![];\n\nif a < b { *p = 1; }\n[/code]",
        "<div>\n<pre><code class=\"language-rust\">let v: Vec&lt;u8&gt; = vec![];\n\nif a &lt; b { *p = 1; }</code></pre>\n</div>\n",
    ),
    (
        "[csharp]\nList<int> a;\n[/csharp]",
        "<div>\n<pre><code class=\"language-csharp\">List&lt;int&gt; a;</code></pre>\n</div>\n",
    ),
    ("[sourcecode]a &lt; b[/sourcecode]", "<div>\n<pre><code>a &lt; b</code></pre>\n</div>\n"),
    (
        "[embed]https://video.example/1[/embed]",
        "<p><a href=\"https://video.example/1\">https://video.example/1</a></p>\n",
    ),
    (
        "[youtube=https://www.youtube.com/watch?v=x]",
        "<p><a href=\"https://www.youtube.com/watch?v=x\">https://www.youtube.com/watch?v=x</a></p>\n",
    ),
    (
        "Look:\nhttps://video.example/2\nNice",
        "<p>Look:<br>\n<a href=\"https://video.example/2\">https://video.example/2</a><br>\nNice</p>\n",
    ),
    ("see https://video.example/3", "<p>see https://video.example/3</p>\n"),
    (
        "[audio mp3=\"https://quay.example/a.mp3\"][/audio]",
        "<p><audio controls=\"\" src=\"https://quay.example/a.mp3\"></audio></p>\n",
    ),
    (
        "[video width=\"1\" mp4=\"https://quay.example/a.mp4\"][/video]",
        "<p><video controls=\"\" src=\"https://quay.example/a.mp4\"></video></p>\n",
    ),
    (
        "a <iframe src=\"//player.vimeo.com/video/12?x\"></iframe> b",
        "<p>a <a href=\"https://vimeo.com/12\">vimeo.com/12</a> b</p>\n",
    ),
    (
        "<object width=\"1\"><param name=\"movie\" value=\"http://www.youtube.com/v/x&hl=en\"><embed src=\"http://www.youtube.com/v/x&hl=en\"></object>",
        "<p><a href=\"https://www.youtube.com/watch?v=x\">youtube.com/watch?v=x</a></p>\n",
    ),
    ("Write [[gallery ids=\"1\"]] here, [sic], [1].", "<p>Write [gallery ids=\"1\"] here, [sic], [1].</p>\n"),
];

#[tokio::test]
async fn shortcodes_and_frames_are_what_readers_saw_or_a_link_to_it() {
    let items: Vec<String> = (10..).zip(EMBEDDED).map(|(number, (content, _))| item(number, content, "")).collect();
    let (site, report) = imported_items(&items).await;
    assert_eq!((notes(&report), report.failed.len()), (Vec::new(), 0));
    for ((_, found), (content, expected)) in shown(&site, "body { html }").await.iter().zip(EMBEDDED) {
        assert_eq!(found["html"].as_str().expect("HTML"), *expected, "{content}");
    }
}

/// A picture that was uploaded to a post.
fn upload(number: u32, post: u32, file: &str, more: &str) -> String {
    format!(
        "<item><title>{file}</title><wp:post_id>{number}</wp:post_id><wp:post_parent>{post}</wp:post_parent>\
         <wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status>\
         <wp:attachment_url>https://quay.example/wp-content/uploads/{file}</wp:attachment_url>{more}</item>"
    )
}

#[tokio::test]
async fn a_gallery_is_its_pictures_with_their_captions() {
    let caption = "<excerpt:encoded><![CDATA[A <em>red</em> boat]]></excerpt:encoded>";
    let items = [
        item(1, "Look:\n\n[gallery ids=\"12, 11,99\" columns=\"2\"]", ""),
        item(2, "[gallery]", ""),
        item(3, "[gallery id=2 exclude=\"13\"]", ""),
        item(4, "[gallery] [gallery ids=\"14\"]", ""),
        upload(11, 0, "a.jpg", &meta("_wp_attachment_image_alt", "A \"boat\"")),
        upload(12, 2, "b.png", caption),
        upload(13, 2, "c.gif", "<wp:menu_order>-1</wp:menu_order>"),
        upload(14, 4, "d.pdf", ""),
    ];
    let (site, report) = imported_items(&items).await;
    let expected = [
        "4: shortcodes that stay as text, because the export does not have what they show: [gallery]",
        "1: pictures of galleries that the export does not have are left out: 1",
    ];
    let of_galleries: Vec<_> = notes(&report).into_iter().filter(|note| note.contains("galler")).collect();
    assert_eq!(of_galleries.len(), expected.len(), "{of_galleries:?}");
    assert!(expected.iter().all(|note| of_galleries.iter().any(|found| found == note)), "{of_galleries:?}");
    let address = "https://quay.example/wp-content/uploads";
    let a = format!("<figure><img src=\"{address}/a.jpg\" alt=\"A &quot;boat&quot;\"></figure>\n");
    let b = format!(
        "<figure><img src=\"{address}/b.png\" alt=\"\"><figcaption>A <em>red</em> boat</figcaption>\n</figure>\n"
    );
    let c = format!("<figure><img src=\"{address}/c.gif\" alt=\"\"></figure>\n");
    let html = shown(&site, "body { html }").await;
    let html: Vec<_> = html.iter().map(|(_, body)| body["html"].as_str().expect("HTML")).collect();
    let expected =
        [format!("<p>Look:</p>\n{b}{a}"), format!("{c}{b}"), b, "<p>[gallery] [gallery ids=\"14\"]</p>\n".to_owned()];
    assert_eq!(html, expected);
}

#[tokio::test]
async fn what_cannot_be_shown_is_named() {
    let items = [
        item(1, "[gallery ids=\"1,2\"] and [contact-form-7 id=\"4\"] and [poll id=3]", ""),
        item(2, "<script>x()</script><form>a</form><iframe></iframe>", ""),
        item(3, "[caption]never closed", ""),
    ];
    let (site, report) = imported_items(&items).await;
    let expected = [
        "1: shortcodes that stay as text, because the export does not have what they show: [contact-form-7], [gallery], [poll]",
        "2: the body contains <script>, <iframe>, <form>, which is not shown to readers",
    ];
    assert_eq!(notes(&report), expected);
    let (_, first) = &shown(&site, "body { text }").await[0];
    assert_eq!(first["text"], "[gallery ids=\"1,2\"] and [contact-form-7 id=\"4\"] and [poll id=3]");
}

/// A body of four times the length takes about four times as long, and not sixteen times.
#[tokio::test]
async fn damaged_bodies_are_imported_in_time_in_proportion_to_their_length() {
    let parts = [
        "[",
        "[a ",
        "[/a",
        "[caption]",
        "[[",
        "<!--",
        "<a b=\"",
        "<pre>",
        "<iframe>",
        "<",
        "</p>",
        "<div>",
        "<br>",
        "<!-- wp:a ",
        "\n\n",
        "[code]<",
    ];
    let items: Vec<String> = (1..).zip(parts).map(|(number, part)| item(number, &part.repeat(100_000), "")).collect();
    let (_, report) = imported_items(&items).await;
    assert_eq!((report.made, report.failed.len()), (parts.len(), 0), "{:?}", report.failed);
}
