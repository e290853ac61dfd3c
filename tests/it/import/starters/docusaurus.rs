//! A site of the form of Docusaurus' classic template: documentation with categories, a blog with `authors.yml` and `tags.yml`, MDX, `static`.

pub const FILES: &[(&str, &str)] = &[
    ("docusaurus.config.js", "export default {};\n"),
    (
        "docs/intro.md",
        "---\nsidebar_position: 1\n---\n\n# Tutorial intro\n\nLet us **row**. Next: [a document](./basics/create-a-document.md), [by path](/docs/basics/doc-with-id).\n",
    ),
    (
        "docs/basics/_category_.json",
        "{\n  \"label\": \"Tutorial - basics\",\n  \"position\": 2,\n  \"link\": {\n    \"type\": \"generated-index\",\n    \"description\": \"Five minutes to learn rowing.\"\n  }\n}\n",
    ),
    (
        "docs/basics/create-a-document.md",
        "---\nid: doc-with-id\nsidebar_position: 2\nsidebar_label: 'Hi!'\ntitle: Create a document\ndescription: Groups of pages\nkeywords: [rowing, pages]\nimage: /img/oar.png\nhide_table_of_contents: false\ntags: [docs]\nlast_update:\n  date: 1/1/2024\n  author: Ada\n---\n\nCreate a file at `docs/hello.md`. Then [congratulations](congratulations.mdx).\n\n```md title=\"docs/hello.md\" {1-4}\n[Not a link](./hello.md)\n```\n",
    ),
    (
        "docs/basics/congratulations.mdx",
        "---\nsidebar_position: 6.5\n---\nimport Tabs from '@theme/Tabs';\n\n# Congratulations!\n\nLook at **[versions](../extras/manage.md)** and **[the intro](../intro.md#next)**.\n\n<Tabs>\n\n[Inside](/docs/intro)\n\n</Tabs>\n\n:::tip My tip\n\nUse [this](../../blog/2021-08-26-welcome/index.mdx).\n\n:::\n",
    ),
    ("docs/extras/_category_.yml", "label: Extras\nposition: 3\ncollapsed: false\nclassName: extras\n"),
    ("docs/extras/index.md", "---\ntitle: The extras\n---\nMore.\n"),
    (
        "docs/extras/manage.md",
        "---\nsidebar_position: 1\nslug: /versions\n---\n\n# Manage versions\n\n![Oar](/img/oar.png) ![Locale](./img/locale.png) ![Logo](/img/logo.svg)\n\nSee [gone](./gone.md).\n",
    ),
    (
        "src/pages/markdown-page.md",
        "---\ntitle: Markdown page example\n---\n\n# Markdown page example\n\nYou need no React.\n",
    ),
    (
        "blog/authors.yml",
        "ada:\n  name: Ada Byron\n  title: Keeper of the quay\n  url: https://ada.example\n  image_url: /img/ada.png\n  page: true\n  socials:\n    x: adabyron\n    github: ada\n\nnelson:\n  name: Nelson Quay\n  url: https://example.com/nelson\n  image_url: https://example.com/nelson.png\n",
    ),
    (
        "blog/tags.yml",
        "boats:\n  label: Boats\n  permalink: /all-boats\n  description: Posts about boats\n\nhello:\n  label: Hello\n  permalink: /hello\n",
    ),
    (
        "blog/2019-05-28-first-blog-post.md",
        "---\nslug: first-blog-post\ntitle: First blog post\nauthors: [ada, nelson]\ntags: [hola, boats]\n---\n\nLorem ipsum.\n\n<!-- truncate -->\n\n...and [the welcome](./2021-08-26-welcome/index.mdx).\n",
    ),
    (
        "blog/2021-08-01-mdx-blog-post.mdx",
        "---\nslug: mdx-blog-post\ntitle: MDX blog post\nauthors:\n  - nelson\n  - name: Grace Hopper\n    title: Guest\n    url: https://grace.example\ntags: [hello]\n---\n\nExport follows. [The docs](/docs/intro)\n\n{/* truncate */}\n\nexport const B = () => (\n  <button onClick={() => alert('a')}>Click me!</button>\n);\n\nThe end.\n",
    ),
    (
        "blog/2021-08-26-welcome/index.mdx",
        "---\nslug: welcome\ntitle: Welcome\nauthors: ada\ntags: [hello, boats]\n---\n\nA [first post](/blog/first-blog-post).\n\n![A banner](./banner.png)\n",
    ),
    ("static/img/logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"),
];

pub const PICTURES: &[&str] =
    &["static/img/oar.png", "static/img/ada.png", "docs/extras/img/locale.png", "blog/2021-08-26-welcome/banner.png"];
