//! What a generator does not show to everyone. The rule: it is a draft with a note that names the reason, and nothing else is a draft.

use serde_json::{Value, json};

use super::read_folder::ReadFolder;
use crate::support::command::{finish, tidings};
use crate::support::folder::folder;

/// Front matter, and the mark that the note names; none if the front matter says in so many words that it is a draft.
const HIDDEN: &[(&str, Option<&str>)] = &[
    ("draft: true", None),
    ("Draft: True", None),
    ("DRAFT: yes", None),
    ("published: false", None),
    ("Published: no", None),
    ("status: draft", None),
    ("published: never", None),
    ("extra: {draft: true}", None),
    ("params: {published: false}", None),
    ("extra:\n  Status: Draft", None),
    ("draft: maybe", Some("draft: maybe")),
    ("draft: [true]", Some("draft")),
    ("isDraft: true", Some("isDraft: true")),
    ("is_draft: true", Some("is_draft: true")),
    ("published: not yet", Some("published: not yet")),
    ("isPublished: false", Some("isPublished: false")),
    ("publish: false", Some("publish: false")),
    ("dg-publish: false", Some("dg-publish: false")),
    ("status: private", Some("status: private")),
    ("status: Unlisted", Some("status: Unlisted")),
    ("visibility: members", Some("visibility: members")),
    ("visibility: [private]", Some("visibility")),
    ("visibility: {roles: [admin]}", Some("visibility")),
    ("access: [members]", Some("access")),
    ("members: [gold]", Some("members")),
    ("paywall: {enabled: true}", Some("paywall")),
    ("status: [draft]", Some("status")),
    ("published: [false]", Some("published")),
    ("private: {value: true}", Some("private")),
    ("unlisted: true", Some("unlisted: true")),
    ("private: true", Some("private: true")),
    ("hidden: yes", Some("hidden: yes")),
    ("hide: true", Some("hide: true")),
    ("public: false", Some("public: false")),
    ("headless: true", Some("headless: true")),
    ("render: false", Some("render: false")),
    ("permalink: false", Some("permalink: false")),
    ("permalink: off", Some("permalink: off")),
    ("render: never", Some("render: never")),
    ("eleventyExcludeFromCollections: true", Some("eleventyExcludeFromCollections: true")),
    ("eleventyExcludeFromCollections: [posts]", Some("eleventyExcludeFromCollections")),
    ("build: {render: never, list: always}", Some("build")),
    ("_build:\n  list: false", Some("_build")),
    ("expiryDate: 2026-06-01", Some("expiryDate: 2026-06-01")),
    ("expires: some day", Some("expires: some day")),
    ("unpublishDate: 2020-01-01", Some("unpublishDate: 2020-01-01")),
    ("extra: {unlisted: true}", Some("unlisted: true")),
    ("params: {private: true}", Some("private: true")),
    ("password: hunter2", Some("password`; a password is not imported")),
    ("extra: {lock: {Password: hunter2}}", Some("Password`; a password is not imported")),
];

#[test]
fn every_mark_of_what_is_not_public_makes_a_draft_with_a_note() {
    for (front, mark) in HIDDEN {
        // Without a date, a draft in so many words is a post, too.
        for date in ["date: 2020-01-01\n", ""].into_iter().filter(|date| !date.is_empty() || mark.is_none()) {
            let (post, notes) = ReadFolder::post(&format!("{date}title: A\n{front}"));
            assert!(post.is_draft && post.published_at.is_none(), "{front}");
            let metadata = post.metadata.expect("metadata").text().to_owned();
            assert!(!metadata.contains("hunter2"), "{front}: {metadata}");
            match mark {
                None => assert_eq!(notes, Vec::<String>::new(), "{front}"),
                Some(mark) => {
                    let begin = format!("is imported as a draft, because of `{mark}");
                    assert!(notes.len() == 1 && notes[0].starts_with(&begin), "{front}: {notes:?}");
                }
            }
        }
    }
}

#[test]
fn what_only_looks_like_a_mark_is_public() {
    for front in [
        "draft: false",
        "draft:",
        "published: true",
        "published: 2020-01-01",
        "publish: 2020-01-01",
        "visibility: public",
        "visibility: [public]",
        "status: stable",
        "hide: [toc]",
        "hidden: false",
        "unlisted: no",
        "permalink: /a/",
        "permalink: never",
        "permalink: none",
        "permalink: pretty",
        "render: true",
        "build: {render: always, list: local}",
        "expires: never",
        "password:",
        "password: false",
        "sitemap: {hidden: true}",
    ] {
        let (post, notes) = ReadFolder::post(&format!("date: 2020-01-01\n{front}"));
        assert!(!post.is_draft && post.published_at.is_some(), "{front}");
        assert_eq!(notes, Vec::<String>::new(), "{front}");
    }
}

