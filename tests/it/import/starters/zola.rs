//! A site of the form of Zola's documentation and themes: TOML, sections, taxonomies, links with `@/`, assets beside their page, translations.

pub const FILES: &[(&str, &str)] = &[
    ("config.toml", "base_url = \"https://example.com\"\ntitle = \"Harbour\"\n"),
    ("content/_index.md", "+++\npaginate_by = 5\nsort_by = \"date\"\n+++\n"),
    (
        "content/docs/_index.md",
        "+++\ntitle = \"Docs\"\ntemplate = \"docs.html\"\nredirect_to = \"docs/start\"\nweight = 2\nsort_by = \"weight\"\ninsert_anchor_links = \"right\"\n+++\nThe [start](@/docs/start.md) and [the pictures](@/docs/pictures/index.md#a-gallery).\n",
    ),
    (
        "content/docs/start.md",
        "+++\ntitle = \"Start\"\nweight = 10\naliases = [\"docs/begin\"]\n\n[extra]\nauthor = \"Ada Byron\"\nsince = 2023-04-05\nlink = {text = \"Home\", url = \"/\"}\n+++\nGo [up](@/docs/_index.md), to [the heading](#first-steps), or [nowhere](@/docs/gone.md).\n\n## First steps\n\nLook at [the post](@/hull.md), [its picture](@/docs/pictures/index.md) and `[code](@/docs/code.md)`.\n",
    ),
    (
        "content/docs/pictures/index.md",
        "+++\ntitle = \"Pictures\"\nweight = 20\n+++\n## A gallery\n\n![The quay](quay.png) {{ gallery() }} {% note() %}Text{% end %}\n\n[Back](../start.md)\n",
    ),
    (
        "content/hull.md",
        "+++\ntitle = \"What is a hull\"\ndescription = \"About hulls.\"\ndate = 2024-02-24\nupdated = 2024-02-25\ndraft = false\npath = \"2024/hull\"\n\n[taxonomies]\ncategories = [\"Building\"]\ntags = [\"wood\", \"code\"]\nseries = [\"Hulls\"]\n\n[extra]\nfeatured = true\nthumbnail = \"quay-small.png\"\n\n[extra.author]\nname = \"Ada Byron\"\nhomepage = \"https://ada.example\"\n+++\nSee [the docs](@/docs/_index.md) and [the mast](./mast.md).\n\n<!-- more -->\n\n![Static](/static.png)\n",
    ),
    (
        "content/mast.md",
        "+++\ntitle = \"A mast\"\ndate = 2024-02-26T09:10:11-08:00\nauthors = [\"Ada Byron\"]\nslug = \"the-mast\"\ntemplate = \"post.html\"\nin_search_index = true\n+++\nThe [hull](@/hull.md#top) and [a mail](mailto:a@b.example).\n",
    ),
    ("content/mast.fr.md", "+++\ntitle = \"Un mât\"\ndate = 2024-02-26\n+++\nLe [mât](@/mast.md).\n"),
];

pub const PICTURES: &[&str] = &["content/docs/pictures/quay.png", "content/quay-small.png", "static/static.png"];
