//! Whole files: from drawing programs, in other encodings, and too large ones.

use super::{BadPicture, ROOT, checked, cleaned, drawing};
use crate::assets::clean;
use crate::model::AssetFormat;

/// Each file with its expected result.
pub(super) const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "Inkscape",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<!-- Created with Inkscape -->\n\n<svg\n   width=\"20mm\"\n   \
         viewBox=\"0 0 20 10\"\n   id=\"svg8\"\n   inkscape:version=\"1.2\"\n   sodipodi:docname=\"/home/ann/secret.svg\"\n   \
         xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\"\n   \
         xmlns:sodipodi=\"http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd\"\n   xmlns=\"http://www.w3.org/2000/svg\"\n   \
         xmlns:svg=\"http://www.w3.org/2000/svg\">\n  <sodipodi:namedview id=\"base\" />\n  <metadata>by Ann</metadata>\n  <g \
         inkscape:label=\"Layer 1\"\n     style=\"display:inline;fill:#ff0000;-inkscape-stroke:none\">\n    <path\n       \
         d=\"m 1,2\n 3,4 z\" />\n  </g>\n</svg>\n",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20mm\" viewBox=\"0 0 20 10\" id=\"svg8\"><g \
         style=\"display:inline;fill:#ff0000\"><path d=\"m 1,2  3,4 z\"/></g></svg>",
    ),
    (
        "draw.io",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \
         \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
         xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" content=\"&lt;mxfile>\" style=\"background-color: \
         rgb(255, 255, 255);\"><switch><foreignObject pointer-events=\"none\" \
         requiredFeatures=\"http://www.w3.org/TR/SVG11/feature#Extensibility\"><div \
         xmlns=\"http://www.w3.org/1999/xhtml\">A</div></foreignObject><text x=\"9\" font-family=\"Helvetica\" \
         text-anchor=\"middle\">A</text></switch></svg>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\" style=\"background-color:rgb(255, 255, 255)\"><switch><text x=\"9\" \
         font-family=\"Helvetica\" text-anchor=\"middle\">A</text></switch></svg>",
    ),
    (
        "a program with a prefix",
        "<ns0:svg xmlns:ns0=\"http://www.w3.org/2000/svg\" xmlns:ns1=\"http://www.w3.org/1999/xlink\"><ns0:defs><ns0:linearGradient \
         id=\"a\" /></ns0:defs><ns0:rect fill=\"url(#a)\" /><ns0:use ns1:href=\"#a\" /></ns0:svg>",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><defs><linearGradient id=\"a\"/></defs><rect fill=\"url(#a)\"/><use \
         href=\"#a\"/></svg>",
    ),
    (
        "a document type that declares entities, which nothing names",
        "<!DOCTYPE svg [<!ENTITY a \"b\"><!ATTLIST svg onload CDATA \"alert(1)\">]><svg \
         xmlns=\"http://www.w3.org/2000/svg\"><rect id=\"&#x26;&lt;\"/></svg><!-- end -->\n<?end?>\n",
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><rect id=\"&amp;&lt;\"/></svg>",
    ),
];

fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn a_file_that_is_no_svg_in_utf_8_is_refused() {
    let svg = format!("{ROOT}/>");
    let declared = |encoding: &str| format!("<?xml version='1.0' encoding='{encoding}'?>{svg}");
    let refused = |file: &[u8]| clean::clean(file).expect_err("refused");
    let encodings = [
        utf16(&svg, u16::to_le_bytes),
        utf16(&svg, u16::to_be_bytes),
        utf16(&format!("\u{feff}{svg}"), u16::to_le_bytes),
        utf16(&format!("\u{feff}{svg}"), u16::to_be_bytes),
        declared("UTF-16").into(),
        declared("UTF-7").into(),
        declared("cp037").into(),
        [declared("iso-8859-1").as_bytes(), b"<!-- \xe9 -->"].concat(),
        declared("iso-8859-1").replace("/>", "><text>é</text></svg>").into(),
        format!("x{svg}").into(),
        format!("\u{a0}{svg}").into(),
        [b"\x1f".as_slice(), svg.as_bytes()].concat(),
    ];
    for file in encodings {
        let reason = refused(&file).to_string();
        assert!(reason.contains("another encoding than UTF-8, or text before its first tag"), "{reason}");
    }
    let others: [&[u8]; 13] = [
        b"<",
        b"<>",
        b"<?xml?>",
        b"<!-- <svg -->",
        b"<html><svg/></html>",
        b"<SVG/>",
        b"<svgs/>",
        b"<svg xmlns='http://www.w3.org/1999/xhtml'/>",
        b"<x:svg xmlns:x='urn:x'/>",
        b"<html xmlns='http://www.w3.org/2000/svg'/>",
        b"<math/>",
        b"<p>x</p>",
        b"\x1f\x8b\x08\0",
    ];
    for file in others {
        assert_eq!(refused(file), BadPicture::Unknown, "{}", String::from_utf8_lossy(file));
    }
    assert!(refused(b"<svg/>").to_string().contains("add xmlns="));
    assert_eq!(refused(ROOT.as_bytes()), refused(format!("{ROOT} ").as_bytes()));
    assert_eq!(refused(format!("{ROOT}><g>").as_bytes()), BadPicture::Truncated(AssetFormat::Svg));
    assert!(
        refused(format!("{svg}<html><script>alert(1)</script></html>").as_bytes())
            .to_string()
            .contains("after its end")
    );
    assert!(refused(format!("{svg}PK\u{3}\u{4}").as_bytes()).to_string().contains("character that XML does not allow"));
    for accepted in [format!("\u{feff}{svg}"), format!(" \r\n{svg}\n"), declared("utf-8"), declared("US-ASCII")] {
        assert_eq!(cleaned(accepted), Ok(svg.clone()));
    }
    assert_eq!(cleaned(declared("ISO-8859-1")), Ok(svg));
}

