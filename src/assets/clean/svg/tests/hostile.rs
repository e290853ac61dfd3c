//! Drawings that try to run or to load something, each with the expected result; both without the root element.

/// Elements that run something or load something, in every place and namespace.
pub(super) const SCRIPTS: &[(&str, &str)] = &[
    ("<script>alert(1)</script>", ""),
    ("<script><![CDATA[alert(1)]]></script>", ""),
    ("<script href='//evil.example/x.js'/>", ""),
    ("<script xlink:href='data:text/javascript,alert(1)'/>", ""),
    ("<script type='module'>import 'https://evil.example'</script>", ""),
    ("<SCRIPT>alert(1)</SCRIPT>", ""),
    ("<g><script>alert(1)</script><rect/></g>", "<g><rect/></g>"),
    ("<x:script xmlns:x='http://www.w3.org/2000/svg'>alert(1)</x:script>", ""),
    ("<script xmlns='http://www.w3.org/1999/xhtml'>alert(1)</script>", ""),
    ("<h:script xmlns:h='http://www.w3.org/1999/xhtml'>alert(1)</h:script>", ""),
    ("<h:img xmlns:h='http://www.w3.org/1999/xhtml' src='x' onerror='alert(1)'/>", ""),
    ("<h:iframe xmlns:h='http://www.w3.org/1999/xhtml' src='javascript:alert(1)'/>", ""),
    ("<svg xmlns='http://www.w3.org/1999/xhtml'><body onload='alert(1)'/></svg>", ""),
    ("<title><script>alert(1)</script></title>", "<title/>"),
    ("<desc><h:b xmlns:h='http://www.w3.org/1999/xhtml' onclick='alert(1)'>x</h:b>y</desc>", "<desc>y</desc>"),
    ("<metadata><script>alert(1)</script></metadata>", ""),
    ("<style><script>alert(1)</script></style>", "<style/>"),
    ("<text><script>alert(1)</script>a</text>", "<text>a</text>"),
    ("<text><tspan onclick='alert(1)'>a</tspan></text>", "<text><tspan>a</tspan></text>"),
    ("<defs><g><g><script>alert(1)</script></g></g></defs>", "<defs><g><g/></g></defs>"),
    ("<switch><script>alert(1)</script></switch>", "<switch/>"),
    (
        "<handler type='text/ecmascript' ev:event='load' xmlns:ev='http://www.w3.org/2001/xml-events'>alert(1)</handler>",
        "",
    ),
    ("<listener event='load' handler='#x'/>", ""),
    ("<foreignObject><iframe src='javascript:alert(1)'/></foreignObject>", ""),
    (
        "<foreignObject><h:body xmlns:h='http://www.w3.org/1999/xhtml'><h:script>alert(1)</h:script></h:body></foreignObject>",
        "",
    ),
    ("<foreignobject><p/></foreignobject>", ""),
    (
        "<switch><foreignObject requiredExtensions='http://www.w3.org/1999/xhtml'><p onclick='alert(1)'/></foreignObject><text>b</text></switch>",
        "<switch><text>b</text></switch>",
    ),
    ("<iframe src='javascript:alert(1)'/>", ""),
    ("<embed src='x'/><object data='x'/><video src='x'/><audio src='x'/><canvas/>", ""),
    ("<math><mi xlink:href='javascript:alert(1)'/></math>", ""),
    ("<body onload='alert(1)'/>", ""),
    ("<discard/><unknown onload='alert(1)'><rect/></unknown>", ""),
    (
        "<font><glyph/></font><font-face><font-face-src><font-face-uri href='https://evil.example'/></font-face-src></font-face>",
        "",
    ),
    (
        "<tref href='https://evil.example/x.svg#a'/><cursor href='https://evil.example'/><color-profile href='https://evil.example'/>",
        "",
    ),
    ("<animation href='https://evil.example'/><prefetch href='https://evil.example'/>", ""),
    (
        "<meta http-equiv='refresh' content='0;url=https://evil.example'/><link rel='stylesheet' href='https://evil.example'/><base href='https://evil.example'/>",
        "",
    ),
];

