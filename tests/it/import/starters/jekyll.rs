//! A site of the form of `jekyll new` and its theme: posts with the day in the name, drafts, pages with a permalink, tags of Liquid.

pub const FILES: &[(&str, &str)] = &[
    ("_config.yml", "title: Harbour\nbaseurl: \"\"\ncollections:\n  docs:\n    output: true\n"),
    ("index.markdown", "---\n# The home page is made of the layout.\nlayout: home\n---\n"),
    (
        "about.markdown",
        "---\nlayout: page\ntitle: About\npermalink: /about/\n---\nA club. See [the welcome]({% post_url 2024-05-19-welcome %}), [its file]({% link _posts/2024-05-19-welcome.markdown %}), and [the source][source].\n\n[source]: https://example.com/source\n",
    ),
    ("404.html", "---\npermalink: /404.html\nlayout: page\n---\n<h1>404</h1>\n"),
    (
        "_posts/2024-05-19-welcome.markdown",
        "---\nlayout: post\ntitle:  \"Welcome to the harbour!\"\ndate:   2024-05-19 10:12:24 +0200\ncategories: news\nauthor: Ada Byron\ncomments: false\n---\nYou find it in `_posts`. Read [more][more] and [the styles]({{ site.baseurl }}{% post_url 2024-05-20-styles %}), or [about us]({{ \"/about/\" | relative_url }}).\n\n{% highlight ruby %}\nputs 'Hi'\n{% endhighlight %}\n\n![A boat]({{ '/assets/boat.png' | relative_url }}) ![A rope](/assets/rope.png)\n\n[more]: {{ site.baseurl }}/2024/05/20/styles.html\n",
    ),
    (
        "_posts/2024-05-20-styles.md",
        "---\nlayout: post\ntitle: \"Styles of the posts\"\ncategories:\n  - news\n  - design\nauthor:\n- Ada Byron\n- Nelson Quay\nmeta: \"Harbour\"\nmodified_date: 2024-05-27\nexcerpt: How the posts look.\ntags: [type, colour]\nimage:\n  path: /assets/rope.png\n  alt: A rope\nredirect_from:\n  - /old/styles/\n---\n## Some heading\n\nSee [the `heading`](#some-heading), [the other `heading`](https://example.com/), [the other `heading`](/about/), [chat](irc://irc.example.com/#boats), [gone]({% post_url 2020-01-01-gone %}), [the issues]({{ site.issues }}/7) and [the draft](../_drafts/idea.md).\n\n[^1] A note.\n\n[^1]: The text of the note.\n",
    ),
    ("_posts/2024-05-21-short.md", "---\nlayout: post\n---\nShort, after [the styles](2024-05-20-styles.md).\n"),
    ("_drafts/idea.md", "---\nlayout: post\ntitle: An idea\n---\nNot yet: [the welcome](/2024/05/19/welcome.html).\n"),
    (
        "_docs/install.md",
        "---\ntitle: Install\nnav_order: 2\nparent: Docs\nhas_children: false\nredirect_from: /docs/set-up/\n---\nAs [about](../about.markdown) says.\n",
    ),
];

pub const PICTURES: &[&str] = &["assets/boat.png", "assets/rope.png"];