#[test]
fn a_file_that_expires_later_is_public_until_then() {
    let (post, notes) = ReadFolder::post("date: 2020-01-01\nExpiryDate: 2027-01-01");
    assert!(!post.is_draft && notes.is_empty(), "{notes:?}");
    assert_eq!(post.unpublish_at, "2027-01-01T00:00:00Z".parse().ok());
}

#[test]
fn a_later_date_of_publication_wins_until_it_is_over() {
    for (front, at) in [
        ("date: 2024-01-01\npublishDate: 2031-05-01", "2031-05-01T00:00:00Z"),
        ("publishdate: 2031-05-01\nDate: 2024-01-01", "2031-05-01T00:00:00Z"),
        ("date: 2024-01-01\npubDate: 2026-06-16", "2026-06-16T00:00:00Z"),
        ("date: 2024-01-01\npublishDate: 2024-02-01", "2024-01-01T00:00:00Z"),
        ("date: 2031-01-01\npublishDate: 2024-02-01", "2031-01-01T00:00:00Z"),
    ] {
        let (post, _) = ReadFolder::post(front);
        assert_eq!(post.published_at.map(|at| at.to_string()).as_deref(), Some(at), "{front}");
    }
}

#[test]
fn a_page_with_a_mark_is_a_draft_and_one_of_a_later_date_is_not_public_yet() {
    let read = ReadFolder::of(&[
        ("about.md", "---\ntitle: About\nunlisted: true\n---\n"),
        ("content/_index.md", "---\ntitle: Home\ndate: 2031-01-01\n---\n"),
        ("docs/locked.md", "---\nTitle: Locked\npassword: hunter2\n---\n"),
        ("docs/_part.md", "# A part\n"),
    ]);
    assert_eq!(read.posts.len(), 0);
    for (page, is_draft) in
        [("about.md", true), ("content/_index.md", false), ("docs/locked.md", true), ("docs/_part.md", true)]
    {
        assert_eq!(read.pages[page].is_draft, is_draft, "{page}");
    }
    let later = read.pages["content/_index.md"].published_at.map(|at| at.to_string());
    assert_eq!(later.as_deref(), Some("2031-01-01T00:00:00Z"));
    assert_eq!(read.pages["docs/locked.md"].title, "Locked");
    assert_eq!(read.pages["docs/locked.md"].metadata.as_ref().expect("metadata").text(), "{}");
}

#[test]
fn what_a_folder_hides_is_hidden_in_it_unless_a_file_says_otherwise() {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let read = ReadFolder::of(&[
        ("content/blog/_index.md", "---\ncascade: {draft: true, author: Ada}\n---\n"),
        ("content/blog/a.md", POST),
        ("content/blog/deep/b/index.md", POST),
        ("content/blog/c.md", "---\ndate: 2020-01-01\ndraft: false\nauthor: Grace\n---\n"),
        ("content/news/_index.md", "+++\ndraft = true\n+++\n"),
        ("content/news/d.md", POST),
        ("content/posts/_index.md", "---\ncascade:\n- _target: {lang: de}\n  unlisted: true\n  author: Ada\n---\n"),
        ("content/posts/e.md", POST),
        ("content/notes/_index.md", "---\ncascade: [{build: {render: never}}, {author: Ada}]\n---\n"),
        ("content/notes/f.md", POST),
        ("content/journal/_index.md", "---\ntitle: Open\n---\n"),
        ("content/journal/g.md", POST),
    ]);
    let of_folder =
        |mark: &str| format!("is imported as a draft, because of `{mark}` in the file of a folder above it");
    for (file, mark, author) in [
        ("content/blog/a.md", Some("draft: true"), Some("Ada")),
        ("content/blog/deep/b/index.md", Some("draft: true"), Some("Ada")),
        ("content/blog/c.md", None, Some("Grace")),
        ("content/news/d.md", Some("draft: true"), None),
        ("content/posts/e.md", Some("unlisted: true"), None),
        ("content/notes/f.md", Some("build"), Some("Ada")),
        ("content/journal/g.md", None, None),
    ] {
        let post = &read.posts[file];
        assert_eq!(post.is_draft, mark.is_some(), "{file}");
        assert_eq!(post.authors.first().map(|author| author.name.as_str()), author, "{file}");
        let notes: Vec<_> = read.notes.iter().filter_map(|note| note.strip_prefix(&format!("{file}: "))).collect();
        assert_eq!(notes, mark.map(of_folder).iter().map(String::as_str).collect::<Vec<_>>(), "{file}");
    }
    assert!(!read.pages["content/blog/_index.md"].is_draft && read.pages["content/news/_index.md"].is_draft);
}

