//! Known items: the titles of real blogs as queries, as they are and misspelt. The rule: a post is nearly always among the first ten of its own title.

use std::collections::HashMap;

use serde_json::Value;

use super::found;
use crate::support::corpora::corpora;
use crate::support::folder::import;
use crate::support::random::Random;
use crate::support::site::Site;

const QUERIES: usize = 300;
/// Of these queries without a typing error, with one, and with two, so many must find their post.
const FOUND_MIN: [usize; 3] = [297, 285, 270];

/// BM25 over titles and bodies, without word forms, weights and typing errors: what the index is compared with.
struct Plain {
    slugs: Vec<String>,
    lengths: Vec<f64>,
    /// For each word, the posts that have it, and how often.
    words: HashMap<String, HashMap<usize, f64>>,
}

impl Plain {
    fn of(posts: &[(String, String, String)]) -> Self {
        let mut plain = Self { slugs: Vec::new(), lengths: Vec::new(), words: HashMap::new() };
        for (at, (slug, title, text)) in posts.iter().enumerate() {
            let words = Self::words(&format!("{title} {text}"));
            plain.slugs.push(slug.clone());
            plain.lengths.push(words.len() as f64);
            for word in words {
                *plain.words.entry(word).or_default().entry(at).or_default() += 1.0;
            }
        }
        plain
    }

    fn words(text: &str) -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    }

    fn first_ten(&self, query: &str) -> Vec<&String> {
        let count = self.slugs.len() as f64;
        let average = self.lengths.iter().sum::<f64>() / count;
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for word in Self::words(query) {
            let Some(posts) = self.words.get(&word) else { continue };
            let having = posts.len() as f64;
            let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
            for (at, times) in posts {
                let length = 1.2 * (0.25 + 0.75 * self.lengths[*at] / average);
                *scores.entry(*at).or_default() += rarity * times * 2.2 / (times + length);
            }
        }
        let mut best: Vec<(usize, f64)> = scores.into_iter().collect();
        best.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        best.iter().take(10).map(|(at, _)| &self.slugs[*at]).collect()
    }
}

/// The slug, the title and the text of each post.
async fn posts_of(site: &Site) -> Vec<(String, String, String)> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let page = site
            .query(&format!(
                "{{ posts(first: 100{after}) {{ nodes {{ slug title body {{ text }} }} pageInfo {{ hasNextPage endCursor }} }} }}"
            ))
            .await;
        let nodes = page["posts"]["nodes"].as_array().expect("nodes").clone();
        let text = |node: &Value, name: &str| node[name].as_str().expect("a text").to_owned();
        let body = |node: &Value| text(&node["body"], "text");
        all.extend(nodes.iter().map(|node| (text(node, "slug"), text(node, "title"), body(node))));
        after = format!(", after: {}", page["posts"]["pageInfo"]["endCursor"]);
        if page["posts"]["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    all
}

/// The slug and the title of each post that is the only one with its title.
fn titles(posts: &[(String, String, String)]) -> Vec<(String, String)> {
    let times = |title: &str| posts.iter().filter(|(_, other, _)| other == title).count();
    let own = posts.iter().filter(|(_, title, _)| times(title) == 1 && title.len() < 150);
    own.map(|(slug, title, _)| (slug.clone(), title.clone())).collect()
}

/// Changes, drops, adds or exchanges a letter of a word of five letters or more; the same text if it has none.
fn misspelt(title: &str, random: &mut Random) -> String {
    let mut words: Vec<Vec<char>> = title.split(' ').map(|word| word.chars().collect()).collect();
    let long = |word: &Vec<char>| word.len() >= 5 && word.iter().all(|c| c.is_ascii_alphabetic());
    let candidates: Vec<usize> = (0..words.len()).filter(|at| long(&words[*at])).collect();
    if candidates.is_empty() {
        return title.to_owned();
    }
    let word = &mut words[*random.pick(&candidates)];
    let at = random.below(word.len() - 1);
    let letter = char::from(b'a' + u8::try_from(random.below(26)).expect("a letter"));
    match random.below(4) {
        0 => word[at] = letter,
        1 => drop(word.remove(at)),
        2 => word.insert(at, letter),
        _ => word.swap(at, at + 1),
    }
    let words: Vec<String> = words.into_iter().map(|word| word.into_iter().collect()).collect();
    words.join(" ")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "reads the corpora beside the checkout; scripts/test runs it where they are"]
async fn posts_of_real_blogs_are_found_by_their_titles_with_typing_errors_too() {
    let site = Site::in_memory().await;
    for blog in ["go-blog", "rust-blog", "jekyll-blog", "wordpress/themeunittestdata.wordpress.xml"] {
        import(&site.content, &corpora().join(blog)).await.expect("an import");
    }
    let posts = posts_of(&site).await;
    let (titles, plain) = (titles(&posts), Plain::of(&posts));
    let mut random = Random::new(47);
    for (errors, min) in FOUND_MIN.iter().enumerate() {
        let (mut first, mut by_plain) = (0, 0);
        let mut missed = Vec::new();
        for _ in 0..QUERIES {
            let (slug, title) = random.pick(&titles).clone();
            let query = (0..errors).fold(title, |title, _| misspelt(&title, &mut random));
            let hits = found(&site, None, &format!("{query} "), ", first: 10").await;
            by_plain += usize::from(plain.first_ten(&query).contains(&&slug));
            first += usize::from(hits.first() == Some(&slug));
            if !hits.contains(&slug) {
                missed.push(query);
            }
        }
        let count = QUERIES - missed.len();
        println!(
            "{} titles, {errors} typing errors: {count} of {QUERIES} among the first 10, {first} first; by plain BM25 {by_plain}",
            titles.len()
        );
        assert!(count >= *min, "{count} of {QUERIES} with {errors} typing errors: {missed:?}");
    }
}
