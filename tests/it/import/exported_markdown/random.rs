//! Random content, of parts that are likely to be misread. The rule: whatever a store can have, a folder of Markdown keeps.

use proptest::prelude::*;
use proptest::strategy::{Strategy, ValueTree};
use tidings::import::jsonl::{PageRecord, PostRecord, Record, Status, TermRecord};
use tidings::import::{ImportedCover, ImportedLanguage};
use tidings::model::{Enclosure, Instant, Metadata, PostId, TermKind};

use super::{add, assert_same_after_markdown, page, post, site_with_pictures, term};
use crate::support::site::{NOW, instant, slug};

/// Texts of parts that a writer of YAML, of paths or of addresses could get wrong, and any other characters.
fn texts(pictures: &[String; 2]) -> impl Strategy<Value = String> + use<> {
    let [one, two] = pictures;
    let mut parts: Vec<String> = [
        "---\n",
        "\n---\n",
        "...\n",
        "\r\n",
        "\n",
        "\t",
        " ",
        ": ",
        "#",
        "'",
        "\"",
        "\\",
        "{",
        "}",
        "[x]: ",
        "- ",
        "&a",
        "*a",
        "!",
        "%",
        "`",
        "```\n",
        "~~~\n",
        "![](",
        ")",
        "<img src=\"",
        "<source srcset='",
        " 2x, ",
        "\">",
        "a.png",
        "é",
        "🚀",
        "\u{85}",
        "\u{2028}",
        "\u{FEFF}",
        "\u{FFFF}",
        "true",
        "null",
        "1.0",
        "2025-01-02",
        "../",
    ]
    .map(str::to_owned)
    .to_vec();
    for address in [one, two] {
        parts.extend([
            address.clone(),
            format!("![]({address})"),
            format!("![]({address}?width=160)"),
            format!("..{address}"),
            format!("https://api.example{address}"),
            format!("![](https://api.example{address})"),
            format!("[x]: {address}\n"),
            format!("<img src='{address}' srcset=\"{address}?width=160 1x\">"),
        ]);
    }
    // No text can have the other control characters.
    let written = any::<char>().prop_filter("it is written", |character| !character.is_control());
    let part =
        prop_oneof![6 => proptest::sample::select(parts), 1 => written.prop_map(String::from), 1 => "[a-z]{1,8}"];
    proptest::collection::vec(part, 0..14).prop_map(|parts| parts.concat())
}

fn json(pictures: &[String; 2]) -> impl Strategy<Value = serde_json::Value> + use<> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        (-1000..1000).prop_map(|n| (f64::from(n) / 8.0).into()),
        texts(pictures).prop_map(Into::into),
    ];
    let keys = texts(pictures).boxed();
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            proptest::collection::btree_map(prop_oneof![keys.clone(), Just("x".to_owned())], inner, 0..4)
                .prop_map(|fields| serde_json::Value::Object(fields.into_iter().collect())),
        ]
    })
}

const KEYS: &[&str] = &[
    "title",
    "subtitle",
    "enclosure",
    "slug",
    "date",
    "lastmod",
    "created",
    "draft",
    "status",
    "authors",
    "author",
    "tags",
    "categories",
    "summary",
    "description",
    "lang",
    "language",
    "locale",
    "featured",
    "pin",
    "sticky",
    "top",
    "cover",
    "image",
    "aliases",
    "redirect",
    "url",
    "path",
    "permalink",
    "weight",
    "order",
    "menu",
    "extra",
    "params",
    "taxonomies",
    "tidings",
    "layout",
    "color",
    "math",
    "x y",
    "website",
    "keys",
    "type",
    "id",
    "version",
    "origin",
    "assets",
    "",
];

fn metadata_of(pictures: &[String; 2]) -> impl Strategy<Value = Option<Metadata>> + use<> {
    let keys = prop_oneof![4 => proptest::sample::select(KEYS).prop_map(str::to_owned), 1 => texts(pictures)];
    let fields = proptest::collection::vec((keys, json(pictures)), 0..6);
    fields.prop_map(|fields| {
        let fields: Vec<String> =
            fields.into_iter().map(|(key, value)| format!("{}:{value}", serde_json::Value::String(key))).collect();
        Metadata::parse(&format!("{{{}}}", fields.join(","))).ok().or(Some(Metadata::default()))
    })
}

fn instants() -> impl Strategy<Value = Instant> {
    (504_911_232_000_000_000_i64..3_155_378_975_999_999_999, any::<bool>())
        .prop_map(|(ticks, is_whole)| if is_whole { ticks - ticks % 10_000_000 } else { ticks })
        .prop_map(|ticks| Instant::from_ticks(ticks).expect("in the calendar"))
}

fn end() -> Instant {
    instant("9999-01-01T00:00:00.0000001Z")
}

const TERMS: usize = 5;

fn enclosure(url: &str, byte_size: Option<i32>) -> Enclosure {
    Enclosure { url: url.to_owned(), byte_size, content_type: "audio/mpeg".to_owned() }
}