#[test]
fn a_name_that_begins_with_an_underscore_is_left_out_as_generators_do() {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let read = ReadFolder::of(&[
        ("src/content/blog/_idea.md", POST),
        ("src/content/blog/_old/a.md", POST),
        ("src/content/blog/a_b.md", POST),
        ("_posts/2020-01-01-a.md", POST),
        ("_recipes/posts/b.md", POST),
    ]);
    let drafts: Vec<_> = read.posts.iter().filter(|(_, post)| post.is_draft).map(|(file, _)| file.as_str()).collect();
    assert_eq!(drafts, ["_recipes/posts/b.md", "src/content/blog/_idea.md", "src/content/blog/_old/a.md"]);
    assert_eq!(
        read.notes,
        [
            "_recipes/posts/b.md: is imported as a draft, because the name `_recipes` begins with `_`",
            "src/content/blog/_idea.md: is imported as a draft, because the name `_idea.md` begins with `_`",
            "src/content/blog/_old/a.md: is imported as a draft, because the name `_old` begins with `_`",
        ]
    );
}

#[test]
fn folders_of_drafts_and_what_jekyll_does_not_build_are_drafts() {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let config = "collections:\n  recipes: {output: true}\n  faqs: {output: false}\nsource: ./src/\n\
                  include: [_legal, old]\nexclude: [old, inbox/, 'notes/*.tmp.md', README.md]\n";
    let reasons = [
        ("src/_posts/2020-01-01-a.md", None),
        ("src/_recipes/soup.md", None),
        ("src/_legal/imprint.md", None),
        ("src/_pages/about.md", None),
        ("src/old/a.md", None),
        ("src/posts/drafts/index.md", None),
        ("src/posts/draft-horses.md", None),
        ("src/other/inbox/a.md", None),
        ("src/_faqs/how.md", Some("the name `_faqs` begins with `_`")),
        ("src/_soon/a.md", Some("the name `_soon` begins with `_`")),
        ("src/posts/Drafts/a.md", Some("it is in a folder `Drafts`")),
        ("src/wip/b/index.md", Some("it is in a folder `wip`")),
        ("src/inbox/a.md", Some("of `exclude: inbox` in _config.yml")),
        ("src/notes/a.tmp.md", Some("of `exclude: notes/*.tmp.md` in _config.yml")),
    ];
    let files: Vec<_> = reasons.iter().map(|(file, _)| (*file, POST)).chain([("_config.yml", config)]).collect();
    let read = ReadFolder::of(&files);
    let is_draft = |file: &str| match (read.posts.get(file), read.pages.get(file)) {
        (Some(post), None) => post.is_draft,
        (None, Some(page)) => page.is_draft,
        _ => panic!("{file} is neither"),
    };
    for (file, reason) in reasons {
        assert_eq!(is_draft(file), reason.is_some(), "{file}");
        let note = reason.map(|reason| format!("{file}: is imported as a draft, because {reason}"));
        assert!(note.is_none_or(|note| read.notes.contains(&note)), "{file}: {:?}", read.notes);
    }
}

