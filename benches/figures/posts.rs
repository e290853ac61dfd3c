//! Generated posts. The rule: the number of a post decides everything about it, so that every run measures the same site.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tidings::import::jsonl::{Header, PostRecord, Record, Status, TermRecord, VERSION};
use tidings::import::{ImportedCover, ImportedLanguage};
use tidings::model::instant::TICKS_PER_SECOND;
use tidings::model::{Instant, PostId, PostKey, Slug, TermKind};

/// About one post an hour from here on: 100,000 posts reach to the autumn of 2025.
const FIRST: &str = "2014-06-01T00:00:00Z";
/// So many of the oldest posts are published; of a larger site, later ones are scheduled.
const PUBLISHED: u64 = 100_000;
const AUTHORS: u64 = 12;
const CATEGORIES: u64 = 10;
const TAGS: u64 = 200;
const TAGS_PER_POST: usize = 3;
const BODY_BYTES: usize = 2_000;
/// Two posts have longer bodies, on which rendering is measured.
pub const NUMBER_OF_40_KB: u64 = 0;
pub const NUMBER_OF_4_KB: u64 = 1;

/// A post of the site.
pub struct Generated {
    pub id: PostId,
    pub slug: Slug,
    pub title: String,
    pub at: Instant,
    pub authors: Vec<Slug>,
    pub categories: Vec<Slug>,
    pub tags: Vec<Slug>,
    pub markdown: String,
}

impl Generated {
    /// The `number`-th oldest post.
    pub fn new(number: u64) -> Self {
        let mut dice = Dice(number.wrapping_mul(0xA076_1D64_78BD_642F) ^ 0x5EED);
        let first: Instant = FIRST.parse().expect("an instant");
        let seconds = (number * 3_600 + dice.below(3_600)) as i64;
        let title = capitalised(&dice.words(6));
        let mut authors = vec![dice.below(AUTHORS)];
        if dice.below(8) == 0 {
            authors.push((authors[0] + 1) % AUTHORS);
        }
        let categories = [dice.below(CATEGORIES)];
        let mut tags = Vec::with_capacity(TAGS_PER_POST);
        while tags.len() < TAGS_PER_POST {
            // The product of two dice: some tags are on many posts, most on few.
            let tag = dice.below(TAGS) * dice.below(TAGS) / TAGS;
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        Self {
            id: PostId::from_bits(dice.next()),
            slug: Slug::from_name(&format!("{title} {number}")).expect("a title is a slug"),
            title,
            at: Instant::from_ticks(first.ticks() + seconds * TICKS_PER_SECOND).expect("an instant"),
            authors: slugs(TermKind::Author, &authors),
            categories: slugs(TermKind::Category, &categories),
            tags: slugs(TermKind::Tag, &tags),
            markdown: body(&mut dice, body_bytes(number)),
        }
    }

    pub fn key(&self) -> PostKey {
        PostKey { at: self.at, id: self.id.clone() }
    }
}

fn body_bytes(number: u64) -> usize {
    match number {
        NUMBER_OF_40_KB => 40_000,
        NUMBER_OF_4_KB => 4_000,
        _ => BODY_BYTES,
    }
}

/// A post in the middle of the site, or of the newest part that is published: the one that is read alone.
pub fn number_of_a_read_post(posts: u64) -> u64 {
    let published = posts.min(PUBLISHED);
    published - (published / 2).clamp(1, 5_000)
}

/// Every term of a kind: slug and name.
pub fn terms(kind: TermKind) -> impl Iterator<Item = (Slug, String)> {
    let count = match kind {
        TermKind::Category => CATEGORIES,
        TermKind::Tag => TAGS,
        TermKind::Author => AUTHORS,
        TermKind::Series => 0,
    };
    (0..count).map(move |number| (term_slug(kind, number), term_name(kind, number)))
}

/// The slug of the `number`-th term of a kind; of the tags the first are on the most posts.
pub fn term_slug(kind: TermKind, number: u64) -> Slug {
    Slug::from_name(&term_name(kind, number)).expect("a name is a slug")
}

fn term_name(kind: TermKind, number: u64) -> String {
    let mut dice = Dice(number ^ (kind as u64) << 32);
    format!("{} {number}", capitalised(&dice.words(2)))
}

fn slugs(kind: TermKind, numbers: &[u64]) -> Vec<Slug> {
    numbers.iter().map(|number| term_slug(kind, *number)).collect()
}

/// An export of the whole site.
pub fn write_json_lines(path: &Path, posts: u64) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write_line(&mut out, &Header { tidings: VERSION })?;
    for kind in TermKind::ALL {
        for (slug, name) in terms(kind) {
            let term = TermRecord {
                node_id: None,
                version: 1,
                slug,
                former_slugs: Vec::new(),
                name,
                description: None,
                parent: None,
                url: None,
                avatar_id: None,
                job_title: None,
                links: Vec::new(),
            };
            let record = match kind {
                TermKind::Category => Record::Category(term),
                TermKind::Tag => Record::Tag(term),
                TermKind::Author => Record::Author(term),
                TermKind::Series => Record::Series(term),
            };
            write_line(&mut out, &record)?;
        }
    }
    for number in 0..posts {
        write_line(&mut out, &Record::Post(Box::new(record(Generated::new(number)))))?;
    }
    out.flush()
}