fn posts(pictures: &[String; 2]) -> impl Strategy<Value = PostRecord> + use<> {
    let covers: Vec<ImportedCover> = pictures
        .iter()
        .map(|path| ImportedCover::Asset(path["/assets/".len()..][..40].parse().expect("a hash")))
        .chain([ImportedCover::None, ImportedCover::Asset("0".repeat(40).parse().expect("a hash"))])
        .collect();
    let terms = || {
        proptest::sample::subsequence((0..TERMS).map(|n| format!("t{n}")).collect::<Vec<_>>(), 0..TERMS).prop_shuffle()
    };
    let texts = (texts(pictures), proptest::option::of(texts(pictures)), texts(pictures), metadata_of(pictures));
    let dates = (instants(), instants(), proptest::option::of(instants()));
    let languages = ["en", "pt-BR", "zh-Hant", "no", "x-private"].map(|tag| tag.parse().map(ImportedLanguage::Tag));
    let languages = languages.into_iter().map(|tag| tag.expect("a language")).chain([ImportedLanguage::None]);
    let languages = proptest::sample::select(languages.collect::<Vec<_>>());
    let origins = proptest::option::of(self::texts(pictures));
    let urls = [
        pictures[0].as_str(),
        pictures[1].as_str(),
        "https://a.example/b.mp3?c&d=\"e'#{f}: [g",
        "HTTP://a.example/b.mp4",
    ];
    let enclosures: Vec<_> = urls.iter().flat_map(|url| [None, Some(7)].map(|bytes| enclosure(url, bytes))).collect();
    let enclosures = proptest::option::of(proptest::sample::select(enclosures));
    let others = (proptest::sample::select(covers), 1..1000, origins, 0..3_usize, languages, any::<bool>(), enclosures);
    let terms = (terms(), terms(), terms());
    (texts, dates, others, terms).prop_map(|((title, excerpt, markdown, metadata), dates, others, terms)| PostRecord {
        subtitle: excerpt.as_deref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
        excerpt,
        metadata,
        created_at: dates.0,
        updated_at: dates.1,
        published_at: dates.2,
        unpublish_at: dates.2.filter(|at| at.ticks() % 2 == 0 && *at < end()).map(|_| end()),
        status: if dates.2.is_some() { Status::Published } else { Status::Draft },
        enclosure: others.6,
        cover_id: others.0,
        language: others.4,
        featured: Some(others.5),
        version: others.1,
        origin: others.2.filter(|origin| !origin.is_empty()),
        former_slugs: vec![slug("old"); others.3],
        authors: terms.0,
        categories: terms.1,
        tags: terms.2,
        ..post(0, &title, &markdown)
    })
}

/// Posts with their own ids and slugs, pages with the same texts, and terms.
fn records(posts: Vec<PostRecord>, names: &[String]) -> Vec<Record> {
    let mut records = Vec::new();
    for (kind, wrap) in [
        (TermKind::Category, Record::Category as fn(_) -> _),
        (TermKind::Tag, Record::Tag),
        (TermKind::Author, Record::Author),
    ] {
        for (number, name) in names.iter().enumerate() {
            let name = if name.trim().is_empty() { "Name".to_owned() } else { name.clone() };
            let description = Some(name.clone()).filter(|_| number % 2 == 0);
            records.push(wrap(TermRecord { description, ..term(kind, &format!("t{number}"), &name) }));
        }
    }
    for (number, mut post) in posts.into_iter().enumerate() {
        let id = |bits: u64| PostId::from_bits(bits).to_string();
        let base = ["index", "a.md", "two--dashes", "1.0"][number % 4];
        let former = post.former_slugs.len();
        if number % 2 == 0 {
            let at = instant(NOW);
            records.push(Record::Page(Box::new(PageRecord {
                former_paths: (0..former).map(|n| format!("old/{number}.{n}.html").parse().expect("a path")).collect(),
                title: post.title.clone(),
                subtitle: post.subtitle.clone(),
                excerpt: post.excerpt.clone().filter(|excerpt| !excerpt.trim().is_empty()),
                markdown: post.markdown.clone(),
                metadata: post.metadata.clone(),
                cover_id: post.cover_id.clone(),
                language: post.language.clone(),
                translation_group: (former == 1).then(|| id(number as u64)),
                order: [None, Some(0), Some(post.version)][number % 3],
                published_at: post.published_at.filter(|published| *published <= at),
                origin: post.origin.clone(),
                ..page(number as u64, &format!("{base}-{number}"))
            })));
        }
        post.id = id(1 + number as u64);
        post.translation_group = (former == 1).then(|| id(number as u64));
        post.slug = slug(&format!("{base}-{number}"));
        post.former_slugs = (0..former).map(|n| slug(&format!("old-{number}.{n}.html"))).collect();
        records.push(Record::Post(Box::new(post)));
    }
    records
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_content_is_the_same_after_an_export_to_markdown_and_an_import(seed in any::<u64>()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let (site, _, pictures) = site_with_pictures().await;
            let mut rng = [0; 32];
            rng[..8].copy_from_slice(&seed.to_le_bytes());
            let rng = proptest::test_runner::TestRng::from_seed(proptest::test_runner::RngAlgorithm::ChaCha, &rng);
            let mut runner = proptest::test_runner::TestRunner::new_with_rng(ProptestConfig::default(), rng);
            let strategy = (proptest::collection::vec(posts(&pictures), 1..8), proptest::collection::vec(texts(&pictures), TERMS));
            let (posts, names) = strategy.new_tree(&mut runner).expect("content").current();
            let names: Vec<String> = names.into_iter().map(|name| name.chars().take(400).collect()).collect();
            add(&site, &records(posts, &names)).await;
            assert_same_after_markdown(&site).await;
        });
    }
}