#[test]
fn what_the_configuration_hides_for_a_folder_and_what_eleventy_ignores_are_drafts() {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let config = "defaults:\n- {scope: {path: _posts/later}, values: {published: false, author: ann}}\n";
    let read = ReadFolder::of(&[
        ("_config.yml", config),
        ("_posts/2020-01-01-a.md", POST),
        ("_posts/later/2020-01-01-b.md", POST),
        ("_posts/later/2020-01-01-c.md", "---\npublished: true\n---\n"),
    ]);
    let drafts: Vec<_> = read.posts.iter().filter(|(_, post)| post.is_draft).map(|(file, _)| file.as_str()).collect();
    assert_eq!(drafts, ["_posts/later/2020-01-01-b.md"]);
    let read = ReadFolder::of(&[
        (".eleventyignore", "# not yet\n/blog/next/\n**/secret\n!blog/next/b.md\n"),
        ("blog/.eleventyignore", "./y\r\n"),
        ("secret/e.md", POST),
        ("blog/a.md", POST),
        ("blog/y/c.md", POST),
        ("y/d.md", POST),
        ("blog/next/b.md", POST),
        ("blog/x/secret/f.md", POST),
    ]);
    let posts = read.posts.iter().filter(|(_, post)| post.is_draft).map(|(file, _)| file.as_str());
    let pages = read.pages.iter().filter(|(_, page)| page.is_draft).map(|(file, _)| file.as_str());
    let mut drafts: Vec<_> = posts.chain(pages).collect();
    drafts.sort_unstable();
    assert_eq!(drafts, ["blog/next/b.md", "blog/x/secret/f.md", "blog/y/c.md", "secret/e.md"]);
    assert!(
        read.notes.iter().any(|note| note.contains("because of `**/secret` in .eleventyignore")),
        "{:?}",
        read.notes
    );
}

/// Asserts the reason for which each file is a draft; `None` for a public one.
#[track_caller]
fn assert_drafts(configs: &[(&str, &str)], reasons: &[(&str, Option<&str>)]) -> ReadFolder {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let files: Vec<_> = reasons.iter().map(|(file, _)| (*file, POST)).chain(configs.iter().copied()).collect();
    let read = ReadFolder::of(&files);
    for (file, reason) in reasons {
        let post = read.posts.get(*file).map(|post| post.is_draft);
        let is_draft = post.or_else(|| read.pages.get(*file).map(|page| page.is_draft));
        assert_eq!(is_draft, Some(reason.is_some()), "{file}: {:?}", read.notes);
        let note = reason.map(|reason| format!("{file}: is imported as a draft, because {reason}"));
        assert!(note.is_none_or(|note| read.notes.contains(&note)), "{file}: {:?}", read.notes);
    }
    read
}

#[test]
fn what_hugo_ignores_is_a_draft() {
    let config = "baseURL = 'https://a.example'\nignoreFiles = ['\\.tmp\\.md$', 'content/posts/(old|later)/', '(']\n";
    let read = assert_drafts(
        &[("hugo.toml", config)],
        &[
            ("content/posts/a.md", None),
            ("content/posts/older/a.md", None),
            ("content/posts/b.tmp.md", Some("of `ignoreFiles: \\.tmp\\.md$` in hugo.toml")),
            ("content/posts/old/a.md", Some("of `ignoreFiles: content/posts/(old|later)/` in hugo.toml")),
            ("content/posts/later/b/index.md", Some("of `ignoreFiles: content/posts/(old|later)/` in hugo.toml")),
        ],
    );
    let unread = "hugo.toml: `ignoreFiles: (` is not read, so the files that it hides are public";
    assert!(read.notes.iter().any(|note| note == unread), "{:?}", read.notes);
    for (path, config) in [
        ("config.yaml", "languageCode: en\nignorefiles: [/b/]\n"),
        ("config.json", "{\"baseURL\": \"/\", \"ignoreFiles\": \"/b/\"}"),
        ("config/_default/hugo.yml", "ignoreFiles: ['/b/']\n"),
    ] {
        let reason = format!("of `ignoreFiles: /b/` in {path}");
        assert_drafts(&[(path, config)], &[("content/a.md", None), ("content/b/c.md", Some(&reason))]);
    }
    assert_drafts(&[("config.yaml", "ignoreFiles_of: [/b/]\n")], &[("posts/a.md", None), ("posts/b/c.md", None)]);
}