fn write_line(out: &mut impl Write, line: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

fn record(post: Generated) -> PostRecord {
    let texts = |slugs: &[Slug]| slugs.iter().map(Slug::to_string).collect();
    PostRecord {
        id: post.id.to_string(),
        slug: post.slug,
        former_slugs: Vec::new(),
        title: post.title,
        subtitle: None,
        excerpt: None,
        markdown: post.markdown,
        metadata: None,
        cover_id: ImportedCover::Unknown,
        enclosure: None,
        language: ImportedLanguage::Unknown,
        translation_group: None,
        featured: None,
        status: Status::Published,
        version: 1,
        created_at: post.at,
        updated_at: post.at,
        published_at: Some(post.at),
        unpublish_at: None,
        authors: texts(&post.authors),
        categories: texts(&post.categories),
        tags: texts(&post.tags),
        series: None,
        series_position: None,
        origin: None,
    }
}

/// A folder of Markdown files with YAML front matter, one folder for each month.
pub fn write_markdown(root: &Path, posts: u64) -> io::Result<()> {
    let mut last_folder = None;
    for number in 0..posts {
        let post = Generated::new(number);
        let folder = root.join(post.at.month().to_string());
        if last_folder.as_ref() != Some(&folder) {
            fs::create_dir_all(&folder)?;
            last_folder = Some(folder.clone());
        }
        fs::write(folder.join(format!("{}.md", post.slug)), markdown_file(&post))?;
    }
    Ok(())
}

fn markdown_file(post: &Generated) -> String {
    let list = |slugs: &[Slug]| slugs.iter().map(Slug::as_str).collect::<Vec<_>>().join(", ");
    format!(
        "---\ntitle: \"{}\"\ndate: {}\nauthors: [{}]\ncategories: [{}]\ntags: [{}]\n---\n\n{}",
        post.title,
        post.at,
        list(&post.authors),
        list(&post.categories),
        list(&post.tags),
        post.markdown
    )
}

/// Paragraphs with emphasis and links, a heading, a list and code: what a renderer meets on a blog.
fn body(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 500);
    while text.len() < bytes {
        match dice.below(6) {
            0 => write!(text, "## {}\n\n", capitalised(&dice.words(4))),
            1 => write!(text, "- {}\n- {}\n- `{}`\n\n", dice.words(5), dice.words(7), dice.words(2)),
            2 => write!(text, "```rust\nlet {} = {};\n```\n\n", dice.word(), dice.below(1_000)),
            _ => write!(
                text,
                "{}, *{}* {}; [{}](https://example.com/{}) {}.\n\n",
                capitalised(&dice.words(20)),
                dice.words(2),
                dice.words(18),
                dice.words(3),
                dice.word(),
                dice.words(12)
            ),
        }
        .expect("writing to memory does not fail");
    }
    text
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// SplitMix64: the same numbers on every machine.
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A rank below `count`: the `n`-th with a weight of `ln((n + 1) / n)`, which is about `1 / n`.
    pub fn rank(&mut self, count: u64) -> u64 {
        let share = self.below(1 << 53) as f64 / (1_u64 << 53) as f64;
        (((count + 1) as f64).powf(share) as u64 - 1).min(count - 1)
    }

    /// A word of a vocabulary of some thousands, so that a body compresses about as well as prose does.
    fn word(&mut self) -> String {
        const SYLLABLES: [&str; 24] = [
            "ra", "ti", "mon", "del", "os", "ver", "in", "qua", "ble", "sto", "re", "key", "ta", "pa", "ge", "lin",
            "ur", "em", "ax", "il", "no", "fer", "cu", "den",
        ];
        let mut word = String::new();
        for _ in 0..=self.below(3) {
            word.push_str(SYLLABLES[self.below(SYLLABLES.len() as u64) as usize]);
        }
        word
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}