/// Event handlers, and attributes that point outside the drawing.
pub(super) const EVENTS: &[(&str, &str)] = &[
    ("<rect onclick='alert(1)'/>", "<rect/>"),
    ("<rect ONLOAD='alert(1)' OnClick='alert(1)'/>", "<rect/>"),
    ("<rect onbegin='alert(1)' onend='alert(1)' onrepeat='alert(1)'/>", "<rect/>"),
    ("<rect onmouseover&#x09;='alert(1)'/>", "<rect/>"),
    ("<animate onbegin='alert(1)' attributeName='x' dur='1s'/>", r#"<animate attributeName="x" dur="1s"/>"#),
    ("<g onfocusin='alert(1)' onactivate='alert(1)' tabindex='0' autofocus='' contenteditable='true'/>", "<g/>"),
    ("<image href='x' onerror='alert(1)'/>", "<image/>"),
    ("<svg onload='alert(1)' onunload='alert(1)' onresize='alert(1)' onzoom='alert(1)'/>", "<svg/>"),
    ("<rect svg:onclick='alert(1)' xmlns:svg='http://www.w3.org/2000/svg'/>", "<rect/>"),
    ("<rect ev:event='click' ev:handler='#x' xmlns:ev='http://www.w3.org/2001/xml-events'/>", "<rect/>"),
    (
        "<rect formaction='javascript:alert(1)' action='javascript:alert(1)' srcdoc='&lt;script>' src='x' data='x'/>",
        "<rect/>",
    ),
    ("<rect xml:base='javascript:alert(1)//' xml:id='a'/>", "<rect/>"),
    ("<rect id='&quot; onclick=&quot;alert(1)'/>", r#"<rect id="&quot; onclick=&quot;alert(1)"/>"#),
    (
        "<rect id='&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'/>",
        r#"<rect id="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"/>"#,
    ),
    (r#"<rect class="a'b"/>"#, r#"<rect class="a'b"/>"#),
];

/// Links and embedded files.
pub(super) const LINKS: &[(&str, &str)] = &[
    ("<a href='javascript:alert(1)'><rect/></a>", "<a><rect/></a>"),
    ("<a xlink:href='javascript:alert(1)'><rect/></a>", "<a><rect/></a>"),
    ("<a xmlns:l='http://www.w3.org/1999/xlink' l:href='javascript:alert(1)'/>", "<a/>"),
    ("<a href=' JavaScript:alert(1)'/>", "<a/>"),
    ("<a href='java&#10;script:alert(1)'/>", "<a/>"),
    ("<a href='&#106;avascript:alert(1)'/>", "<a/>"),
    (
        "<a href='vbscript:x'/><a href='data:text/html,&lt;script>'/><a href='blob:x'/><a href='file:///etc/passwd'/>",
        "<a/><a/><a/><a/>",
    ),
    (
        "<a href='feed:javascript:alert(1)'/><a href='view-source:x'/><a href='jar:x'/><a href='//evil.example'/>",
        "<a/><a/><a/><a/>",
    ),
    (
        "<a href='https://example.org/?a=1&amp;b=2' target='_blank' ping='https://evil.example' download='x' rel='opener'/>",
        r#"<a href="https://example.org/?a=1&amp;b=2"/>"#,
    ),
    (
        "<a href='#a'/><a href='MAILTO:a@example.org'/><a href='http://example.org'/>",
        r##"<a href="#a"/><a href="MAILTO:a@example.org"/><a href="http://example.org"/>"##,
    ),
    ("<a href='https://example.org' xlink:href='javascript:alert(1)'/>", r#"<a href="https://example.org"/>"#),
    ("<a xlink:href='https://example.org' href='#a'/>", r##"<a href="#a"/>"##),
    ("<use href='https://evil.example/x.svg#a'/>", "<use/>"),
    ("<use xlink:href='data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=#x'/>", "<use/>"),
    ("<use href='x.svg#a'/><use href=''/><use href='&#35;a'/>", r##"<use/><use/><use href="#a"/>"##),
    ("<use xlink:href=' #a '/>", r##"<use href="#a"/>"##),
    (
        "<image href='https://evil.example/x.png'/><image href='//evil.example/x.png'/><image href='x.png'/>",
        "<image/><image/><image/>",
    ),
    ("<image href='data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+'/>", "<image/>"),
    ("<image href='data:image/png;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+'/>", "<image/>"),
    (
        "<image href='data:text/html;base64,PHNjcmlwdD4='/><image href='data:image/png,x'/><image href='data:'/>",
        "<image/><image/><image/>",
    ),
    (
        "<image href='data:image/png;base64,!!!'/><image href='javascript:alert(1)'/><image href='#a'/>",
        "<image/><image/><image/>",
    ),
    ("<feImage href='https://evil.example/x.png'/>", ""),
    (
        "<filter href='https://evil.example/x.svg#f'/><pattern href='x.svg#p'/><linearGradient href='x.svg#g'/>",
        "<filter/><pattern/><linearGradient/>",
    ),
    (
        "<textPath href='x.svg#p'/><mpath href='x.svg#p'/><rect href='#a'/><g href='https://evil.example'/>",
        "<textPath/><mpath/><rect/><g/>",
    ),
];

/// Animations that would set a forbidden value.
pub(super) const ANIMATIONS: &[(&str, &str)] = &[
    (
        "<animate attributeName='mask' dur='4s' values=\"none;';url(https://evil.example/x.png);'\"/>",
        "<animate attributeName=\"mask\" dur=\"4s\"/>",
    ),
    (
        "<a href='#a'><animate attributeName='href' values='javascript:alert(1)'/></a>",
        r##"<a href="#a"><animate/></a>"##,
    ),
    ("<a><animate attributeName='xlink:href' to='javascript:alert(1)'/></a>", "<a><animate/></a>"),
    ("<a><set attributeName='href' to='javascript:alert(1)'/></a>", "<a><set/></a>"),
    ("<a><set attributeName=' href' to='&#106;avascript:alert(1)'/></a>", "<a><set/></a>"),
    ("<set attributeName='onclick' to='alert(1)'/><set attributeName='onload' to='alert(1)'/>", "<set/><set/>"),
    (
        "<set attributeName='style' to='fill:url(https://evil.example)'/><set attributeName='class' to='x'/>",
        r#"<set/><set to="x"/>"#,
    ),
    (
        "<set attributeName='attributeName' to='href'/><animate attributeName='from' to='javascript:alert(1)'/>",
        r#"<set to="href"/><animate/>"#,
    ),
    ("<animate attributeName='fill' values='url(https://evil.example)'/>", r#"<animate attributeName="fill"/>"#),
    (
        "<animate attributeName='fill' from='u&#92;72l(https://evil.example)' to='red'/>",
        r#"<animate attributeName="fill" to="red"/>"#,
    ),
    ("<animate href='https://evil.example/x.svg#a' attributeName='x'/>", r#"<animate attributeName="x"/>"#),
    (
        "<animate xlink:href='#a' attributeName='x' from='0' to='9' dur='1s' begin='click; 2s'/>",
        r##"<animate attributeName="x" from="0" to="9" dur="1s" begin="click; 2s" href="#a"/>"##,
    ),
    (
        "<animate attributeName='fill' begin='accessKey(s)' values='red;blue'/>",
        r#"<animate attributeName="fill" values="red;blue"/>"#,
    ),
    (
        "<animateTransform attributeName='transform' type='rotate' values='0;360' repeatCount='indefinite' dur='1s'/>",
        r#"<animateTransform attributeName="transform" type="rotate" values="0;360" repeatCount="indefinite" dur="1s"/>"#,
    ),
    (
        "<animateMotion path='M0,0L9,9'><mpath href='#p'/></animateMotion>",
        r##"<animateMotion path="M0,0L9,9"><mpath href="#p"/></animateMotion>"##,
    ),
];

/// Style sheets and values of CSS.
pub(super) const STYLES: &[(&str, &str)] = &[
    ("<style>rect{font-family:\"a&#13;}html{background:url(https://evil.example/x)}b{fill:\"}</style>", "<style/>"),
    ("<style>rect{font-family:\"a;}html{background:url(https://evil.example/x)}b{fill:\"}</style>", "<style/>"),
    ("<rect font-family=\"'a(b'\"/>", "<rect/>"),
    ("<style>@import 'https://evil.example/x.css';rect{fill:red}</style>", "<style>rect{fill:red}</style>"),
    ("<style>@import url(https://evil.example/x.css);</style>", "<style/>"),
    (r#"<style>@\69mport 'https://evil.example';rect{fill:red}</style>"#, "<style>rect{fill:red}</style>"),
    (
        "<style>@charset 'x';@namespace svg url(http://www.w3.org/2000/svg);@font-face{font-family:a;src:url(https://evil.example)}</style>",
        "<style/>",
    ),
    ("<style>rect{fill:url(https://evil.example)}circle{fill:url(#a)}</style>", "<style>circle{fill:url(#a)}</style>"),
    ("<style>rect{fill:URL( 'https://evil.example' );stroke:red}</style>", "<style>rect{stroke:red}</style>"),
    (r#"<style>rect{fill:u\72l(https://evil.example);fill:u\000072 l(//evil.example)}</style>"#, "<style/>"),
    ("<style>rect{fill:u/**/rl(https://evil.example)}/* x */</style>", "<style/>"),
    (
        "<style>rect{background:image-set('https://evil.example' 1x);background:image('x');fill:src('x')}</style>",
        "<style/>",
    ),
    ("<style>rect{background:-webkit-image-set(url(x) 1x);background:cross-fade(url(x),red)}</style>", "<style/>"),
    (
        "<style>rect{-moz-binding:url(https://evil.example#x);behavior:url(x.htc);width:expression(alert(1))}</style>",
        "<style/>",
    ),
    (
        "<style>rect{fill:url(data:image/svg+xml,x);mask:url(&quot;#a&quot;);clip-path:url( '#b' )}</style>",
        "<style>rect{mask:url(&quot;#a&quot;);clip-path:url( '#b' )}</style>",
    ),
    ("<style>rect{fill:url(#a;}*{fill:red}</style>", "<style/>"),
    (r#"<style>rect{fill:"a;}*{fill:red}</style>"#, "<style/>"),
    ("<style>&lt;/style>&lt;script>alert(1)&lt;/script></style>", "<style/>"),
    ("<style><![CDATA[</style><script>alert(1)</script>]]></style>", "<style/>"),
    ("<style><![CDATA[rect{fill:red}]]>]]&gt;<![CDATA[circle{fill:blue}]]></style>", "<style>rect{fill:red}</style>"),
    (
        "<style>a[href^='x']{fill:red}rect:hover,g > rect{fill:red}</style>",
        "<style>rect:hover,g &gt; rect{fill:red}</style>",
    ),
    (
        "<style>@media (prefers-color-scheme: dark){rect{fill:white}circle{fill:url(x)}}</style>",
        "<style>@media (prefers-color-scheme: dark){rect{fill:white}}</style>",
    ),
    ("<style>@media x{@media y{rect{fill:red}}}@supports (fill:url(x)){rect{fill:red}}</style>", "<style/>"),
    (
        "<style>@keyframes a{from{opacity:0}50%{fill:url(x)}to{opacity:1}}@page{margin:0}</style>",
        "<style>@keyframes a{from{opacity:0}to{opacity:1}}</style>",
    ),
    (
        "<style>rect{--a:url(https://evil.example);--b:#000;fill:var(--b)}</style>",
        "<style>rect{--b:#000;fill:var(--b)}</style>",
    ),
    (
        "<style>rect{content:'x';position:fixed;top:0;fill:red!important;FILL:RED}</style>",
        "<style>rect{fill:red!important;fill:RED}</style>",
    ),
    ("<style>rect{fill:red}<!-- </style> --></style>", "<style>rect{fill:red}</style>"),
    (
        "<style media='screen' type='text/css' onload='alert(1)'>rect{{fill:red}}</style>",
        r#"<style media="screen" type="text/css"/>"#,
    ),
    ("<rect style='fill:url(https://evil.example);stroke:red'/>", r#"<rect style="stroke:red"/>"#),
    ("<rect style='fill:red;-moz-binding:url(x);}*{fill:red'/>", r#"<rect style="fill:red"/>"#),
    ("<rect style='background:url(javascript:alert(1))'/>", "<rect/>"),
    ("<rect style='fill:u&#x5c;rl(x);stroke : url( #a ) ;'/>", r#"<rect style="stroke:url( #a )"/>"#),
    (
        "<rect fill='url(https://evil.example#a)' stroke='url(#a) red' filter='url(&quot;x.svg#f&quot;)'/>",
        r#"<rect stroke="url(#a) red"/>"#,
    ),
    ("<rect fill='URL(&#104;ttps://evil.example)' cursor='url(x),auto' mask='url(//evil.example)'/>", "<rect/>"),
    (
        r#"<rect clip-path="url('#c')" marker-end='url(#m' fill='image(x)' d='M0 0url(x)'/>"#,
        r#"<rect clip-path="url('#c')"/>"#,
    ),
    (
        "<rect transform='translate(1 2)rotate (3)' fill='rgb(1,2,3)' stroke='element(#a)'/>",
        r#"<rect transform="translate(1 2)rotate (3)" fill="rgb(1,2,3)"/>"#,
    ),
    (
        "<text font-family=\"Arial, 'Noto Sans'\" xml:space='preserve' xml:lang='en'> a\n b </text>",
        "<text font-family=\"Arial, 'Noto Sans'\" xml:space=\"preserve\" xml:lang=\"en\"> a\n b </text>",
    ),
];

/// Texts, comments and sections that end early for one parser and not for another.
pub(super) const TEXTS: &[(&str, &str)] = &[
    (
        "<title>a &lt;/title>&lt;script>alert(1)&lt;/script></title>",
        "<title>a &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>",
    ),
    (
        "<title><![CDATA[</title><script>alert(1)</script>]]></title>",
        "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>",
    ),
    ("<desc>&lt;img src=x onerror=alert(1)></desc>", "<desc>&lt;img src=x onerror=alert(1)&gt;</desc>"),
    (
        "<text>]]&gt; &amp;lt; &quot; &#60;script&#62; &#x3c;b></text>",
        "<text>]]&gt; &amp;lt; &quot; &lt;script&gt; &lt;b&gt;</text>",
    ),
    ("<text><![CDATA[<img src=x onerror=alert(1)>]]></text>", "<text>&lt;img src=x onerror=alert(1)&gt;</text>"),
    (
        "<text>+ADw-script+AD4-alert(1)+ADw-/script+AD4-</text>",
        "<text>+ADw-script+AD4-alert(1)+ADw-/script+AD4-</text>",
    ),
    ("<text>a<!-- <script>alert(1)</script> -->b<?php x?>c</text>", "<text>abc</text>"),
    ("<?xml-stylesheet href='https://evil.example/x.css'?><rect/>", "<rect/>"),
    ("<?xml-stylesheet type='text/xsl' href='#x'?><g>text</g>", "<g/>"),
    ("<!--><script>alert(1)</script>--><rect/>", "<rect/>"),
    ("<rect onclick='&evil;'/>", "<rect/>"),
    ("<p:rect xmlns:p='http://www.w3.org/2000/svg' width='1'/><p:rect xmlns:p='x' width='1'/>", r#"<rect width="1"/>"#),
    ("<g xmlns='x'><rect/></g><g xmlns=''><rect/></g><rect/>", "<rect/>"),
    ("<g xmlns:xlink='x'><use xlink:href='#a'/></g>", "<g><use/></g>"),
    ("<i:pgf xmlns:i='http://ns.adobe.com/x'>AAAA</i:pgf><rdf:RDF xmlns:rdf='x'/>", ""),
];

/// Files that are not well-formed XML, and references that only a document type could resolve.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("<a href='&#1;javascript:alert(1)'/>", "it has a character that XML does not allow"),
    ("<style>rect{fill:red", "it is not well-formed XML"),
    ("<text>&nbsp;</text>", "entities of its own"),
    ("<text>&evil;</text>", "entities of its own"),
    ("<rect id='&evil;'/>", "entities of its own"),
    ("<text>&#0;</text>", "it is not well-formed XML"),
    ("<text>&#xFFFE;</text>", "it has a character that XML does not allow"),
    ("<text>&#xD800;</text>", "it is not well-formed XML"),
    ("<text>a & b</text>", "it is not well-formed XML"),
    ("<rect x=1/>", "it is not well-formed XML"),
    ("<rect x='1' x='2'/>", "it is not well-formed XML"),
    ("<rect x/>", "it is not well-formed XML"),
    ("<g><rect></g></rect>", "it is not well-formed XML"),
    ("<g>", "it is not well-formed XML"),
    ("</svg><script>alert(1)</script><svg>", "there is an element after its end"),
    ("</svg>text<svg>", "there is text after its end"),
    ("<rect a:b='c'/>", r#"the prefix "a" is not declared"#),
    ("<a:b/>", r#"the prefix "a" is not declared"#),
    ("<![CDATA[<script>alert(1)</script>", "it is not well-formed XML"),
    ("<!-- ", "it is not well-formed XML"),
];