#[test]
fn what_hugo_and_zola_hide_for_the_whole_site_is_a_draft() {
    let config = "[[cascade]]\nbuild = {render = 'never'}\ntarget = {path = '/notes/**'}\n[[cascade]]\ndraft = true\n_target = {path = '{/posts/b,/posts/c/**}'}\n\
                  [[cascade]]\nunlisted = true\ntarget = {lang = 'de'}\n[[cascade]]\ntoc = true\n";
    let read = assert_drafts(
        &[("hugo.toml", config)],
        &[
            ("content/posts/a.md", None),
            ("content/posts/b.md", Some("of `draft: true` in `cascade` in hugo.toml")),
            ("content/posts/c/d.md", Some("of `draft: true` in `cascade` in hugo.toml")),
            ("content/notes/c/index.md", Some("of `build` in `cascade` in hugo.toml")),
        ],
    );
    let unread = "hugo.toml: `unlisted: true` in `cascade` is not read, so the files that it hides are public";
    assert!(read.notes.iter().any(|note| note == unread), "{:?}", read.notes);
    let zola = "base_url = '/'\nignored_content = ['*.tmp.md', 'old/**', '*.{a,b}.md', '{']\n";
    let read = assert_drafts(
        &[("config.toml", zola)],
        &[
            ("content/blog/a.md", None),
            ("content/blog/a.tmp.md", Some("of `ignored_content: *.tmp.md` in config.toml")),
            ("content/old/a.md", Some("of `ignored_content: old/**` in config.toml")),
            ("content/blog/c.b.md", Some("of `ignored_content: *.{a,b}.md` in config.toml")),
        ],
    );
    let unread = "config.toml: `ignored_content: {` is not read, so the files that it hides are public";
    assert!(read.notes.iter().any(|note| note == unread), "{:?}", read.notes);
    let all = "cascade: {private: true}\n";
    assert_drafts(
        &[("hugo.yaml", all)],
        &[("content/posts/a.md", Some("of `private: true` in `cascade` in hugo.yaml"))],
    );
}

#[test]
fn what_is_outside_of_the_content_of_a_generator_is_a_draft() {
    let outside =
        |content: &str, config: &str| Some(format!("it is outside of {content}, the content of the site of {config}"));
    let eleventy = "export default function (config) {\n\tconfig.ignores.add(\"site/notes/**\");\n\
                    \t// config.setInputDirectory(\"docs\");\n}\nexport const config = { dir: { input: './site' } };\n";
    let astro = "import { glob } from 'astro/loaders';\nconst a = defineCollection({ loader: glob({ pattern: '**/*.md', base: './texts' }) });\n";
    for (configs, public, draft, reason) in [
        (
            vec![("zola.txt", ""), ("config.toml", "base_url = '/'\n")],
            "content/a.md",
            "docs/b.md",
            outside("`content`", "config.toml"),
        ),
        (
            vec![("web/hugo.yaml", "title: A\n")],
            "web/content/a.md",
            "web/docs/b.md",
            outside("`content`", "web/hugo.yaml"),
        ),
        (vec![("web/hugo.yaml", "title: A\n")], "web/content/a.md", "docs/b.md", None),
        (
            vec![("hugo.toml", "contentDir = 'texts'\n")],
            "texts/a.md",
            "docs/b.md",
            outside("`content`, `texts`", "hugo.toml"),
        ),
        (
            vec![(
                "hugo.toml",
                "[languages.de]\ncontentDir = 'de/'\n[[module.mounts]]\nsource = 'en'\ntarget = 'content/en'\n",
            )],
            "de/a.md",
            "docs/b.md",
            outside("`content`, `de`, `en`", "hugo.toml"),
        ),
        (vec![("hugo.toml", "title = 'A'\n")], "posts/a.md", "docs/b.md", None),
        (
            vec![("astro.config.mjs", "export default {}\n")],
            "src/content/blog/a.md",
            "backup/b.md",
            outside("`src`", "astro.config.mjs"),
        ),
        (
            vec![("astro.config.mjs", "export default {}\n"), ("src/content.config.ts", astro)],
            "texts/a.md",
            "backup/b.md",
            outside("`src`, `texts`", "astro.config.mjs"),
        ),
        (
            vec![("astro.config.mjs", "export default {}\n"), ("src/content.config.ts", "glob({ base: TEXTS })")],
            "src/a.md",
            "texts/b.md",
            None,
        ),
        (vec![(".eleventy.js", eleventy)], "site/posts/a.md", "docs/b.md", outside("`site`", ".eleventy.js")),
        (
            vec![("eleventy.config.js", eleventy)],
            "site/posts/a.md",
            "site/notes/b.md",
            Some("of `ignores.add(\"site/notes/**\")` in eleventy.config.js".to_owned()),
        ),
        (vec![("eleventy.config.js", "export default {};\n")], "posts/a.md", "docs/b.md", None),
        (vec![("eleventy.config.js", "export default { dir: { input: '.' } };\n")], "posts/a.md", "docs/b.md", None),
    ] {
        assert_drafts(&configs, &[(public, None), (draft, reason.as_deref())]);
    }
}

