//! Content that WordPress showed only to some readers, inside a published post: parts for subscribers and members, and posts that a plugin protects.
//! The rule: such a post becomes a draft, with a note; when in doubt, it is one. What a plugin stores outside the post, such as a rule for a
//! category, is not in an export.

use crate::words::has_word;

use super::element::Element;
use super::shortcodes;

/// Words in the names of fields that control who may read a post.
const FIELDS: &str = "\
    access memberful members membership memberships membersonly paid patreon paywall paywalled premium protect \
    protected protection restrict restricted restriction restrictions subscriber subscribers subscription wpmem";
/// The values of such fields that mean everyone, except an empty one.
const EVERYONE: &str = "0 [] a:0:{} all any anyone everybody everyone false no none null off open public {}";
/// Every post has a value of Ultimate Member. In it, this text precedes the flag that says whether the post has its own rule.
const ULTIMATE_MEMBER: &str = "_um_custom_access_settings\";";

/// Parts of the names of blocks and shortcodes whose content is not visible to everyone.
const NAMES: &str = "\
    locker logged-in logged-out logged_in logged_out loggedin loggedout logout-view member passster password patreon \
    paywall ppw premium-content protect restrict subscriber-view";
/// More words in the names of shortcodes that have an end.
const WORDS: &str = "\
    access free groups guest guests hidden hide ihc lock login mepr paid pmpro premium private rcp role s2if secret \
    subscriber subscribers swpm visitor visitors wlm";
/// The beginnings of keys of the attributes with which plugins, and WordPress since 6.9, hide a block.
const KEYS: &str = "blockVisibility conditionalBlocks kadenceConditional loggedIn otterConditions restrict userRole";
/// The class of a part for subscribers, in a body without block comments.
const SUBSCRIBERS: &str = "wp-block-premium-content-subscriber-view";

/// Why the post may not have been readable by everyone.
pub(super) fn why(item: &Element, content: &str) -> Option<String> {
    let found = field(item).or_else(|| block(content)).or_else(|| shortcode(content));
    found.map(|found| format!("has {found}, so perhaps not everyone could read all of it: it is imported as a draft"))
}

fn field(item: &Element) -> Option<String> {
    item.children("wp:postmeta").find_map(|meta| {
        let (key, value) = (meta.child_text("wp:meta_key"), meta.child_text("wp:meta_value"));
        let mut words = key.split(|c: char| !c.is_ascii_alphanumeric());
        let is_for_everyone = match value.split_once(ULTIMATE_MEMBER) {
            Some((_, rule)) => !["s:1:\"1\"", "b:1", "i:1"].iter().any(|yes| rule.starts_with(yes)),
            None => value.is_empty() || has_word(EVERYONE, &value.to_ascii_lowercase()),
        };
        let is_one = words.any(|word| has_word(FIELDS, &word.to_ascii_lowercase())) && !is_for_everyone;
        let shown: String = value.chars().take(40).collect();
        is_one.then(|| format!("the field {key} with the value {shown:?}"))
    })
}

/// A block is a comment with its name and attributes.
fn block(content: &str) -> Option<String> {
    let comments = content.split("<!--").skip(1);
    let mut blocks = comments.filter_map(|comment| comment.split("-->").next()?.trim_start().strip_prefix("wp:"));
    let hidden = blocks.find_map(|block| {
        let name = block.split_whitespace().next().unwrap_or_default();
        let is_one = hides(name) || KEYS.split(' ').any(|key| block.contains(&format!("\"{key}")));
        is_one.then(|| format!("the block {}", name.chars().take(64).collect::<String>()))
    });
    hidden.or_else(|| content.contains(SUBSCRIBERS).then(|| "the block premium-content/subscriber-view".to_owned()))
}

fn shortcode(content: &str) -> Option<String> {
    let mut hidden = shortcodes::all(content).filter(|code| {
        let mut words = code.name.split(['_', '-']);
        let mut hides_by_word = || words.any(|word| has_word(WORDS, &word.to_ascii_lowercase()));
        (hides(code.name) && (code.has_end || !is_attribute(code.name))) || (code.has_end && hides_by_word())
    });
    hidden.next().map(|code| format!("the shortcode [{}]", code.name))
}

/// Whether it is written like an attribute of C# in code, such as `[DataMember]`.
fn is_attribute(name: &str) -> bool {
    name.strip_suffix("Member").is_some_and(|start| start.ends_with(|c: char| c.is_ascii_lowercase()))
}

/// Blocks and shortcodes for team members, and login forms, hide nothing.
fn hides(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_other = ["team", "remember", "form"].iter().any(|other| name.contains(other));
    !is_other && NAMES.split(' ').any(|hidden| name.contains(hidden))
}
