//! A site of the form of Eleventy's base blog: data of folders, front matter in JavaScript, links to files below the input folder.

pub const FILES: &[(&str, &str)] = &[
    ("eleventy.config.js", "export default function () {}\n"),
    ("content/content.11tydata.js", "export default {\n\tlayout: \"layouts/home.njk\",\n};\n"),
    ("content/index.njk", "<h1>Home</h1>\n"),
    (
        "content/404.md",
        "---\npermalink: 404.html\neleventyExcludeFromCollections: true\n---\n# Content not found.\n\nGo <a href=\"index.njk\">home</a>.\n",
    ),
    (
        "content/about.md",
        "---js\nconst eleventyNavigation = {\n\tkey: \"About\",\n\torder: 3\n};\n---\n# About\n\nWe row. See [the blog]({{ '/blog/' | url }}).\n",
    ),
    (
        "content/blog/blog.11tydata.js",
        "export default {\n\ttags: [\n\t\t\"posts\"\n\t],\n\t\"layout\": \"layouts/post.njk\",\n};\n",
    ),
    (
        "content/blog/firstpost.md",
        "---\ntitle: This is the first post.\ndescription: About boats.\ndate: 2018-05-01\ntags: another tag\n---\n## Section header\n\nText.\n",
    ),
    ("content/blog/firstpost.11tydata.json", "{\n\t\"mood\": \"calm\",\n\t\"tags\": [\"boats\"]\n}\n"),
    (
        "content/blog/secondpost.md",
        "---\ntitle: This is the second post.\ndescription: About ropes.\ndate: 2018-07-04\ntags:\n  - number 2\n  - boats\npermalink: /blog/second/\n---\n<a href=\"/blog/firstpost.md\">First post</a>\n<a href=\"blog/thirdpost/thirdpost.md\">Third post</a>\n\nAlso [the first](/blog/firstpost/) and [its section](firstpost.md#section-header).\n",
    ),
    (
        "content/blog/thirdpost/thirdpost.md",
        "---json\n{\n  \"title\": \"This is the third post.\",\n  \"date\": \"2018-08-24\",\n  \"tags\": [\"second tag\", \"posts with two tags\"]\n}\n---\n<img src=\"./boat.png\" alt=\"A boat\">\n\n### Heading with a [link](#heading-with-a-link)\n",
    ),
    (
        "content/blog/fourthpost.md",
        "---js\nconst title = \"This is the fourth post\";\nconst date = \"2023-01-23\";\nconst draft = true;\n---\nThis is a draft with [a link](/blog/firstpost.md).\n",
    ),
    ("content/blog/computed.11tydata.js", "export default function () {\n\treturn { a: 1 };\n}\n"),
    (
        "content/notes/notes.json",
        "{\n  \"layout\": \"note.njk\",\n  \"author\": \"Ada Byron\",\n  \"permalink\": \"/notes/{{ page.fileSlug }}/\"\n}\n",
    ),
    ("content/notes/tide.md", "---\ntitle: Tide\ndate: 2024-01-02\n---\nHigh.\n"),
    ("content/_data/metadata.json", "{\"title\": \"Harbour\"}\n"),
];

pub const PICTURES: &[&str] = &["content/blog/thirdpost/boat.png"];