#[test]
fn the_main_folder_of_an_import_is_public_whatever_its_name_is() {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let read = ReadFolder::of(&[("_content/blog/a.md", POST), ("_content/blog/b.md", POST), ("_later/c.md", POST)]);
    let public: Vec<_> = read.posts.iter().filter(|(_, post)| !post.is_draft).map(|(file, _)| file.as_str()).collect();
    assert_eq!(public, ["_content/blog/a.md", "_content/blog/b.md"]);
}

#[test]
fn the_file_of_a_folder_counts_for_its_language() {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let read = ReadFolder::of(&[
        ("content/blog/_index.md", "---\ntitle: Blog\n---\n"),
        ("content/blog/_index.de.md", "---\ntitle: Tagebuch\ncascade: {draft: true}\n---\n"),
        ("content/blog/a.md", POST),
        ("content/blog/a.de.md", POST),
    ]);
    let section = &read.pages["content/blog/_index.de.md"];
    assert_eq!((section.is_draft, section.place.path.to_string().as_str()), (false, "de/blog"));
    assert!(!read.posts["content/blog/a.md"].is_draft && read.posts["content/blog/a.de.md"].is_draft);
}

#[test]
fn folders_that_no_generator_builds_are_named_and_not_read() {
    const POST: &str = "---\ndate: 2020-01-01\n---\n";
    let template = "---\ntitle: {{ title }}\ndate: {{ date }}\n---\n";
    let files = [
        "content/posts/mine.md",
        "content/posts/content/b.md",
        "content/posts/themes/dark.md",
        "docs/vendor/posts/a.md",
        "public/posts/kept.md",
        "themes/zen/content/blog/demo.md",
        "themes/zen/exampleSite/content/post/demo.md",
        "_includes/part.md",
        "_vendor/github.com/a/posts/x.md",
        "vendor/bundle/gems/jekyll/about.md",
        "node_modules/a/README.md",
        "content/posts/node_modules/b/posts/x.md",
        "dist/posts/x.md",
        "layouts/posts/x.md",
    ];
    let mut files: Vec<(&str, &str)> = files.iter().map(|file| (*file, POST)).collect();
    files.extend([
        ("hugo.toml", ""),
        ("dist/index.html", "<p>"),
        ("scaffolds/post.md", template),
        ("archetypes/a.md", template),
    ]);
    let read = ReadFolder::of(&files);
    let posts: Vec<_> = read.posts.keys().map(String::as_str).collect();
    assert_eq!(
        posts,
        [
            "content/posts/content/b.md",
            "content/posts/mine.md",
            "content/posts/themes/dark.md",
            "docs/vendor/posts/a.md",
            "public/posts/kept.md"
        ]
    );
    assert_eq!((read.pages.len(), read.failed.len()), (0, 0));
    let unread: Vec<_> =
        read.notes.iter().filter_map(|note| note.split_once(": is not read")).map(|(name, _)| name).collect();
    let expected = [
        "_includes",
        "_vendor",
        "archetypes",
        "content/posts/node_modules",
        "dist",
        "layouts",
        "node_modules",
        "scaffolds",
        "themes",
        "vendor",
    ];
    assert_eq!(unread, expected);
}

/// The command compares dates with the time; so the dates here are far from it.
#[test]
fn the_command_imports_at_its_time() {
    let source = folder(&[
        ("posts/a.md", "---\ntitle: A\ndate: 2020-01-01\npublishDate: 9000-01-01\n---\n"),
        ("posts/b.md", "---\ntitle: B\ndate: 2020-01-01\nexpiryDate: 2021-01-01\n---\n"),
        ("posts/c.md", "---\ntitle: C\ndate: 2020-01-01\nexpiryDate: 9000-01-01\n---\n"),
    ]);
    let beside = tempfile::tempdir().expect("a folder");
    let store = format!("file:{}", beside.path().join("store").display());
    let ran = finish(tidings(&["import", &source.path().display().to_string(), "--store", &store]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let export = beside.path().join("all.jsonl").display().to_string();
    assert_eq!(finish(tidings(&["export", &export, "--store", &store])).code, Some(0));
    let text = std::fs::read_to_string(export).expect("an export");
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let dates: Vec<_> =
        records.filter(|of| of["type"] == "post").map(|of| json!([of["slug"], of["publishedAt"]])).collect();
    for expected in [json!(["a", "9000-01-01T00:00:00Z"]), json!(["b", null]), json!(["c", "2020-01-01T00:00:00Z"])] {
        assert!(dates.contains(&expected), "{expected}: {dates:?}");
    }
}
