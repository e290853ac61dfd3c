//! A site of the form of Hugo's starters: page bundles, `static`, front matter in YAML and TOML, shortcodes, translations by the name of the file.

pub const FILES: &[(&str, &str)] = &[
    ("hugo.toml", "title = 'Harbour'\n"),
    (
        "content/_index.md",
        "---\ntitle: Harbour\nfeatured_image: /images/quay.png\ndescription: All about boats.\nmenu:\n  main:\n    name: Home\n    weight: 1\n    params:\n      icon: home\n---\nRead [about us](/about), or [the first post]({{< ref \"posts/first\" >}}).\n\n![The quay](/images/quay.png)\n",
    ),
    ("content/_index.de.md", "---\ntitle: Hafen\n---\nLies [über uns](/de/about).\n"),
    (
        "content/about.md",
        "+++\ntitle = \"About\"\nmenu = \"main\"\nweight = 3\ntags = [\"club\"]\n\n[params]\n  toc = true\n+++\nWe row. Write to [the club]({{% relref \"contact.md#post\" %}}).\n",
    ),
    ("content/about.de.md", "+++\ntitle = \"Über uns\"\n+++\nWir rudern.\n"),
    (
        "content/contact.md",
        "---\ntitle: Contact\ntype: page\nmenu:\n  main: {weight: 4}\noutputs:\n    - html\n    - json\n---\n## Post\n\nBehind the quay. Back to [the posts]({{< relref \"/posts\" >}}), or [nowhere]({{< ref \"gone.md\" >}}).\n",
    ),
    ("content/posts/_index.md", "---\ntitle: Posts\ndate: 2024-03-08\ncascade:\n  type: post\n---\n"),
    (
        "content/posts/first/index.md",
        "---\ndate: 2024-03-09T10:58:08-04:00\nlastmod: 2024-03-10\ndescription: \"The first boat\"\nfeatured_image: \"cover.png\"\nslug: first\ntags: [\"boats\", \"wood\"]\ncategories:\n    - Building\nauthor: Ada Byron\ntitle: \"Chapter I: The First Boat\"\nweight: 1       # before the others\nmath: true\naliases:\n  - /2024/the-boat/\nsocial_share:\n  display: true\n  items:\n    mail: true\n---\nA [second post](../second.md) follows, also as [the bundle]({{< ref \"second\" >}}) and [in the club]({{< ref path=\"/posts/club.md\" >}}).\n\n![The hull](hull.png) ![The mast](images/mast.png \"Mast\")\n\n{{< figure src=\"/images/rope.png\" title=\"A rope\" caption=\"Made of hemp\" >}}\n\n{{< youtube \"abc\" >}} {{< quiz \"abc\" >}}\n\n<!--more-->\n\nSee [the hull](#the-hull).\n\n## The hull\n\n```md\n[code]({{< ref \"nowhere.md\" >}}) ![code](nowhere.png)\n```\n",
    ),
    (
        "content/posts/second.md",
        "+++\nauthor = \"Hugo Authors\"\ntitle = \"Second\"\ndate = \"2024-03-11\"\npublishDate = \"2024-03-11\"\ndraft = false\nseries = [\"Boats\"]\nseries_order = 2\nsummary = \"The second boat.\"\n+++\nAfter [the first](/posts/first/), see <a href=\"{{< ref \"first\" >}}\">the first again</a> and [the drawing](/images/drawing.svg) ![Drawing](/images/drawing.svg).\n",
    ),
    (
        "content/posts/second.fr.md",
        "+++\ntitle = \"Deuxième\"\ndate = 2024-03-11\n+++\nVoir [le premier](first/index.md).\n",
    ),
    (
        "content/posts/club.md",
        "---\ntitle: Club\ndate: 2024-03-12 08:00:00+0100\ndraft: true\nimage: /images/rope.png\n---\nA draft with [a link](second.md).\n",
    ),
    (
        "content/posts/json.md",
        "{\n  \"title\": \"JSON\",\n  \"date\": \"2024-03-13\",\n  \"tags\": [\"boats\"],\n  \"params\": {\"depth\": 1.5}\n}\n\nJSON.\n",
    ),
    (
        "content/categories/building/_index.md",
        "---\ntitle: Building\ndescription: How boats are built\nimage:\n\n# Badge style\nstyle:\n    background: \"#2a9d8f\"\n    color: \"#fff\"\n---\n",
    ),
    (
        "archetypes/default.md",
        "---\ntitle: \"{{ replace .Name \"-\" \" \" | title }}\"\ndate: {{ .Date }}\ndraft: true\n---\n",
    ),
    ("static/images/drawing.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"),
];

pub const PICTURES: &[&str] = &[
    "static/images/quay.png",
    "static/images/rope.png",
    "content/posts/first/cover.png",
    "content/posts/first/hull.png",
    "content/posts/first/images/mast.png",
];
