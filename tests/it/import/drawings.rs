//! Drawings (SVG) of a folder. The rule: what a reader would miss of one is in the report.

use super::pictures::{library, notes, site_over};
use crate::support::folder::{folder, import};
use crate::support::memory::MemoryStore;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_out_of_a_drawing_is_in_the_report() {
    let svg = |content: &str| format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{content}</svg>");
    let drawn =
        "<switch><foreignObject><p xmlns=\"http://www.w3.org/1999/xhtml\">A</p></foreignObject><text>A</text></switch>";
    let fonts = "<style>@FONT-FACE{font-family:a;src:url(data:font/woff2;base64,AAAA)}</style><image href=\"a.png\"/><foreignObject/>";
    let root = folder(&[
        ("a.md", "---\ntitle: A\ndate: 2025-01-01\n---\n![](drawn.svg) ![](fonts.svg) ![](plain.svg)\n"),
        ("drawn.svg", &svg(drawn)),
        ("fonts.svg", &svg(fonts)),
        ("plain.svg", &svg("<script>alert(1)</script><rect onclick=\"alert(1)\"/>")),
    ]);
    let site = site_over(MemoryStore::empty(), &library()).await;
    let expected = [
        "picture drawn.svg: is imported without formatted text (`foreignObject`) (docs/assets.md#svg)",
        "picture fonts.svg: is imported without embedded fonts and pictures that are not in it and formatted text (`foreignObject`) (docs/assets.md#svg)",
    ];
    for _ in 0..2 {
        let report = import(&site.content, root.path()).await.expect("an import");
        assert_eq!(notes(&report), expected);
    }
}