#[test]
fn the_content_decides_and_not_the_name() {
    let format = |file: &[u8]| clean::format_of(file);
    assert_eq!(format(b"\x89PNG\r\n\x1a\n<svg xmlns='http://www.w3.org/2000/svg'/>"), Some(AssetFormat::Png));
    assert_eq!(format(b"GIF89a/*<svg onload=alert(1)>*/"), Some(AssetFormat::Gif));
    assert_eq!(format(b"\xff\xd8\xff<svg/>"), Some(AssetFormat::Jpeg));
    assert_eq!(format(b"\n<svg/>"), Some(AssetFormat::Svg));
    for polyglot in ["GIF89a/*<svg onload='alert(1)'/>*/", "%PDF-1.7 <svg/>", "<%!PS <svg/>"] {
        assert!(clean::clean(polyglot.as_bytes()).is_err(), "{polyglot}");
    }
}

#[test]
fn entities_of_a_file_are_never_expanded() {
    let laughs: String = (1..40).map(|n| format!("<!ENTITY l{n} \"&l{0};&l{0};&l{0};&l{0};\">", n - 1)).collect();
    for (types, content) in [
        (format!("[<!ENTITY l0 \"lol\">{laughs}]"), "<text>&l39;</text>"),
        ("[<!ENTITY a \"<script>alert(1)</script>\">]".to_owned(), "<g>&a;</g>"),
        ("[<!ENTITY a SYSTEM \"file:///etc/passwd\">]".to_owned(), "<text>&a;</text>"),
        ("[<!ENTITY a SYSTEM \"https://evil.example\">]".to_owned(), "<rect class='&a;'/>"),
        ("[<!ENTITY % a SYSTEM \"https://evil.example\"> %a;]".to_owned(), "<text>&b;</text>"),
        ("[<!ENTITY amp \"x\">]".to_owned(), "<g class='&ns;'/>"),
    ] {
        let file = format!("<!DOCTYPE svg {types}>{ROOT}>{content}</svg>");
        let refused = cleaned(&file).expect_err(&file);
        assert!(refused.to_string().contains("entities of its own"), "{refused}: {file}");
    }
    let illustrator = "<!DOCTYPE svg [<!ENTITY ns \"http://www.w3.org/2000/svg\">]><svg xmlns=\"&ns;\"/>";
    let refused = cleaned(illustrator).expect_err("an entity");
    assert!(refused.to_string().contains("entities of its own"), "{refused}");
    let named = format!("<!DOCTYPE svg [<!ENTITY ns \"http://www.w3.org/2000/svg\">]>{ROOT}><g xmlns='&ns;'/></svg>");
    assert_eq!(checked(&named), Ok(format!("{ROOT}/>")), "an element of another namespace");
}

