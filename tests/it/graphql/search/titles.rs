//! Known items: the titles of real blogs as queries, as they are and misspelt. The rule: a post is nearly always among the first ten of its own title.

use serde_json::Value;

use super::found;
use crate::support::corpora::corpora;
use crate::support::folder::import;
use crate::support::random::Random;
use crate::support::site::Site;

const QUERIES: usize = 1_000;
/// Of a thousand queries without a typing error, with one, and with two, so many must find their post.
const FOUND_MIN: [usize; 3] = [990, 950, 900];

/// The slug and the title of each post that is the only one with its title.
async fn titles(site: &Site) -> Vec<(String, String)> {
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let page = site
            .query(&format!(
                "{{ posts(first: 100{after}) {{ nodes {{ slug title }} pageInfo {{ hasNextPage endCursor }} }} }}"
            ))
            .await;
        let nodes = page["posts"]["nodes"].as_array().expect("nodes").clone();
        let text = |node: &Value, name: &str| node[name].as_str().expect("a text").to_owned();
        all.extend(nodes.iter().map(|node| (text(node, "slug"), text(node, "title"))));
        after = format!(", after: {}", page["posts"]["pageInfo"]["endCursor"]);
        if page["posts"]["pageInfo"]["hasNextPage"] == false {
            break;
        }
    }
    let times = |title: &str| all.iter().filter(|(_, other)| other == title).count();
    all.iter().filter(|(_, title)| times(title) == 1 && title.len() < 150).cloned().collect()
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
    let titles = titles(&site).await;
    let mut random = Random::new(47);
    for (errors, min) in FOUND_MIN.iter().enumerate() {
        let mut first = 0;
        let mut missed = Vec::new();
        for _ in 0..QUERIES {
            let (slug, title) = random.pick(&titles).clone();
            let query = (0..errors).fold(title, |title, _| misspelt(&title, &mut random));
            let hits = found(&site, None, &format!("{query} "), ", first: 10").await;
            first += usize::from(hits.first() == Some(&slug));
            if !hits.contains(&slug) {
                missed.push(query);
            }
        }
        let count = QUERIES - missed.len();
        println!(
            "{} titles, {errors} typing errors: {count} of {QUERIES} among the first 10, {first} first",
            titles.len()
        );
        assert!(count >= *min, "{count} of {QUERIES} with {errors} typing errors: {missed:?}");
    }
}