#[test]
fn a_part_that_is_repeated_too_often_or_contains_itself_is_refused() {
    let ten = |tag: &str| tag.repeat(10);
    let each = |of: fn(usize) -> String| (1..8).map(of).collect::<String>();
    let used = |n: usize| format!("<g id='p{n}'>{}</g>", format!("<use href='#p{}'/>", n - 1).repeat(10));
    let uses = |count: usize| (1..count).map(used).collect::<String>();
    let patterns = each(|n| {
        format!("<pattern id='p{n}'>{}</pattern>", format!("<rect fill='URL( \"#p{}\" )'/>", n - 1).repeat(10))
    });
    let nested = each(|n| {
        format!("<mask id='p{n}'><g id='g{n}'><g style='mask:url(#g{0})'/><use href='#g{0}'/></g></mask>", n - 1)
    });
    for (accepted, refused, reason) in [
        (uses(6), uses(8), "repeated too often"),
        (nested, patterns, "repeated too often"),
        (ten("<use href='#a'/>"), "<g id='a'><use href='#a'/></g>".to_owned(), "contains itself"),
        (
            String::new(),
            "<g id='a'><use href='#b'/></g><g id='b'><g><use href='#a'/></g></g>".to_owned(),
            "contains itself",
        ),
        (String::new(), "<mask id='a'><rect mask='url(#a)'/></mask>".to_owned(), "contains itself"),
        (
            "<path id='a'><animateMotion><mpath href='#a'/></animateMotion></path>".to_owned(),
            "<use id='a' href='#a'/>".to_owned(),
            "contains itself",
        ),
        // Some browsers do not decode `%61` to the name `a`.
        (
            "<g id='a'><use href='#%61'/></g>".to_owned(),
            "<g id='a'><use href='#&#97;'/></g>".to_owned(),
            "contains itself",
        ),
    ] {
        assert!(checked(&drawing(&accepted)).is_ok(), "{accepted}");
        let error = cleaned(drawing(&refused)).expect_err(&refused);
        assert!(error.to_string().contains(reason), "{error}: {refused}");
    }
}

/// The time is in proportion to the length: with a quadratic step, this test would run for hours.
#[test]
fn a_large_file_is_read_or_refused() {
    let times = |text: &str, bytes: usize| text.repeat(bytes / text.len());
    let (large, sheet) = (1 << 18, |text: String| format!("<style>{text}</style>"));
    for content in [
        format!("<path d='M0 0{}'/>", times("L1 1", 3 * large)),
        format!("<rect style='{}'/>", times("fill:red;", large)),
        format!("<rect fill='{}'/>", times("(", large)),
        format!("<rect fill='{}'/>", times("url(#a)", large)),
        format!("<rect class='{}'/>", times("&quot;", large)),
        sheet(times("a{", large)),
        sheet(times("/*", large)),
        sheet(times("@media x{", large)),
        sheet(times("}", large)),
        sheet(times("\"\n", large)),
        sheet(times("a{fill:red}", large)),
        sheet(times("a(", large)),
        format!("<text>{}</text>", times("&#65;", large)),
        format!("<text>{}</text>", times("<!---->", large)),
        times("<script/>", large),
    ] {
        let result = checked(&drawing(&content));
        assert!(result.is_ok(), "{:.40}: {:?}", content, result.map(|_| ()));
    }
}

#[test]
fn a_file_that_is_more_than_a_browser_should_read_is_refused() {
    let nested = |depth: usize| drawing(&["<g>".repeat(depth), "</g>".repeat(depth)].concat());
    let attributes =
        |count: usize| drawing(&format!("<g {}/>", (0..count).map(|n| format!(" a{n}=''")).collect::<String>()));
    let spaces =
        |count: usize| drawing(&format!("<g {}/>", (0..count).map(|n| format!(" xmlns:a{n}='x'")).collect::<String>()));
    let long = |bytes: usize| drawing(&format!("<g id='{}'/>", "x".repeat(bytes)));
    for (accepted, refused, reason) in [
        (nested(255), nested(256), "256 nested"),
        (nested(255), nested(100_000), "256 nested"),
        (nested(255), drawing(&"<script>".repeat(100_000)), "256 nested"),
        (attributes(256), attributes(257), "256 attributes"),
        (spaces(62), spaces(63), "64 namespaces"),
        (drawing(&"<g/>".repeat(99_999)), drawing(&"<g/>".repeat(100_000)), "100,000 elements"),
        (long(4_000_000), long(4_200_000), "4 MiB"),
        // The file grows when it is written again, because quotation marks are escaped.
        (drawing(""), drawing(&format!("<g id='{}'/>", "\"".repeat(1_000_000))), "4 MiB"),
    ] {
        assert!(checked(&accepted).is_ok(), "{reason}");
        let refused = cleaned(&refused).expect_err(reason);
        assert!(refused.to_string().contains(reason), "{refused}");
    }
}
